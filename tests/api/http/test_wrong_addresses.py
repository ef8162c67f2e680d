"""The answer to a wrong address, a wrong method or an unknown parameter names the right one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]


@pytest.mark.parametrize(
    ("path", "intended"),
    [
        ("/events", "/v1/events"),
        ("/v1/event", "/v1/events"),
        ("/v1/events/", "/v1/events"),
        ("/api/v1/events", "/v1/events"),
        ("/api/events", "/v1/events"),
        ("/V1/Events", "/v1/events"),
        ("/v1//events", "/v1/events"),
        ("/v1/souces", "/v1/sources"),
        ("/v1/routing_profiles", "/v1/routing-profiles"),
        ("/incidents/inc_01h/acknowlege", "/v1/incidents/{incident_id}/acknowledge"),
        ("/healtz", "/healthz"),
        ("/problem/not_found", "/problems/{code}"),
    ],
)
def test_a_wrong_path_is_answered_with_the_right_one(path: str, intended: str, anonymous: Browser) -> None:
    answer = anonymous.client.get(path)

    assert (answer.status_code, answer.get_json(force=True)["code"]) == (404, "not_found")
    assert answer.get_json(force=True)["detail"] == f"There is nothing here. Did you mean `{intended}`?"


@pytest.mark.parametrize("path", ["/nothing/like/it", "/", "/v1/" + "x" * 5_000, "/v1/" + "a/" * 200, "/favicon.ico"])
def test_a_path_that_is_near_none_is_just_not_found(path: str, anonymous: Browser) -> None:
    answer = anonymous.client.post(path, content_type="application/json")

    assert answer.status_code in (404, 405) and "Did you mean" not in answer.get_data(as_text=True)


def test_a_secret_in_a_wrong_path_is_not_repeated(anonymous: Browser) -> None:
    answer = anonymous.get("/v1/sources/svc_src_abcdefgh/keis")

    assert "`/v1/sources/{source_id}/keys`" in answer.json["detail"] and "abcdefgh" not in answer.get_data(as_text=True)


def test_a_wrong_method_is_answered_with_the_right_ones(anonymous: Browser) -> None:
    answer = anonymous.call("PUT", "/v1/events")

    assert (answer.status_code, answer.json["detail"]) == (405, "This address accepts GET, HEAD, POST.")
    assert answer.headers["Allow"] == "GET, HEAD, POST"


def test_an_unknown_parameter_is_answered_with_the_known_ones(browser: Browsers, cast: Cast) -> None:
    answer = browser("mia").get("/v1/sources?nmae=x")
    [fault] = answer.json["errors"]

    assert (answer.status_code, fault["pointer"]) == (422, "/query/nmae")
    assert (
        fault["detail"] == "Unknown parameter. Use one of: cursor, deleted, limit, offset, order, q, sort, workspaceId."
    )


def test_an_address_without_parameters_says_so(browser: Browsers, cast: Cast) -> None:
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"
    [fault] = browser("mia").get(f"{path}?x=1").json["errors"]

    assert fault == {"pointer": "/query/x", "detail": "This address accepts no parameters."}
