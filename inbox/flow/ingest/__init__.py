"""Ingest: requests are validated, deduplicated and stored by group commit."""
