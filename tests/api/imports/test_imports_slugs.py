"""An import from Healthchecks keeps the slugs of checks, so that senders by slug change one address (specification 22.6)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask

from inbox.intake.importers import healthchecks
from inbox.intake.importers.plan import PING_URL
from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from inbox.models.senders.sources import Source, SourceKey
from inbox.services.senders.imports import SLUG_IN_USE
from tests.api.imports.imports_steps import IMPORT, PREVIEW, adam, draft  # noqa: F401  a fixture
from tests.browser import Browser
from tests.cast import Cast
from tests.heartbeats import make_monitor
from tests.intake.importers.test_servers import check

FORMER_KEY = "fqOOd6-F4MMNuCEnzTU01w"
NO_SLUG = ["Nightly Backup", "é", "x" * 65, "start", "fail", "log", "12"]


def checks(*slugs: str, **more: Any) -> dict[str, Any]:
    """An import of checks with these slugs."""
    listed = [check(uuid=f"u{n}", name=f"Check {n}", slug=slug, **more) for n, slug in enumerate(slugs)]
    return {"kind": "healthchecks", "document": json.dumps({"checks": listed})}


def slugs() -> list[str | None]:
    return [row.slug for row in HeartbeatMonitor.select().order_by(HeartbeatMonitor.name)]


def test_the_plan_shows_the_slugs_and_the_key_before_anything_is_saved(adam: Browser, cast: Cast) -> None:
    source, monitor = adam.post(PREVIEW, draft(cast, **checks("nightly"))).json["items"]

    assert "Pings by slug: nightly." in monitor["text"]
    assert "with a ping key" in source["text"]
    assert source["snippet"] == f"sed -i -E 's|https://hc-ping.com/{healthchecks.FORMER_KEY}/|{PING_URL}/|g' FILE"
    assert (HeartbeatMonitor.select().count(), SourceKey.select().count()) == (0, 2), "the keys of the cast alone"


def test_a_sender_by_slug_works_after_the_snippet_of_the_source_ran(
    adam: Browser, app: Flask, cast: Cast, tmp_path: Path
) -> None:
    former = f"https://hc-ping.com/{FORMER_KEY}/nightly/start"
    by_uuid = "https://hc-ping.com/31365bce-8da9-4729-8ff3-aaa71d56b712/start"
    (script := tmp_path / "FILE").write_text(f"{former}\n{by_uuid}\n")
    source, *_ = adam.post(IMPORT, draft(cast, **checks("nightly", "weekly"))).json["items"]

    subprocess.run(source["snippet"], shell=True, cwd=tmp_path, check=True)
    changed, unchanged = script.read_text().split()

    assert changed == f"{source['pingUrl']}/nightly/start"
    assert unchanged == by_uuid
    assert app.test_client().get(urlsplit(changed).path).status_code == 200
    [ping] = HeartbeatPing.select()
    assert ping.kind == "start"
    assert ping.monitor_id == HeartbeatMonitor.get(HeartbeatMonitor.slug == "nightly").id


def test_the_key_is_answered_once_and_a_second_import_makes_none(adam: Browser, cast: Cast) -> None:
    first = adam.post(IMPORT, draft(cast, **checks("nightly")))
    second = adam.post(IMPORT, draft(cast, **checks("nightly", "weekly")))

    assert "/v1/heartbeats/svc_ping_" in first.json["items"][0]["pingUrl"]
    assert second.json["items"][0]["pingUrl"] is None
    assert "svc_ping_" not in second.text
    assert SourceKey.select().where(SourceKey.kind == "ping_key").count() == 1
    assert slugs() == ["nightly", "weekly"]


@pytest.mark.parametrize("slug", NO_SLUG)
def test_a_slug_that_no_monitor_can_have_is_left_out_with_a_warning(slug: str, adam: Browser, cast: Cast) -> None:
    source, monitor = adam.post(PREVIEW, draft(cast, **checks(slug))).json["items"]
    created = adam.post(IMPORT, draft(cast, **checks(slug)))

    assert "do not arrive" in monitor["warnings"][0]
    assert "ping key" not in source["text"]
    assert (created.status_code, slugs()) == (201, [None])


def test_checks_without_slugs_make_no_key(adam: Browser, cast: Cast) -> None:
    created = adam.post(IMPORT, draft(cast, **checks("", "")))

    assert created.json["items"][0]["pingUrl"] is None
    assert SourceKey.select().where(SourceKey.kind == "ping_key").count() == 0


def test_a_slug_that_two_checks_share_stays_with_the_first(adam: Browser, cast: Cast) -> None:
    plan = adam.post(PREVIEW, draft(cast, **checks("nightly", "nightly"))).json

    assert adam.post(IMPORT, draft(cast, **checks("nightly", "nightly"))).status_code == 201
    assert slugs() == ["nightly", None]
    assert [bool(item["warnings"]) for item in plan["items"]] == [False, False, True]


def test_a_slug_of_another_monitor_of_the_source_is_kept_by_it(adam: Browser, cast: Cast) -> None:
    adam.post(IMPORT, draft(cast, **checks("nightly")))
    make_monitor(Source.get(Source.name == "Healthchecks"), name="Mine", slug="weekly")

    plan = adam.post(PREVIEW, draft(cast, **checks("nightly", "weekly"))).json
    created = adam.post(IMPORT, draft(cast, **checks("nightly", "weekly")))

    assert [item["warnings"] for item in plan["items"]] == [[], [], [SLUG_IN_USE]]
    assert created.status_code == 201
    assert slugs() == ["nightly", None, "weekly"]


def test_a_read_only_key_shows_no_address_and_the_source_shows_the_new_one(adam: Browser, cast: Cast) -> None:
    source, _ = adam.post(IMPORT, draft(cast, **checks("nightly", ping_url=None))).json["items"]

    assert source["snippet"] == source["pingUrl"]
