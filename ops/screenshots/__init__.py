"""`bin/screenshots`: takes pictures of every screen of the dashboard, from the sample workspace on its own instance."""
