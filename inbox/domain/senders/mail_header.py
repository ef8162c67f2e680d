"""The header by which a mail of an instance is recognized."""

OUR_HEADER = "X-Incident-Inbox"
"""Is in every mail that an instance sends. A source takes no such mail, since two instances could mail each other forever."""
