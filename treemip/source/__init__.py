"""Where things stand in the source, and what is said when something is wrong there."""
