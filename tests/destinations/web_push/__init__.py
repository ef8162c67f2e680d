"""The tests of the kind web_push."""
