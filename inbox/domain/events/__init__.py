"""Rules about events: validation, fields, metadata, fingerprints and repeats."""
