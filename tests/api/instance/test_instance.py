"""Information about the instance: info, health, problem pages, the first page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import peewee
import pytest

from inbox.api.http.pages import POLICY, STYLE
from inbox.api.http.problems import KINDS
from inbox.config.settings import Settings
from inbox.database import base
from inbox.database.migrate import MIGRATIONS
from inbox.domain.values.legal_links import LegalLink
from inbox.runtime import queue
from tests.browser import Browser
from tests.cast import Cast


def test_info_is_public_and_describes_the_instance(anonymous: Browser, settings: Settings) -> None:
    found = anonymous.get("/v1/info").json

    assert found["name"] == "Incident Inbox" and found["edition"] == "self_hosted"
    assert found["problemsUrl"] == f"{settings.base_url}/problems"
    assert found["setupRequired"] is True and isinstance(found["capabilities"], list)
    assert found["limits"]["batchEvents"] == 100 and found["limits"]["bodyBytes"] == 2_097_152


def test_info_lists_ingest_formats_and_mail_when_mail_in_is_enabled(
    anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    always = {f"ingest.{name}" for name in ("alertmanager", "cloudevents", "legacy", "opsgenie", "pagerduty")}
    before = set(anonymous.get("/v1/info").json["capabilities"])
    in_settings(mail_in_port=2525)
    after = set(anonymous.get("/v1/info").json["capabilities"])

    assert before >= always | {"push.web"}
    assert after - before == {"ingest.mail"}


def test_info_has_the_legal_links_of_the_operator(anonymous: Browser, in_settings: Callable[..., Settings]) -> None:
    assert anonymous.get("/v1/info").json["legalLinks"] == []

    in_settings(legal_links=(LegalLink("Imprint", "https://example.org/i"), LegalLink("Terms", "http://intranet/t")))

    assert anonymous.get("/v1/info").json["legalLinks"] == [
        {"name": "Imprint", "url": "https://example.org/i"},
        {"name": "Terms", "url": "http://intranet/t"},
    ]


def test_set_up_is_no_longer_required_once_an_account_exists(anonymous: Browser, cast: Cast) -> None:
    assert anonymous.get("/v1/info").json["setupRequired"] is False


def test_the_process_lives_and_can_work(anonymous: Browser) -> None:
    assert anonymous.get("/healthz").json == {"status": "ok"}
    assert anonymous.get("/readyz").json == {"status": "ok"}
    assert anonymous.call("HEAD", "/readyz").status_code == 200


def test_the_service_is_degraded_and_ready_without_redis(anonymous: Browser) -> None:
    before = queue.job_queues()
    queue.use(queue.JobQueues("redis://127.0.0.1:1/0"))
    answer = anonymous.get("/readyz")
    queue.use(before)

    assert (answer.status_code, answer.json["status"]) == (200, "degraded")
    assert "Redis" in answer.json["detail"] and "Postgres" not in answer.json["detail"]


def test_an_instance_without_its_tables_is_not_ready_and_says_what_to_do(anonymous: Browser) -> None:
    last = max(MIGRATIONS)
    base.db.execute_sql("DELETE FROM schema_migration WHERE name = %s", (last,))
    answer = anonymous.get("/readyz")
    base.db.execute_sql("INSERT INTO schema_migration (name, applied) VALUES (%s, now())", (last,))

    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert "Run bin/migrate" in answer.json["detail"]


def test_the_service_is_alive_and_not_ready_without_postgres(anonymous: Browser, ground: peewee.Database) -> None:
    retained = base.db.obj
    base.open_database("postgresql://nobody@127.0.0.1:1/nothing", application="inbox-test")
    answers = {path: anonymous.get(path) for path in ("/healthz", "/readyz", "/v1/info", "/v1/openapi.json", "/")}
    base.db.initialize(retained)

    assert {path: answer.status_code for path, answer in answers.items()} == {
        "/healthz": 200,
        "/readyz": 503,
        "/v1/info": 503,
        "/v1/openapi.json": 200,
        "/": 200,
    }
    assert "Postgres" in answers["/readyz"].json["detail"]
    assert answers["/v1/info"].json["code"] == "unavailable" and answers["/v1/info"].headers["Retry-After"]


@pytest.mark.parametrize("code", sorted(KINDS))
def test_every_code_is_explained_where_its_type_points(code: str, anonymous: Browser) -> None:
    answer = anonymous.get(f"/problems/{code}")
    page = anonymous.get(f"/problems/{code}", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})

    assert answer.json["type"].endswith(f"/problems/{code}") and answer.json["status"] == KINDS[code].status
    assert page.content_type.startswith("text/html") and KINDS[code].title in page.get_data(as_text=True)


def test_all_problem_codes_are_listed(anonymous: Browser) -> None:
    listed = [each["code"] for each in anonymous.get("/problems").json["items"]]
    page = anonymous.get("/problems", headers={"Accept": "text/html"}).get_data(as_text=True)

    assert listed == sorted(KINDS)
    assert all(f'href="/problems/{code}"' in page for code in KINDS)


@pytest.mark.parametrize(
    "accept", [None, "*/*", "application/json", "application/problem+json", "image/png", "nonsense"]
)
def test_a_problem_page_is_json_unless_html_is_requested(accept: str | None, anonymous: Browser) -> None:
    answer = anonymous.get("/problems/not_found", headers={"Accept": accept} if accept else None)

    assert answer.content_type == "application/json"


def test_pages_run_no_script_and_load_nothing(anonymous: Browser) -> None:
    answers = [
        anonymous.get(path, headers={"Accept": "text/html"}) for path in ("/", "/problems", "/problems/conflict")
    ]

    for answer in answers:
        text = answer.get_data(as_text=True)
        assert answer.headers["Content-Security-Policy"] == POLICY and "script-src" not in POLICY
        assert "<script" not in text and "style=" not in text and STYLE in text
        assert "src=" not in text and "http://" not in text and "https://" not in text


def test_the_first_page_leads_to_the_document(anonymous: Browser) -> None:
    page = anonymous.get("/").get_data(as_text=True)

    assert 'href="/v1/openapi.json"' in page and "Incident Inbox" in page


def test_a_name_that_looks_like_markup_is_text(anonymous: Browser, in_settings: Callable[..., Any]) -> None:
    in_settings(name="<script>alert(1)</script>")

    assert "<script" not in anonymous.get("/").get_data(as_text=True)
