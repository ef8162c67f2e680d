"""Rules about incidents: the table of transitions, acts, effects of events, undo."""
