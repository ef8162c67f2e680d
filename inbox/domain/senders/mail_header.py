"""The header by which a mail of an instance is recognized."""

OUR_HEADER = "X-Incident-Inbox"
"""Marks every mail that an instance sends. Sources refuse such mail, because two instances could mail each other forever."""
