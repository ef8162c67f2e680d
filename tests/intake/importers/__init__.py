"""Tests of the importers of other tools' set-ups."""
