"""Contact methods and notification rules that an import offers to a member (specification 22.12)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inbox.intake.importers.plan import Item, ItemKind
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.people.contact_methods import ContactMethod
from inbox.models.records.audit import AuditEntry
from inbox.services.people import contact_offers
from inbox.services.people.contact_offers import MAX_UNCONFIRMED
from inbox.services.senders.import_on_call import MALFORMED, MOST_OFFERED, NO_PROVIDER, Matches
from tests.api.imports import setups
from tests.api.imports.imports_steps import IMPORT, PREVIEW, adam  # noqa: F401  a fixture
from tests.api.imports.test_imports_on_call import of_file
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.twilio import TwilioServer, make_provider


def test_contact_methods_are_offered_unconfirmed_and_nothing_is_sent(
    adam: Browser, browser: Callable[[str], Browser], cast: Cast
) -> None:
    plan = adam.post(PREVIEW, of_file(cast, setups.opsgenie()))
    adam.post(IMPORT, of_file(cast, setups.opsgenie()))
    mia = browser("mia")

    offered = mia.get("/v1/me/contact-methods").json["items"]
    rule = [{"afterMinutes": 0, "method": offered[0]["id"]}]
    refused = mia.put("/v1/me/notification-rules", {"default": rule, "critical": []}, headers={"If-Match": "*"})

    assert [(each["address"], each["confirmedAt"]) for each in offered] == [("mia@private.example", None)]
    assert refused.json["errors"][0]["detail"] == "The contact method is not confirmed. Enter its code first."
    assert Mail.select().count() == 0
    assert "private.example" not in plan.text + repr(list(AuditEntry.select().dicts()))


def test_offers_leave_room_for_the_persons_own_contact_methods(cast: Cast) -> None:
    mia = cast.users["mia"].id
    contacts = [{"kind": "email", "address": f"mia{number}@private.example"} for number in range(9)]

    first = contact_offers.offer(mia, cast.workspace.id, contacts, {}, present())
    second = contact_offers.offer(mia, cast.workspace.id, contacts[4:], {}, present())

    assert (first, second) == (MAX_UNCONFIRMED, 0)
    assert ContactMethod.select().where(ContactMethod.user == mia).count() == MAX_UNCONFIRMED


def test_a_number_needs_a_provider_of_the_workspace_and_a_known_address_is_not_offered(cast: Cast) -> None:
    mia = cast.users["mia"]
    contacts = [
        {"kind": "sms", "address": "+4915112345678"},
        {"kind": "email", "address": mia.email.upper()},
        {"kind": "email", "address": "no address"},
    ]

    assert contact_offers.offer(mia.id, cast.workspace.id, contacts, {}, present()) == 0


@pytest.mark.parametrize(
    ("valid", "invalid", "has_provider", "warnings"),
    [
        (MAX_UNCONFIRMED, [], False, []),
        (MAX_UNCONFIRMED + 1, [], False, [MOST_OFFERED]),
        (1, ["sms", "email"], False, [NO_PROVIDER, MALFORMED.format("1 email")]),
        (1, ["sms", "sms", "email"], True, [MALFORMED.format("1 email, 2 sms")]),
    ],
)
def test_the_plan_says_which_contact_methods_are_not_offered(
    cast: Cast, valid: int, invalid: list[str], has_provider: bool, warnings: list[str]
) -> None:
    contacts = [{"kind": "email", "address": f"mia{number}@private.example"} for number in range(valid)]
    contacts += [{"kind": kind, "address": "none"} for kind in invalid]
    fields = {"email": cast.users["mia"].email, "contacts": contacts}
    person = Item(ItemKind.PERSON, "test:person:mia", "Mia", "", fields)
    with TwilioServer() as twilio:
        if has_provider:
            make_provider(cast.workspace, twilio)

        found = Matches.of(cast.workspace.id, [person]).warnings(person)

    assert found == warnings


def test_a_number_is_offered_with_the_provider_of_the_workspace_and_confirmed_by_its_code(
    browser: Callable[[str], Browser], cast: Cast
) -> None:
    contacts = [{"kind": "sms", "address": "+4915112345678"}]
    with TwilioServer() as twilio:
        provider = make_provider(cast.workspace, twilio)
        foreign = contact_offers.offer(cast.users["eve"].id, cast.foreign.id, contacts, {}, present())
        contact_offers.offer(cast.users["mia"].id, cast.workspace.id, contacts, {}, present())
        sent = len(twilio.texts())
        [method] = browser("mia").get("/v1/me/contact-methods").json["items"]
        browser("mia").post(f"/v1/me/contact-methods/{method['id']}/send-code")

        assert (foreign, sent, len(twilio.texts())) == (0, 0, 1)
        assert (method["kind"], method["providerId"]) == ("twilio_sms", typeid("dst", provider.id))


def test_rules_are_offered_to_a_person_without_rules_and_no_page_uses_them_before_they_are_saved(
    browser: Callable[[str], Browser], cast: Cast
) -> None:
    mia = cast.users["mia"].id
    contacts = [{"kind": "email", "address": "mia@private.example"}, {"kind": "sms", "address": "+4915112345678"}]
    rules = {
        "default": [{"afterMinutes": 0, "method": "push"}, {"afterMinutes": 5, "method": "0"}],
        "critical": [{"afterMinutes": 1, "method": "1"}, {"afterMinutes": 2, "method": "email"}],
    }

    contact_offers.offer(mia, cast.workspace.id, contacts, rules, present())

    read = browser("mia").get("/v1/me/notification-rules").json
    [method] = browser("mia").get("/v1/me/contact-methods").json["items"]
    assert (read["default"], read["critical"], read["rev"]) == ([], [], 0)
    assert read["offered"] == {
        "default": [{"afterMinutes": 0, "method": "push"}, {"afterMinutes": 5, "method": method["id"]}],
        "critical": [{"afterMinutes": 2, "method": "email"}],
    }
    kept = {"default": [{"afterMinutes": 3, "method": "email"}], "critical": []}
    saved = browser("mia").put("/v1/me/notification-rules", kept, headers={"If-Match": '"0"'})
    contact_offers.offer(mia, cast.workspace.id, contacts, rules, present())
    assert (saved.json["rev"], saved.json["offered"]) == (1, None)
    assert browser("mia").get("/v1/me/notification-rules").json["offered"] is None
