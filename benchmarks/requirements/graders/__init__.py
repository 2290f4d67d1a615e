"""What an answer is held against: apart from the words, which are all that an assistant sees."""
