"""The dashboard's document and files as the server sends them: types, caching, compression, content security policy."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import peewee
import pytest
from flask import Flask
from werkzeug.test import Client, TestResponse

from app import create_app
from inbox.api.instance.dashboard import PAGES, ROOT_FILES
from inbox.config.settings import Settings
from inbox.runtime.distribution import ROOT

DOCUMENT = """<!doctype html><html data-name="__NAME__"><head><title>__NAME__</title>
<meta property="csp-nonce" nonce="__NONCE__"><script type="module" src="/assets/index-Ab12_-xY.js" nonce="__NONCE__"></script>
</head><body></body></html>"""
SCRIPT = b"console.log('a script of the dashboard');" * 40
FILES = {name: [f"/assets/{name}-Ab12_-xY.js", f"/assets/{name}-Ab12_-xY.css"] for name in ("inbox", "rules", "login")}
HASHED, BROWSER = "/assets/index-Ab12_-xY.js", {"Accept": "text/html"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the builds of this file are."""
    return tmp_path_factory.mktemp("dashboard") / "dist"


@pytest.fixture(scope="module")
def serving(settings: Settings, place: Path) -> Flask:
    """The app that serves what is built there, whichever test built it."""
    return create_app(settings, built=place)


@pytest.fixture
def built(place: Path) -> Path:
    """A folder as a build leaves it."""
    folder = place
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "assets").mkdir(parents=True)
    script = folder / HASHED[1:]
    script.write_bytes(SCRIPT)
    script.with_name(script.name + ".gz").write_bytes(gzip.compress(SCRIPT))
    script.with_name(script.name + ".br").write_bytes(b"in brotli")
    (folder / "assets" / "inter-Ab12_-xZ.woff2").write_bytes(b"a font")
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / "sw.js").write_text("// a worker")
    (folder / "manifest.webmanifest").write_text('{"name": "__NAME__", "start_url": "/"}')
    (folder / "screens.json").write_text(json.dumps(FILES))
    (folder / "index.html").write_text(DOCUMENT)
    return folder


@pytest.fixture
def visitor(ground: peewee.Database, built: Path, serving: Flask) -> Client:
    return serving.test_client()


def addresses() -> list[str]:
    return ["/", "/setup", *(re.sub(r"<[^>]+>", "some", path) for path in PAGES)]


def policy_of(answer: TestResponse) -> dict[str, str]:
    parts = answer.headers["Content-Security-Policy"].split("; ")
    return {name: values for name, _, values in (part.partition(" ") for part in parts)}


@pytest.mark.parametrize("address", addresses())
def test_every_page_of_the_dashboard_is_its_document(visitor: Client, address: str) -> None:
    answer = visitor.get(address)

    assert (answer.status_code, answer.content_type) == (200, "text/html; charset=utf-8")
    assert 'src="/assets/index-Ab12_-xY.js"' in answer.text
    assert answer.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("address", ["/v1", "/v1/nope", "/v1/w/some", "/w", "/wp-login.php", "/assets", "/index.html"])
def test_unknown_dashboard_addresses_are_not_found(visitor: Client, address: str) -> None:
    answer = visitor.get(address)

    assert (answer.status_code, answer.content_type) == (404, "application/problem+json")


@pytest.mark.parametrize("address", ["/events", "/v1/event", "/v1/incident"])
def test_a_mistyped_address_of_the_api_stays_404_for_writes(visitor: Client, address: str) -> None:
    assert visitor.post(address, json={}).status_code == 404


def test_a_page_of_the_dashboard_takes_no_writes(visitor: Client) -> None:
    answer = visitor.post("/w/home/inbox", json={})

    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_each_document_has_a_separate_nonce_named_by_its_policy(visitor: Client) -> None:
    answers = [visitor.get("/login") for _ in range(2)]
    nonces = [set(re.findall(r'nonce="([^"]+)"', answer.text)) for answer in answers]

    assert all(len(each) == 1 for each in nonces) and nonces[0] != nonces[1]
    for answer, [nonce] in zip(answers, nonces, strict=True):
        assert policy_of(answer)["style-src-elem"] == f"'self' 'nonce-{nonce}'"


def test_the_content_security_policy_allows_only_own_scripts_and_no_frames(visitor: Client) -> None:
    answer = visitor.get("/")
    policy = policy_of(answer)

    assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'" and policy["base-uri"] == "'none'"
    assert policy["connect-src"] == "'self'" and policy["form-action"] == "'self'"
    assert "unsafe-eval" not in str(policy)
    assert [name for name, values in policy.items() if "unsafe-inline" in values] == ["style-src-attr"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_the_name_of_the_instance_is_text_in_the_document(
    ground: peewee.Database, built: Path, in_settings: object
) -> None:
    chosen = in_settings(name='Ops "<script>alert(1)</script>')  # type: ignore[operator]
    text = create_app(chosen, built=built).test_client().get("/").text

    assert "<script>alert" not in text and "&lt;script&gt;alert(1)" in text


def test_a_hashed_file_may_be_kept_for_ever(visitor: Client) -> None:
    answer = visitor.get(HASHED)

    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.content_type == "text/javascript; charset=utf-8" and answer.data == SCRIPT
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("br;q=0, gzip", "gzip"), ("identity", None), (None, None)],
)
def test_a_file_is_sent_in_the_best_form_that_the_browser_takes(
    visitor: Client, accepted: str | None, encoding: str | None
) -> None:
    answer = visitor.get(HASHED, headers={"Accept-Encoding": accepted} if accepted else {})

    assert answer.headers.get("Content-Encoding") == encoding
    assert "Accept-Encoding" in answer.headers["Vary"]
    if encoding == "gzip":
        assert gzip.decompress(answer.data) == SCRIPT


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/favicon.svg", "image/svg+xml; charset=utf-8"),
        ("/sw.js", "text/javascript; charset=utf-8"),
        ("/assets/inter-Ab12_-xZ.woff2", "font/woff2"),
    ],
)
def test_each_file_has_its_type(visitor: Client, path: str, content_type: str) -> None:
    assert visitor.get(path).content_type.split(";")[0] == content_type.split(";")[0]


def test_a_file_with_a_fixed_name_is_asked_for_again(visitor: Client) -> None:
    assert visitor.get("/sw.js").headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", ["/assets/gone-Ab12cd34.js", "/assets/..%2findex.html", "/icons/none.png"])
def test_a_file_that_no_build_left_is_not_found(visitor: Client, path: str) -> None:
    assert visitor.get(path).status_code == 404


def test_a_new_build_is_served_without_a_restart(visitor: Client, built: Path) -> None:
    assert "second" not in visitor.get("/login").text
    (built / "index.html").write_text("<!doctype html>the second build")
    os.utime(built / "index.html", ns=(1, 1))

    assert "the second build" in visitor.get("/login").text


def test_an_unfinished_build_leaves_the_last_one_in_place(visitor: Client, built: Path) -> None:
    visitor.get("/login")
    (built / "index.html").unlink()

    assert visitor.get("/login").status_code == 200


def test_the_first_page_reports_a_missing_build(ground: peewee.Database, settings: Settings, tmp_path: Path) -> None:
    (tmp_path / ".built").mkdir()
    (tmp_path / ".built" / "missing").write_text("The dashboard is not built: npm could not install its packages.")
    visitor = create_app(settings, built=tmp_path / "dist").test_client()

    assert "npm could not install its packages" in visitor.get("/").text
    assert 'action="/v1/setup"' in visitor.get("/setup").text
    page = visitor.get("/w/home/incidents/inc_1", headers=BROWSER)
    assert (page.status_code, page.mimetype) == (503, "text/html")
    assert visitor.get("/v1/info").status_code == 200


def test_every_file_with_a_fixed_name_has_an_address_at_the_root_and_every_address_a_file() -> None:
    public = {f"/{each.name}" for each in (ROOT / "web" / "public").iterdir() if each.is_file()}

    assert public | {"/sw.js", "/icons/<name>"} == set(ROOT_FILES)  # the build writes the worker


def test_crawlers_are_refused() -> None:
    assert (ROOT / "web" / "public" / "robots.txt").read_text() == "User-agent: *\nDisallow: /\n"


def test_the_service_worker_is_never_kept_and_loads_from_here_alone(visitor: Client) -> None:
    answer = visitor.get("/sw.js")

    assert answer.content_type == "text/javascript; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert policy_of(answer)["connect-src"] == policy_of(answer)["script-src"] == "'self'"
    assert policy_of(answer)["default-src"] == "'none'"


def test_an_installed_app_has_the_name_of_the_instance(
    ground: peewee.Database, settings: Settings, built: Path, in_settings: Callable[..., Settings]
) -> None:
    named = in_settings(name='Night "watch"')

    answer = create_app(named, built=built).test_client().get("/manifest.webmanifest")

    assert (answer.content_type, answer.headers["Cache-Control"]) == ("application/manifest+json", "no-cache")
    assert answer.json == {"name": 'Night "watch"', "start_url": "/"}


def test_a_missing_build_has_no_manifest(ground: peewee.Database, settings: Settings) -> None:
    assert create_app(settings, built=None).test_client().get("/manifest.webmanifest").status_code == 404


@pytest.mark.parametrize(
    ("address", "is_signed_in", "name"),
    [
        ("/w/home/rules", True, "rules"),
        ("/w/home/rules/new", True, "rules"),
        ("/w/home", True, "inbox"),
        ("/", True, "inbox"),
        ("/w/home/rules", False, "login"),
        ("/", False, "login"),
        ("/login", True, "login"),
    ],
)
def test_the_document_names_the_files_of_the_screen_that_it_will_show(
    visitor: Client, address: str, is_signed_in: bool, name: str
) -> None:
    if is_signed_in:
        visitor.set_cookie("inbox_session_8080", "a session")

    head = visitor.get(address).text.partition("</head>")[0]

    assert re.findall(r'<link rel="modulepreload" crossorigin href="([^"]+)">', head) == [f"/assets/{name}-Ab12_-xY.js"]
    styles = re.findall(r'<link rel="preload" as="style" crossorigin href="([^"]+)">', head)
    assert styles == [f"/assets/{name}-Ab12_-xY.css"]


def test_the_empty_frame_is_shown_where_a_session_will_see_the_app(visitor: Client) -> None:
    assert "data-frame" not in visitor.get("/w/home/rules").text
    visitor.set_cookie("inbox_session_8080", "a session")

    assert "<html data-frame " in visitor.get("/w/home/rules").text
    assert "data-frame" not in visitor.get("/login").text


@pytest.mark.parametrize(("address", "is_read"), [("/w/home/rules", True), ("/account", True), ("/login", False)])
def test_the_start_is_preloaded_where_a_session_reads_it(visitor: Client, address: str, is_read: bool) -> None:
    assert "/v1/start" not in visitor.get(address).text
    visitor.set_cookie("inbox_session_8080", "a session")

    assert ('<link rel="preload" as="fetch" crossorigin href="/v1/start">' in visitor.get(address).text) is is_read
