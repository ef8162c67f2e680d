"""The rows of alertmanager in the tests of all tools."""

from __future__ import annotations

ALARM = ("db2 has 3 % free", "CRITICAL", "alertmanager:db73c85864f826bb")
