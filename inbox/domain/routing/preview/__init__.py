"""Functions that only previews use: single clauses, cached verdicts, near misses, night hours (specification 6.9)."""
