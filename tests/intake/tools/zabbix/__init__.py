"""The rows of zabbix in the tests of all tools."""

from __future__ import annotations

ALARM = ("High CPU on db2", "ERROR", "zbx:8123")
LIST = ("tags",)
