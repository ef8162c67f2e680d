"""Endpoints of people: sign-in, factors, accounts, devices, preferences."""
