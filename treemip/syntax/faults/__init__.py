"""What is wrong with a text that does not parse. Imported only when a parse has failed."""
