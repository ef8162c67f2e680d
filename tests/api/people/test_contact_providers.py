"""Contact methods through a provider of a workspace: SMS, and kinds of one person (specification 23.18)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import orjson
import pytest

from inbox.destinations import Config
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.contact_methods import ContactMethod
from inbox.models.records.audit import AuditEntry
from inbox.services.people import contact_codes
from tests.api.people.links_steps import Browsers, InSettings
from tests.cast import Cast, present, typeid
from tests.oncall import make_contact_method
from tests.stand_ins.outgoing_posts import store_destination
from tests.stand_ins.receivers import Receiver
from tests.stand_ins.twilio import ADAMS, MIAS, TwilioServer, make_provider

ALL = "/v1/me/contact-methods"


@pytest.fixture
def twilio() -> Iterator[TwilioServer]:
    with TwilioServer() as server:
        yield server


@pytest.fixture
def provider(cast: Cast, twilio: TwilioServer) -> Destination:
    return make_provider(cast.workspace, twilio)


def new(provider: Destination, address: str = MIAS) -> dict[str, Any]:
    return {"kind": provider.kind, "address": address, "providerId": typeid("dst", provider.id)}


def code_in(twilio: TwilioServer) -> str:
    return re.findall(r"\b\d{6}\b", twilio.texts()[-1][1])[0]


def test_a_number_is_confirmed_by_the_code_that_is_sent_to_it(
    browser: Browsers, provider: Destination, twilio: TwilioServer
) -> None:
    made = browser("mia").post(ALL, new(provider))

    assert (made.status_code, made.json["confirmedAt"], made.json["kind"]) == (201, None, "twilio_sms")
    assert [to for to, _ in twilio.texts()] == [MIAS]
    confirmed = browser("mia").post(f"{ALL}/{made.json['id']}/confirm", {"code": code_in(twilio)})
    assert confirmed.json["confirmedAt"] is not None
    rules = {"default": [{"afterMinutes": 0, "method": made.json["id"]}], "critical": []}
    assert browser("mia").put("/v1/me/notification-rules", rules).json["problems"] == []


def test_members_see_the_providers_of_their_workspaces_without_settings(
    browser: Browsers, provider: Destination, twilio: TwilioServer, cast: Cast
) -> None:
    make_provider(cast.workspace, twilio, name="For incidents alone", for_contact_methods=False)

    [found] = browser("vic").get(f"{ALL}/providers").json["items"]

    assert (found["id"], found["label"], found["workspaceName"]) == (
        typeid("dst", provider.id), "SMS", cast.workspace.name,
    )  # fmt: skip
    assert "config" not in found and "+15550100" not in str(found)
    assert browser("eve").get(f"{ALL}/providers").json["items"] == []


def test_a_provider_of_others_or_one_that_is_not_offered_is_refused(
    browser: Browsers, provider: Destination, cast: Cast, twilio: TwilioServer
) -> None:
    closed = make_provider(cast.workspace, twilio, for_contact_methods=False)

    for who, chosen in (("eve", provider), ("mia", closed)):
        refused = browser(who).post(ALL, new(chosen))
        assert (refused.status_code, [each["pointer"] for each in refused.json["errors"]]) == (422, ["/providerId"])
    assert twilio.sent == []


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"address": "0170 0000001"}, "/address"),
        ({"address": "+4917000000012345"}, "/address"),
        ({"kind": "telegram"}, "/kind"),
        ({"kind": "email", "address": "mia@example.net"}, "/providerId"),
        ({"kind": "email", "address": MIAS}, "/address"),
    ],
)
def test_a_wrong_address_or_kind_is_refused(
    browser: Browsers, provider: Destination, change: dict[str, Any], pointer: str
) -> None:
    refused = browser("mia").post(ALL, {**new(provider), **change})

    assert (refused.status_code, [each["pointer"] for each in refused.json["errors"]]) == (422, [pointer])


def test_a_number_that_the_service_refuses_is_not_kept(
    browser: Browsers, provider: Destination, twilio: TwilioServer
) -> None:
    twilio.refuses = 21211

    refused = browser("mia").post(ALL, new(provider))

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert "could not be sent" in refused.json["detail"]
    assert not ContactMethod.select().exists()


def test_a_number_is_one_contact_method_of_a_person(browser: Browsers, provider: Destination) -> None:
    assert browser("mia").post(ALL, new(provider)).status_code == 201
    assert browser("mia").post(ALL, new(provider)).status_code == 409
    assert browser("adam").post(ALL, new(provider)).status_code == 201


def test_codes_to_one_number_are_limited_by_the_day_over_all_people(
    browser: Browsers, provider: Destination, in_settings: InSettings, cast: Cast
) -> None:
    in_settings(rate_limits=True)
    method = make_contact_method(cast.users["mia"], kind="twilio_sms", address=MIAS, provider_id=provider.id)
    path = f"{ALL}/{typeid('cme', method.id)}/send-code"

    answers = [browser("mia").post(path).status_code for _ in range(contact_codes.CODES_PER_DAY + 1)]

    assert answers == [*[204] * contact_codes.CODES_PER_DAY, 429]
    assert browser("adam").post(ALL, new(provider)).status_code == 429
    assert browser("adam").post(ALL, new(provider, ADAMS)).status_code == 201


def test_rules_say_that_a_provider_is_gone(browser: Browsers, provider: Destination, cast: Cast) -> None:
    method = make_contact_method(
        cast.users["mia"], kind="twilio_sms", address=MIAS, provider_id=provider.id, confirmed_at=present()
    )
    rules = {"default": [{"afterMinutes": 0, "method": typeid("cme", method.id)}], "critical": []}
    assert browser("mia").put("/v1/me/notification-rules", rules).json["problems"] == []

    Destination.update(for_contact_methods=False).execute()

    assert browser("mia").get("/v1/me/notification-rules").json["problems"] == ["method_fails", "unreachable"]
    Destination.delete().where(Destination.id == provider.id).execute()  # as the purge does
    assert not ContactMethod.select().exists()
    assert browser("mia").get("/v1/me/notification-rules").json["problems"] == ["method_fails", "unreachable"]


def test_only_kinds_that_reach_one_person_are_offered(browser: Browsers, cast: Cast, provider: Destination) -> None:
    webhook = store_destination(cast.workspace, "webhook", Config({"url": "http://127.0.0.1:9/"}, {}))

    offered = browser("adam").patch(f"/v1/destinations/{typeid('dst', webhook.id)}", {"forContactMethods": True})
    assert (offered.status_code, [each["pointer"] for each in offered.json["errors"]]) == (422, ["/forContactMethods"])
    path = f"/v1/destinations/{typeid('dst', provider.id)}"
    assert browser("adam").patch(path, {"forContactMethods": False}).json["forContactMethods"] is False
    assert browser("mia").patch(path, {"forContactMethods": True}).status_code == 403


def test_a_topic_of_ntfy_is_confirmed_by_its_code(browser: Browsers, cast: Cast) -> None:
    with Receiver() as ntfy:
        public = {"server": f"http://127.0.0.1:{ntfy.port}", "topic": "team", "actionLinks": False}
        provider = store_destination(cast.workspace, "ntfy", Config(public), name="ntfy", for_contact_methods=True)

        made = browser("mia").post(ALL, new(provider, "mia-3f9a2c"))

    [request] = ntfy.requests
    assert (made.status_code, request.json["topic"]) == (201, "mia-3f9a2c")
    assert re.search(r"\d{6}", request.json["title"])


def test_no_audit_entry_and_no_answer_to_others_has_the_number(
    browser: Browsers, provider: Destination, twilio: TwilioServer, cast: Cast
) -> None:
    made = browser("mia").post(ALL, new(provider))
    browser("mia").post(f"{ALL}/{made.json['id']}/confirm", {"code": code_in(twilio)})

    entries = orjson.dumps([[each.target, each.details] for each in AuditEntry.select()]).decode()
    assert MIAS not in entries
    for path in ("/v1/destinations", f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/members", ALL):
        assert MIAS not in browser("adam").get(path).text


def test_an_old_code_does_not_confirm(browser: Browsers, provider: Destination, twilio: TwilioServer) -> None:
    made = browser("mia").post(ALL, new(provider))
    ContactMethod.update(code_expires_at=present() - timedelta(seconds=1)).execute()

    assert browser("mia").post(f"{ALL}/{made.json['id']}/confirm", {"code": code_in(twilio)}).status_code == 422
