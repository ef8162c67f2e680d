"""Use cases of people: one noun per module, called by the API and the command line."""
