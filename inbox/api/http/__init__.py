"""The parts of every endpoint: bodies, callers, policy, paging, problems, connections."""
