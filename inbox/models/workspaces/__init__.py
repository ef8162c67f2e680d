"""Tables of workspaces and their members, and the content of exports."""
