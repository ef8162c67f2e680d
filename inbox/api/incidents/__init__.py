"""Endpoints of incidents: lists, acts, bulk acts, links and buttons."""
