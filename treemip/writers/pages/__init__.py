"""Pages for readers: what notebooks show of an object, and the report on a tree."""
