"""People on call: schedules of layers and overrides, and who is on call at a time (specification chapter 23)."""
