"""The log of who was on call."""
