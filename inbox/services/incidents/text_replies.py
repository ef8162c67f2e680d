"""Replies to text messages: answers such as `15a`, and STOP (specification 23.21)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from inbox.config.settings import Settings
from inbox.destinations import KINDS, PAID
from inbox.destinations.twilio_sms import Texted, TwilioSms
from inbox.domain.deliveries.phone_answers import START_WORDS, STOP_WORDS, reply_of
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Unauthenticated
from inbox.flow.delivery import paid_messages
from inbox.flow.delivery.senders import decrypted_config
from inbox.flow.unit_of_work import work
from inbox.models.deliveries import reply_codes
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.reply_codes import Contact
from inbox.models.incidents.tables import Incident
from inbox.runtime.sealing import CannotUnseal
from inbox.services.incidents import phone_answers
from inbox.services.incidents.phone_answers import REFUSED, Answered
from inbox.services.people import contact_stops

HELP = "Reply with the number and a letter: 15a acknowledges, 15e escalates, 15r resolves. STOP ends these messages."
UNKNOWN_CODE = "No incident has this number any more."


def receive(
    provider_id: UUID, form: Mapping[str, str], signature: str, now: datetime, chosen: Settings
) -> tuple[str, str]:
    """Act on a text message to the number of a provider. Return the media type and the body for the service.

    Raises `Unauthenticated`, the same for an unknown destination and a wrong signature.
    """
    provider = Destination.get_or_none(
        Destination.id == provider_id, Destination.deleted_at.is_null(), Destination.owner_id.is_null()
    )
    kind = KINDS.get(provider.kind) if provider is not None else None
    if provider is None or not isinstance(kind, TwilioSms):
        raise Unauthenticated(REFUSED)
    try:
        config = decrypted_config(delivery_results.read(provider.id))
    except CannotUnseal:
        raise Unauthenticated(REFUSED) from None
    texted = kind.read(url_of(provider_id, chosen), form, signature, config)
    if texted is None:
        raise Unauthenticated(REFUSED)
    return "text/xml", kind.answer(_answer_to(provider, texted, now))


def url_of(provider_id: UUID, chosen: Settings) -> str:
    """Return the address to enter at Twilio for incoming messages."""
    return f"{chosen.base_url}/v1/destinations/{ids.encode(Prefix.DESTINATION, provider_id)}/text-messages"


def _answer_to(provider: Destination, texted: Texted, now: datetime) -> str:
    """Return the words to send back. A number of nobody gets none, and neither does STOP, which the carrier answers."""
    word = texted.words.strip().lower()
    if word in STOP_WORDS or word in START_WORDS:
        contact_stops.change(provider.id, texted.sender, is_stopped=word in STOP_WORDS, now=now)
        return ""
    contacts = reply_codes.contacts_of(provider.id, texted.sender)
    if not contacts:
        return ""
    words = _done(provider, contacts, texted, now)
    with work():
        is_admitted = paid_messages.admit_code(provider.workspace_id, contacts[0].user_id, PAID[provider.kind], now)
    return words if is_admitted else ""


def _done(provider: Destination, contacts: list[Contact], texted: Texted, now: datetime) -> str:
    reply = reply_of(texted.words)
    if reply is None:
        return HELP
    found = reply_codes.incident_of([each.destination_id for each in contacts], reply.code)
    if found is None:
        return UNKNOWN_CODE
    destination_id, incident_id = found
    (contact,) = (each for each in contacts if each.destination_id == destination_id)
    answered = Answered(
        contact.user_id, contact.workspace_id, destination_id, provider.kind, incident_id, reply.answer, texted.id
    )
    title = Incident.select(Incident.title).where(Incident.id == incident_id).scalar()
    return f"{phone_answers.act(answered, now)} {title}"[:160]
