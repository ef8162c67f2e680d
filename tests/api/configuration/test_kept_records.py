"""`GET /v1/workspaces/{id}/kept-records`: which records files keep (specification 24.4)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from inbox.models.routing.rules import Rule
from tests.api.configuration.workspaces import run
from tests.browser import Browser
from tests.cast import Cast, typeid

FILE = "version: 1\nrules:\n  r: {name: R, matchText: severity >= ERROR, then: {disposition: incident}}\n  s: {name: S, matchText: severity >= ERROR, then: {disposition: incident}}\n"


@pytest.fixture
def path(cast: Cast, tmp_path: Path) -> str:
    file = tmp_path / "acme.yaml"
    file.write_text(FILE)
    run(cast.workspace, file)
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/kept-records"


def test_a_viewer_reads_the_file_and_the_key_of_each_record(browser: Callable[[str], Browser], path: str) -> None:
    page = browser("vic").get(path).json

    assert [(each["type"], each["key"], each["file"]) for each in page["items"]] == [
        ("rule", "s", "acme.yaml"),
        ("rule", "r", "acme.yaml"),
    ]


def test_the_entry_of_one_record_is_read(browser: Callable[[str], Browser], cast: Cast, path: str) -> None:
    rule = typeid("rul", Rule.get(Rule.name == "R").id)

    assert [each["recordId"] for each in browser("vic").get(f"{path}?recordId={rule}").json["items"]] == [rule]
    other = typeid("src", cast.source.id)
    assert browser("vic").get(f"{path}?recordId={other}").json["items"] == []


def test_the_entries_of_one_type_are_read(browser: Callable[[str], Browser], path: str) -> None:
    assert [each["key"] for each in browser("vic").get(f"{path}?type=rule").json["items"]] == ["s", "r"]
    assert browser("vic").get(f"{path}?type=view").json["items"] == []
    refused = browser("vic").get(f"{path}?type=member")
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/query/type")


@pytest.mark.parametrize("given", ["", "nobody", "usr_01j0000000e008000000000001", "rul_01"])
def test_an_id_of_another_kind_is_refused(browser: Callable[[str], Browser], path: str, given: str) -> None:
    refused = browser("vic").get(f"{path}?recordId={given}")

    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/query/recordId")


def test_eve_reads_nothing(browser: Callable[[str], Browser], app: Flask, path: str) -> None:
    assert browser("eve").get(path).status_code == 404
