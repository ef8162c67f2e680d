"""Tests of external calendars."""
