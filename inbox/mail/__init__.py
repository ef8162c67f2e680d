"""Mails: `templates` has their texts, `message` builds the MIME message, `smtp` sends it."""
