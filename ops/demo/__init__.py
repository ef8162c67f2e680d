"""The sample workspace of `bin/inbox demo`: a small web shop with fourteen days of history.

`company` and `rules` describe the workspace, `problems` and `story` its history. `script` turns these tables into
entries with times, `player` plays the entries through the pipeline. `workspace` creates and removes all of it.
`heartbeats` are the monitors with their pings. `receiver` and `live` are the destinations and the events of `--live`.
"""
