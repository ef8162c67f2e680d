"""Queries and writes of notices and deliveries."""
