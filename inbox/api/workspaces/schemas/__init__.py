"""Shapes of workspaces, members, invites and audit entries."""
