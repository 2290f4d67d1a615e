"""Source texts, places in them, and diagnostics; files and memory."""
