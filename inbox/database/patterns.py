"""Patterns for `ILIKE` from texts of people."""

from __future__ import annotations


def like_pattern(text: str) -> str:
    """Returns the pattern for `ILIKE` that matches any value with this text in it."""
    return "%" + prefix_pattern(text)


def prefix_pattern(text: str) -> str:
    """Returns the pattern for `ILIKE` that matches any value that begins with this text."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
