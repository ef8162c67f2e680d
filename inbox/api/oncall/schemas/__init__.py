"""Shapes of on-call schedules (specification chapter 23)."""
