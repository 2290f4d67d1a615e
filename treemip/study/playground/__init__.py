"""A web page to write specs and solve them: the server; the page is in `editors/playground`"""
