"""Tables and queries about records of every kind: audit entries, imports, names."""
