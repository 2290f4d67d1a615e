"""Messages for texts that do not parse. Imported only when a parse has failed."""
