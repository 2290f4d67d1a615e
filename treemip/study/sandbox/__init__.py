"""Commands run for somebody else: in a folder that they cannot read outside of, within limits"""
