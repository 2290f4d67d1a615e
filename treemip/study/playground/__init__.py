"""A web page to write specs and solve them: the server; the page itself is in `editors/playground`"""
