"""Use cases of the instance: configuration of a process, first run, administration, status, metrics."""
