"""Compressed reads: long JSON answers are sent with gzip to those who accept it (specification 2.3)."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import orjson
import pytest

from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.stand_ins.outgoing_posts import make_incident

Browsers = Callable[[str], Browser]
ACCEPTING = {"Accept-Encoding": "gzip, deflate, br"}
LONG = "/v1/incidents"


@pytest.fixture
def vic(browser: Browsers, cast: Cast) -> Browser:
    for _ in range(5):
        make_incident(cast)
    return browser("vic")


def test_a_long_answer_is_compressed_for_a_client_that_accepts_it(vic: Browser) -> None:
    plain = vic.get(LONG)

    packed = vic.get(LONG, headers=ACCEPTING)

    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.get_data()) == plain.get_data()
    assert int(packed.headers["Content-Length"]) == len(packed.get_data()) < len(plain.get_data()) / 2
    assert {answer.headers["Vary"] for answer in (plain, packed)} == {"Cookie, Authorization, Accept-Encoding"}


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "*;q=0"])
def test_an_answer_is_sent_plainly_to_others(vic: Browser, accepted: str) -> None:
    answer = vic.get(LONG, headers={"Accept-Encoding": accepted})

    assert "Content-Encoding" not in answer.headers
    assert len(answer.json["items"]) == 5


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_never_causes_a_compressed_answer(vic: Browser, site: str) -> None:
    assert "Content-Encoding" not in vic.get(LONG, headers={**ACCEPTING, "Sec-Fetch-Site": site}).headers


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_dashboard_receives_compressed_answers(vic: Browser, site: str) -> None:
    assert vic.get(LONG, headers={**ACCEPTING, "Sec-Fetch-Site": site}).headers["Content-Encoding"] == "gzip"


def test_a_short_answer_is_not_compressed(vic: Browser) -> None:
    assert "Content-Encoding" not in vic.get("/v1/incidents/counts", headers=ACCEPTING).headers


def test_an_answer_with_a_secret_is_not_compressed(browser: Browsers, cast: Cast) -> None:
    adam = browser("adam")
    source = adam.post(
        "/v1/sources", {"workspaceId": typeid("wsp", cast.workspace.id), "name": "A" * 80}, headers=ACCEPTING
    )
    key = adam.post(f"/v1/sources/{source.json['id']}/keys", {"name": "n" * 80}, headers=ACCEPTING)

    assert key.json["secret"]
    assert "Content-Encoding" not in source.headers and "Content-Encoding" not in key.headers


@pytest.mark.parametrize("tag", ["plain", "packed"])
def test_the_tag_of_either_form_is_answered_304(vic: Browser, tag: str) -> None:
    tags = {"plain": vic.get(LONG).headers["ETag"], "packed": vic.get(LONG, headers=ACCEPTING).headers["ETag"]}
    sent = {**ACCEPTING, "If-None-Match": tags[tag]}

    answer = vic.get(LONG, headers=sent)

    assert (answer.status_code, answer.get_data()) == (304, b"")
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Vary"] == "Cookie, Authorization, Accept-Encoding"


def test_the_weak_tag_of_a_compressed_record_names_its_revision(browser: Browsers, cast: Cast) -> None:
    olga, workspace_id = browser("olga"), typeid("wsp", cast.workspace.id)
    then = {"disposition": "log", "addTags": [f"{number}{'t' * 60}" for number in range(20)]}
    rule = {"workspaceId": workspace_id, "name": "Databases", "matchText": "any event", "then": then}
    path = f"/v1/rules/{olga.post('/v1/rules', rule).json['id']}"
    read = olga.get(path, headers=ACCEPTING)
    tag = read.headers["ETag"]

    assert tag.startswith('W/"') and read.headers["Content-Encoding"] == "gzip"
    edited = olga.patch(path, {"name": "Databases 2"}, headers={"If-Match": tag})
    stale = olga.patch(path, {"name": "Databases 3"}, headers={"If-Match": tag})
    assert (edited.status_code, stale.status_code) == (200, 412)


def test_the_document_of_the_api_is_a_seventh_of_its_size(anonymous: Browser) -> None:
    plain, packed = anonymous.get("/v1/openapi.json"), anonymous.get("/v1/openapi.json", headers=ACCEPTING)

    assert orjson.loads(gzip.decompress(packed.get_data())) == plain.json
    assert len(packed.get_data()) < len(plain.get_data()) / 6
