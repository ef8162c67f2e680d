"""Use cases of workspaces: settings, members, invites, export, deletion."""
