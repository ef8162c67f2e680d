"""Endpoints of workspaces: settings, members, invites, export, audit log."""
