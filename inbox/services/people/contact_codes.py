"""Codes that confirm contact methods: their budget, their hash, and how they are sent (specification 23.11)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

from inbox.config import settings
from inbox.destinations import PAID
from inbox.domain.values.refusals import Conflict, RateLimited
from inbox.flow import mail_outbox
from inbox.flow.delivery import contact_codes as sending
from inbox.flow.delivery import paid_messages
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.limits import rates
from inbox.mail import templates
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.accounts import User
from inbox.models.people.contact_methods import ContactMethod

CODES_PER_HOUR = 10
"""The most codes that a person requests in an hour."""

CODES_PER_DAY = 5
"""The most codes that an address beside mail gets in a day, whoever requests them. Many of them cost money."""

CODE_LIFETIME = timedelta(minutes=15)
MAX_WRONG_TRIES = 5
"""The number of wrong codes after which the person must request a new one."""

NO_MAIL = "The operator has set no mail server (INBOX_SMTP_URL), so no address can be confirmed."
NOT_SENT = "The code could not be sent: the service answered with {reason}. Check the address, or ask an administrator."


USED_UP = "The calls or text messages of the day are used up, for you or for the workspace. Try again tomorrow."


def admit(method: ContactMethod, now: datetime) -> None:
    """Count a requested code. Raises `RateLimited`, and `Conflict` for mail without a mail server."""
    if method.provider_id is None and not settings.current().can_send_mail:
        raise Conflict(NO_MAIL)
    wait = rates.take(f"contact:code:{method.user_id}", CODES_PER_HOUR, CODES_PER_HOUR / 3_600, now)
    if not wait and method.provider_id is not None:
        address = hashlib.sha256(f"{method.kind}|{method.address}".encode()).hexdigest()[:32]
        wait = rates.take(f"contact:address:{address}", CODES_PER_DAY, CODES_PER_DAY / 86_400, now)
    if wait:
        raise RateLimited("Too many codes were requested.", retry_after=wait)


def renew(method: ContactMethod, person: User, done: AfterCommit, now: datetime) -> str:
    """Give the contact method a new code, and return it. A mail leaves with the transaction of the caller."""
    code = f"{secrets.randbelow(1_000_000):06}"
    method.code_hash, method.code_expires_at, method.wrong_tries = hash_of(method, code), now + CODE_LIFETIME, 0
    if method.provider_id is None:
        mail_outbox.enqueue(done, templates.fill("contact_code", name=person.name, code=code), method.address, now)
    return code


def send(method: ContactMethod, code: str, clock: Callable[[], datetime]) -> None:
    """Send the code through the provider, and wait for its answer. Raises `Conflict` if it did not accept the code."""
    if method.provider_id is None:
        return
    _admit_cost(method, clock())
    receipt = sending.send_code(method.provider_id, method.address, code, clock)
    if not receipt.is_accepted:
        raise Conflict(NOT_SENT.format(reason=receipt.reason))


def _admit_cost(method: ContactMethod, now: datetime) -> None:
    """Count a code that costs money. Raises `Conflict` beyond the limit of the day."""
    channel = PAID.get(method.kind)
    if channel is None:
        return
    with work():
        workspace_id = Destination.get_by_id(method.provider_id).workspace_id
        is_admitted = paid_messages.admit_code(workspace_id, method.user_id, channel, now)
    if not is_admitted:
        raise Conflict(USED_UP)


def is_right(method: ContactMethod, code: str, now: datetime) -> bool:
    """Return whether the code confirms the contact method."""
    if method.code_hash is None or method.code_expires_at is None or method.code_expires_at <= now:
        return False
    return method.wrong_tries < MAX_WRONG_TRIES and hmac.compare_digest(bytes(method.code_hash), hash_of(method, code))


def hash_of(method: ContactMethod, code: str) -> bytes:
    """Hash a code with the key of the instance, because a code alone has too few digits."""
    about = f"contact|{method.id}|{method.address}|{code}"
    return hmac.new(settings.current().signing_key.encode(), about.encode(), hashlib.sha256).digest()
