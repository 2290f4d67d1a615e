"""Commands for somebody else: run in a folder that they cannot read beyond, within limits"""
