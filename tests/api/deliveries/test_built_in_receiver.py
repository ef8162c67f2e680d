"""The built-in receiver over HTTP: stored webhooks, their retention and their readers (specification 9.12)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from inbox.config.settings import Settings
from inbox.domain.deliveries.built_in_receiver import KEPT_SECONDS, MAX_REQUESTS
from inbox.domain.values.outbound_proxy import OutboundProxy
from inbox.runtime import queue
from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]
BODY = {"type": "incident.opened", "data": {"title": "Disk full"}}


def read(browser: Browser, cast: Cast) -> dict[str, Any]:
    answer = browser.get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/built-in-receiver")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.get_json()
    return found


def post(browser: Browser, url: str, body: Any, **headers: str) -> int:
    path = "/v1/" + url.split("/v1/")[1]
    data = json.dumps(body)
    answer = browser.client.post(path, data=data, headers={"Content-Type": "application/json", **headers})
    return int(answer.status_code)


def test_a_request_is_shown_as_it_arrived_with_the_headers_of_webhooks_only(browser: Browsers, cast: Cast) -> None:
    adam = browser("adam")
    url = read(adam, cast)["url"]
    signed = {"webhook-id": "dlv_1", "webhook-timestamp": "1", "webhook-signature": "v1,abc"}

    assert post(adam, url, BODY, Authorization="Bearer secret", **{"X-Other": "secret"}, **signed) == 204

    shown = read(adam, cast)
    (retained,) = shown["items"]
    assert retained["body"] == json.dumps(BODY)
    headers = {each["name"]: each["value"] for each in retained["headers"]}
    assert signed.items() <= headers.items()
    assert "secret" not in json.dumps(shown) and "inbox_session" not in json.dumps(shown)


def test_the_last_requests_are_kept_for_an_hour(browser: Browsers, cast: Cast) -> None:
    adam = browser("adam")
    url = read(adam, cast)["url"]

    for number in range(MAX_REQUESTS + 2):
        assert post(adam, url, {"number": number}) == 204

    retained = [json.loads(each["body"])["number"] for each in read(adam, cast)["items"]]
    assert retained == list(range(MAX_REQUESTS + 1, 1, -1))
    redis = queue.job_queues().redis
    assert 0 < redis.ttl(f"inbox:built_in_receiver:{cast.workspace.id.hex}") <= KEPT_SECONDS


def test_a_large_body_is_refused_and_not_kept(browser: Browsers, cast: Cast) -> None:
    adam = browser("adam")

    assert post(adam, read(adam, cast)["url"], {"text": "x" * 17_000}) == 413
    assert read(adam, cast)["items"] == []


def test_the_built_in_receiver_is_hidden_from_other_workspaces(browser: Browsers, cast: Cast) -> None:
    adam, eve = browser("adam"), browser("eve")
    url = read(adam, cast)["url"]
    post(adam, url, BODY)
    foreign = typeid("wsp", cast.foreign.id)

    assert eve.get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/built-in-receiver").status_code == 404
    own = eve.get(f"/v1/workspaces/{foreign}/built-in-receiver").get_json()
    assert (own["items"], own["url"] == url) == ([], False)
    assert post(eve, url[:-1] + ("A" if url[-1] != "A" else "B"), BODY) == 404


@pytest.mark.parametrize("name", ["vic", "mia"])
def test_only_administrators_read_the_built_in_receiver(browser: Browsers, cast: Cast, name: str) -> None:
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/built-in-receiver"

    assert browser(name).get(path).status_code == 403


def test_only_the_receiver_address_of_the_service_can_be_a_destination(
    browser: Browsers, cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    in_settings(base_url="http://127.0.0.1:8080", edition="hosted", allow_private_destinations=False)
    adam = browser("adam")
    shown = read(adam, cast)
    assert shown["unavailableBecause"] is None

    def saved(url: str) -> int:
        config = {"url": url, "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="}
        workspace = typeid("wsp", cast.workspace.id)
        body = {"workspaceId": workspace, "name": "Trial", "kind": "webhook", "config": config}
        return int(adam.post("/v1/destinations", body).status_code)

    assert saved(shown["url"]) == 201
    others = ["http://127.0.0.1:8080/v1/events", f"{shown['url']}/..", f"{shown['url']}?x=1", f"{shown['url'][:-2]}AA"]
    assert [saved(url) for url in others] == [422] * 4


def test_an_address_is_not_called_behind_a_proxy_and_the_answer_says_so(
    browser: Browsers, cast: Cast, in_settings: Callable[..., Settings]
) -> None:
    in_settings(base_url="http://127.0.0.1:8080", outbound_proxy=OutboundProxy.parse("http://10.0.0.1:3128"))

    assert "loopback" in read(browser("adam"), cast)["unavailableBecause"]


def test_the_built_in_receiver_is_unavailable_without_redis(browser: Browsers, cast: Cast) -> None:
    adam = browser("adam")
    url = read(adam, cast)["url"]
    queue.use(queue.JobQueues("redis://127.0.0.1:9/0"))

    assert post(adam, url, BODY) == 503
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/built-in-receiver"
    assert adam.get(path).status_code == 503
