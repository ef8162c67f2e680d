"""Statistics of a period: set-based queries over one workspace or several (specification 7.9)."""
