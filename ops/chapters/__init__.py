"""Prints the chapters of the specification that are generated from code: `python -m ops.chapters [--write]`.

`endpoints` prints chapter 16 from the declarations of endpoints, `limits` prints chapter 17 from constants and
settings.
"""
