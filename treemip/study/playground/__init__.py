"""A page to write specs and solve them: its server, without the page's own program"""
