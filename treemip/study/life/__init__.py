"""What becomes of a saved tree: another tree beside it, new rows, and its model card"""
