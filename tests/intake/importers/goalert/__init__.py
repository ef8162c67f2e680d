"""The tests of the import goalert."""
