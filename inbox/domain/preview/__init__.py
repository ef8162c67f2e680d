"""What only a preview asks: single clauses, what rules said before, and when it is night (specification 6.9)."""
