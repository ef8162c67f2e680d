"""The rows of gitlab in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent

ALARM = ("Pipeline of acme/shop (main) failed", "ERROR", "gl:15:pipeline:main")
LIST = ("builds",)
SENT: Sent = {"gitlab": lambda fields, _: {"X-Gitlab-Token": fields["Secret token"]}}
