"""Endpoints of rules, routing profiles, silences, versions and previews."""
