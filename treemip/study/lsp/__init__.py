"""A language server for .tree files: pure functions from a text and a place to what editors show"""
