"""The rows of icinga in the tests of all tools."""

from __future__ import annotations

ALARM = ("disk on db2", "CRITICAL", "icinga:db2!disk")
