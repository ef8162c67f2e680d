"""Browsers get pages, also for errors; every other client gets JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.api.http.pages import prose
from inbox.api.http.problems import KINDS
from tests.browser import Browser
from tests.cast import Cast

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
Browsers = Callable[[str], Browser]


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/v1/event", 404, "not_found"),
        ("GET", "/v1/me", 401, "unauthenticated"),
        ("POST", "/v1/info", 405, "method_not_allowed"),
        ("GET", "/v1/info?x=1", 422, "validation_failed"),
        ("POST", "/v1/auth/login", 415, "unsupported_media_type"),
    ],
)
def test_an_error_is_a_page_for_a_browser(method: str, path: str, status: int, code: str, anonymous: Browser) -> None:
    def answer(accept: str) -> Any:
        return anonymous.client.open(
            path, method=method, headers={"Accept": accept}, data={"a": "b"} if status == 415 else None
        )

    page, problem = answer(BROWSER), answer("*/*")
    text = page.get_data(as_text=True)

    assert (page.status_code, page.mimetype) == (problem.status_code, "text/html") == (status, "text/html")
    assert problem.mimetype == "application/problem+json"
    assert f"<h1>{KINDS[code].title}</h1>" in text and f"/problems/{code}" in text
    assert page.headers["X-Request-Id"] in text and "style-src" in page.headers["Content-Security-Policy"]
    assert page.headers["Cache-Control"] == "no-store"
    assert {"Allow", "WWW-Authenticate"} & set(page.headers.keys()) == {"Allow", "WWW-Authenticate"} & set(
        problem.headers.keys()
    )


@pytest.mark.parametrize(
    "accept", ["", "*/*", "application/json", "application/problem+json", "application/json, text/html;q=0.5"]
)
def test_a_client_that_does_not_prefer_html_gets_a_problem_document(accept: str, anonymous: Browser) -> None:
    answer = anonymous.client.get("/nothing", headers={"Accept": accept} if accept else {})

    assert answer.mimetype == "application/problem+json"


def test_request_text_is_escaped_on_error_pages(browser: Browsers, cast: Cast) -> None:
    answer = browser("mia").client.get("/v1/sources?%3Cscript%3Ealert(1)%3C/script%3E=1", headers={"Accept": BROWSER})

    assert answer.status_code == 422
    assert "<script" not in answer.get_data(as_text=True) and "&lt;script&gt;" in answer.get_data(as_text=True)


def test_the_first_page_is_a_page(anonymous: Browser) -> None:
    answer = anonymous.client.get("/", headers={"Accept": BROWSER})

    assert (answer.status_code, answer.mimetype) == (200, "text/html")


@pytest.mark.parametrize("code", sorted(KINDS))
def test_the_page_of_a_problem_shows_code_as_code(code: str, anonymous: Browser) -> None:
    text = anonymous.client.get(f"/problems/{code}", headers={"Accept": BROWSER}).get_data(as_text=True)

    assert "`" not in text
    assert text.count("<code>") >= 1 + KINDS[code].remedy.count("`") // 2


def test_the_list_of_problems_shows_code_as_code(anonymous: Browser) -> None:
    assert "`" not in anonymous.client.get("/problems", headers={"Accept": BROWSER}).get_data(as_text=True)


def test_prose_is_escaped_and_an_odd_backtick_stays() -> None:
    assert prose("a <b> `c <d>` & e") == "a &lt;b&gt; <code>c &lt;d&gt;</code> &amp; e"
    assert prose("an odd ` one") == "an odd ` one"
