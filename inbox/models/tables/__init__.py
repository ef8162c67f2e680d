"""Tables: Peewee classes only."""
