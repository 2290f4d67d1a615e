"""The command line: thin, and importing each stage only when a command comes to it."""
