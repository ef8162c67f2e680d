"""Tables and queries of the instance: change feed, backlog, sweep, purge, sealed values."""
