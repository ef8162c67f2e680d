"""Delivery reports of services over HTTP: accepted, refused and repeated ones (specification 9.21)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.config.settings import current
from inbox.database.base import new_id
from inbox.destinations import Config
from inbox.identity import status_tokens
from inbox.identity.status_tokens import SentAttempt
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from tests.browser import Browser
from tests.cast import Cast, present
from tests.stand_ins.outgoing_posts import fresh, make_destination, make_incident, owe, store_destination

FORM = "application/x-www-form-urlencoded"
FAILED = {"MessageStatus": "failed", "ErrorCode": "30007"}


@pytest.fixture
def texting(cast: Cast) -> Destination:
    return store_destination(cast.workspace, "twilio_sms", Config({"to": "+491700000000"}), name="On call")


def sent_by(destination: Destination, cast: Cast, **more: Any) -> Delivery:
    """A delivery whose only attempt was accepted."""
    values = {"status": "sent", "attempt": 1, "due_at": None, "settled_at": present(), **more}
    return owe(destination, make_incident(cast), 1, **values)


def path(delivery: Delivery, *, number: int = 1, age: timedelta = timedelta()) -> str:
    attempt = SentAttempt(delivery.id, number)
    return f"/v1/status-callbacks/{status_tokens.issue(current().signing_key, attempt, present() - age)}"


def report(anonymous: Browser, address: str, form: Any = None, content_type: str = FORM) -> Any:
    """What a service sends: no origin, no cookie."""
    return anonymous.client.post(address, data=FAILED if form is None else form, content_type=content_type)


def test_a_report_is_accepted_without_a_credential(anonymous: Browser, cast: Cast, texting: Destination) -> None:
    delivery = sent_by(texting, cast)

    answer = report(anonymous, path(delivery))

    assert (answer.status_code, answer.data) == (204, b"")
    assert (fresh(delivery).status, fresh(delivery).cause) == ("failed", "undelivered")


def test_a_report_on_a_delivered_message_is_accepted(anonymous: Browser, cast: Cast, texting: Destination) -> None:
    delivery = sent_by(texting, cast)
    assert report(anonymous, path(delivery), {"MessageStatus": "delivered"}).status_code == 204
    assert fresh(delivery).status == "sent"


def test_a_report_before_the_result_is_recorded_is_sent_again(
    anonymous: Browser, cast: Cast, texting: Destination
) -> None:
    until = present() + timedelta(seconds=30)
    delivery = sent_by(texting, cast, status="sending", due_at=until, lease_until=until, settled_at=None)

    early = report(anonymous, path(delivery))
    assert (early.status_code, early.get_json()["code"], early.headers["Retry-After"]) == (503, "unavailable", "1")
    assert fresh(delivery).status == "sending"

    Delivery.update(status="sent", due_at=None, settled_at=present()).where(Delivery.id == delivery.id).execute()
    assert report(anonymous, path(delivery)).status_code == 204
    assert fresh(delivery).status == "failed"


@pytest.mark.parametrize("age", [status_tokens.LIFETIME, status_tokens.LIFETIME + timedelta(days=1)])
def test_an_old_token_is_refused(anonymous: Browser, cast: Cast, texting: Destination, age: timedelta) -> None:
    delivery = sent_by(texting, cast)

    answer = report(anonymous, path(delivery, age=age))

    assert (answer.status_code, answer.get_json()["code"]) == (403, "token_invalid")
    assert fresh(delivery).status == "sent"


def test_a_token_is_valid_until_its_end(anonymous: Browser, cast: Cast, texting: Destination) -> None:
    delivery = sent_by(texting, cast)
    age = status_tokens.LIFETIME - timedelta(minutes=1)
    assert report(anonymous, path(delivery, age=age)).status_code == 204
    assert fresh(delivery).status == "failed"


@pytest.mark.parametrize("change", [lambda text: text[:-3] + "AAA", lambda text: "A" + text, lambda text: "x" * 5_000])
def test_an_altered_token_is_refused(anonymous: Browser, cast: Cast, texting: Destination, change: Any) -> None:
    delivery = sent_by(texting, cast)
    start, _, token = path(delivery).rpartition("/")

    answer = report(anonymous, f"{start}/{change(token)}")

    assert (answer.status_code, answer.get_json()["code"]) == (403, "token_invalid")
    assert fresh(delivery).status == "sent"


def test_a_report_for_a_kind_without_reports_changes_nothing(anonymous: Browser, cast: Cast) -> None:
    delivery = sent_by(make_destination(cast.workspace, "https://example.org"), cast)
    assert report(anonymous, path(delivery)).status_code == 204
    assert fresh(delivery).status == "sent"


def test_a_report_on_a_deleted_delivery_is_accepted(anonymous: Browser, cast: Cast, texting: Destination) -> None:
    delivery = sent_by(texting, cast)
    delivery.id = new_id()
    assert report(anonymous, path(delivery)).status_code == 204


def test_a_report_is_a_form(anonymous: Browser, cast: Cast, texting: Destination) -> None:
    delivery = sent_by(texting, cast)
    assert report(anonymous, path(delivery), b"<x/>", "text/xml").status_code == 415
    assert report(anonymous, path(delivery), b"\xff=%ff&MessageStatus", FORM).status_code == 204
    assert fresh(delivery).status == "sent"


@pytest.mark.parametrize(("size", "status"), [(16 * 1024, 204), (16 * 1024 + 1, 413)])
def test_a_report_has_at_most_16_kib(
    anonymous: Browser, cast: Cast, texting: Destination, size: int, status: int
) -> None:
    body = b"MessageStatus=failed&x=".ljust(size, b"x")
    assert report(anonymous, path(sent_by(texting, cast)), body).status_code == status
