"""Contact methods over HTTP: added, confirmed by a code, removed (specification 23.11)."""

from __future__ import annotations

import re
from datetime import timedelta

import orjson
import pytest

from inbox.models.people.contact_methods import ContactMethod
from inbox.models.records.audit import AuditEntry
from inbox.services.people import contact_codes
from tests.api.people.links_steps import Browsers, InSettings, old_hash, post  # noqa: F401
from tests.cast import Cast, present, typeid
from tests.oncall import CODE, make_contact_method
from tests.stand_ins.post_office import MAIL_FROM, PostOffice

ALL = "/v1/me/contact-methods"
ADDRESS = "mia@example.net"
NEW = {"kind": "email", "address": ADDRESS}


def path(method: ContactMethod, act: str = "") -> str:
    return f"{ALL}/{typeid('cme', method.id)}{act}"


def code_in(post: PostOffice) -> str:
    [taken] = post.delivered()
    assert taken.to == [ADDRESS]
    return re.findall(r"\b\d{6}\b", taken.text)[0]


def test_an_address_is_confirmed_by_the_code_that_is_mailed_to_it(browser: Browsers, post: PostOffice) -> None:
    made = browser("mia").post(ALL, NEW)

    assert (made.status_code, made.json["confirmedAt"]) == (201, None)
    confirmed = browser("mia").post(f"{ALL}/{made.json['id']}/confirm", {"code": code_in(post)})
    assert confirmed.status_code == 200 and confirmed.json["confirmedAt"] is not None
    assert browser("mia").get(ALL).json["items"] == [confirmed.json]


def test_others_neither_see_nor_change_the_contact_methods_of_a_person(browser: Browsers, cast: Cast) -> None:
    method = make_contact_method(cast.users["mia"])

    for name in ("olga", "eve"):
        assert browser(name).get(ALL).json["items"] == []
        assert browser(name).post(path(method, "/confirm"), {"code": CODE}).status_code == 404
        assert browser(name).delete(path(method)).status_code == 404
    assert ContactMethod.get_by_id(method.id).confirmed_at is None


def test_a_wrong_code_is_refused_and_the_right_one_still_works(browser: Browsers, cast: Cast) -> None:
    method = make_contact_method(cast.users["mia"])

    refused = browser("mia").post(path(method, "/confirm"), {"code": "999999"})

    assert (refused.status_code, [each["pointer"] for each in refused.json["errors"]]) == (422, ["/code"])
    assert browser("mia").post(path(method, "/confirm"), {"code": CODE}).status_code == 200


@pytest.mark.parametrize(("wrong", "status"), [(4, 200), (5, 422)])
def test_after_five_wrong_codes_the_right_one_is_refused(
    browser: Browsers, cast: Cast, wrong: int, status: int
) -> None:
    method = make_contact_method(cast.users["mia"])
    for _ in range(wrong):
        browser("mia").post(path(method, "/confirm"), {"code": "999999"})

    assert browser("mia").post(path(method, "/confirm"), {"code": CODE}).status_code == status


def test_an_old_code_is_refused(browser: Browsers, cast: Cast) -> None:
    method = make_contact_method(cast.users["mia"])
    ContactMethod.update(code_expires_at=present() - timedelta(seconds=1)).execute()

    assert browser("mia").post(path(method, "/confirm"), {"code": CODE}).status_code == 422


def test_a_new_code_ends_the_one_before_and_its_wrong_tries(browser: Browsers, cast: Cast, post: PostOffice) -> None:
    method = make_contact_method(cast.users["mia"], address=ADDRESS)
    ContactMethod.update(wrong_tries=contact_codes.MAX_WRONG_TRIES).execute()

    assert browser("mia").post(path(method, "/send-code")).status_code == 204

    assert browser("mia").post(path(method, "/confirm"), {"code": code_in(post)}).status_code == 200
    assert browser("mia").post(path(method, "/send-code")).status_code == 409


def test_codes_are_limited_by_the_hour(
    browser: Browsers, cast: Cast, post: PostOffice, in_settings: InSettings
) -> None:
    in_settings(smtp_url=post.server.url, mail_from=MAIL_FROM, rate_limits=True)
    method = make_contact_method(cast.users["mia"])
    answers = [
        browser("mia").post(path(method, "/send-code")).status_code for _ in range(contact_codes.CODES_PER_HOUR + 1)
    ]

    assert answers == [*[204] * contact_codes.CODES_PER_HOUR, 429]


def test_a_known_address_is_refused_in_any_case(browser: Browsers, cast: Cast, post: PostOffice) -> None:
    make_contact_method(cast.users["mia"], address=ADDRESS)

    for address in (ADDRESS.upper(), "MIA@example.org"):
        assert browser("mia").post(ALL, {**NEW, "address": address}).status_code == 409


@pytest.mark.parametrize(("there", "status"), [(9, 201), (10, 409)])
def test_a_person_has_at_most_ten_contact_methods(
    browser: Browsers,
    cast: Cast,
    post: PostOffice,
    there: int,
    status: int,
) -> None:
    for _ in range(there):
        make_contact_method(cast.users["mia"])

    assert browser("mia").post(ALL, NEW).status_code == status


def test_without_a_mail_server_no_address_is_added(browser: Browsers, cast: Cast) -> None:
    refused = browser("mia").post(ALL, NEW)

    assert refused.status_code == 409 and "INBOX_SMTP_URL" in refused.json["detail"]


def test_removing_one_that_a_rule_uses_is_refused(browser: Browsers, cast: Cast) -> None:
    method = make_contact_method(cast.users["mia"], confirmed_at=present())
    rules = {"default": [{"afterMinutes": 0, "method": typeid("cme", method.id)}], "critical": []}
    assert browser("mia").put("/v1/me/notification-rules", rules).status_code == 200

    assert browser("mia").delete(path(method)).status_code == 409
    browser("mia").put("/v1/me/notification-rules", {"default": [], "critical": []})
    assert browser("mia").delete(path(method)).status_code == 204
    assert not ContactMethod.select().exists()


def test_no_audit_entry_has_the_address(browser: Browsers, cast: Cast, post: PostOffice) -> None:
    made = browser("mia").post(ALL, NEW)
    browser("mia").post(f"{ALL}/{made.json['id']}/confirm", {"code": code_in(post)})
    browser("mia").delete(f"{ALL}/{made.json['id']}")

    entries = [each for each in AuditEntry.select() if each.action.startswith("contact_method.")]
    assert sorted(each.action.partition(".")[2] for each in entries) == ["added", "confirmed", "removed"]
    assert all(ADDRESS not in orjson.dumps([each.target, each.details]).decode() for each in entries)
