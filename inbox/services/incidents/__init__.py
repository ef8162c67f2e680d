"""Use cases of incidents: edits, acts on many, undo, buttons and links, counts."""
