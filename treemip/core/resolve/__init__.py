"""Names, sorts and kinds: a text linked with the library into a Spec, before any data is read."""
