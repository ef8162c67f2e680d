"""The rows of checkmk in the tests of all tools."""

from __future__ import annotations

ALARM = ("Filesystem / on db2", "CRITICAL", "cmk:main:db2:Filesystem /")
