"""The printed chapters of the specification are current, and their sections exist."""

from __future__ import annotations

from dataclasses import fields

from inbox.api.instance.info import LIMITS
from inbox.config.settings import Settings
from ops.chapters import endpoints, limits
from ops.chapters.fixed import LIMITS as FIXED
from tests.api.openapi.test_specification import rows, sections

UNLIMITED = {"mail_in_port", "port", "web_workers", "database_connections", "trusted_proxies", "metrics_port"}
"""Settings that are numbers and bound nothing that a client can meet."""


def test_the_chapter_of_endpoints_is_current() -> None:
    assert endpoints.PAGE.read_text(encoding="utf-8") == endpoints.text(), "run python -m ops.chapters --write"


def test_the_chapter_of_limits_is_current() -> None:
    assert limits.PAGE.read_text(encoding="utf-8") == limits.text(), "run python -m ops.chapters --write"


def test_printed_sections_exist() -> None:
    named = {*limits.SETTINGS.values(), *(each.section for each in FIXED), *(cells[6] for cells in rows("16.1"))}

    assert named <= sections().keys()


def test_every_limit_that_the_api_answers_has_a_meaning() -> None:
    assert limits.MEANINGS.keys() == LIMITS.keys()


def test_every_setting_that_is_a_limit_has_a_section() -> None:
    assert limits.SETTINGS.keys() == {each.name for each in fields(Settings) if each.type == "int"} - UNLIMITED
