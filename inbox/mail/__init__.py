"""Mails: what they say (`letters`), how they look (`pages`), how they leave (`smtp`)."""
