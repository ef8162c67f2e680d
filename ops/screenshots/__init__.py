"""`bin/screenshots`: pictures of every screen of the dashboard, from the sample workspace on an instance of its own."""
