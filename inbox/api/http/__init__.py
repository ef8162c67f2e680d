"""Parts that all endpoints share: bodies, callers, policy, paging, problems, connections."""
