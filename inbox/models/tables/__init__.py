"""Peewee classes of the tables, with their queries."""
