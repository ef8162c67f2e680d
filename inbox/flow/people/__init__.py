"""Acts of people on incidents, and their undo."""
