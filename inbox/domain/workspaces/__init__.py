"""Rules about workspaces: settings, roles, and the actions of the audit log."""
