"""Endpoints of senders: events, webhooks, other formats, sources and their keys."""
