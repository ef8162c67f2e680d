"""Use cases of on-call schedules (specification chapter 23)."""
