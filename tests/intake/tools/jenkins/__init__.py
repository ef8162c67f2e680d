"""The rows of jenkins in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Sent, of_address

ALARM = ("shop failed", "ERROR", "jenkins:ci.example.org:job/shop")
LIST = ("build", "test_summary", "failed_tests")
SENT: Sent = {"jenkins": of_address}
