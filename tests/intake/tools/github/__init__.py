"""The rows of github in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent, digest

ALARM = ("ci of acme/shop (main) failed", "ERROR", "gh:acme/shop:7:main")
SENT: Sent = {"github": lambda fields, body: {"X-Hub-Signature-256": f"sha256={digest(fields['Secret'], body)}"}}
