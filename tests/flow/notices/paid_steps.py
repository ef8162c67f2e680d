"""Steps with SMS and calls: a stand-in for Twilio, and people with numbers."""

from __future__ import annotations

from inbox.models.deliveries.destinations import Destination
from inbox.models.people.accounts import User
from inbox.models.people.contact_methods import ContactMethod
from tests.cast import present, typeid
from tests.flow.notices.paging_steps import rule_by
from tests.oncall import make_contact_method


def number_of(person: User, address: str, *providers: Destination, after: int = 0) -> list[ContactMethod]:
    """Contact methods of this person with the number, one for each provider. Their rules name these alone."""
    made = [
        make_contact_method(person, kind=each.kind, address=address, provider_id=each.id, confirmed_at=present())
        for each in providers
    ]
    rule_by(person, *((after, typeid("cme", each.id)) for each in made))
    return made
