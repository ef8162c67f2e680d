"""Tables and queries of on-call schedules (specification chapter 23)."""
