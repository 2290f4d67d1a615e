"""The columnar algebra: blocks of variables and rows in arrays, and what a target can take."""
