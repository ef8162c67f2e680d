"""The rows of home_assistant in the tests of all tools."""

from __future__ import annotations

ALARM = ("Water in the cellar", "CRITICAL", "ha:binary_sensor.cellar_water")
