"""Ingest: validates, deduplicates and stores requests by group commit."""
