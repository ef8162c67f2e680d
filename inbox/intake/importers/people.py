"""The people of another tool: an item for each, and the id by which schedules and profiles name them (specification 22.12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from inbox.domain.people.notification_rules import MAX_MINUTES, MAX_RULES
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.intake.importers import plan
from inbox.intake.importers.plan import Item, ItemKind, Plan

_NAMESPACE = UUID("7d0f5f6e-3b0e-4b53-9a34-3f0a8a2b1c9d")

LONGEST_EMAIL = 254
LONGEST_CONTACT = 320
MOST_CONTACTS = 10

_WORDS = {"push": "push", "email": "mail", "sms": "SMS", "voice": "a call"}

DEFAULT, CRITICAL = "default", "critical"
PUSH = "push"


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact method of a person: `email`, `sms` or `voice`, and its address."""

    kind: str
    address: str


@dataclass(slots=True)
class Person:
    """A person of another tool. `rules` are the notification rules: list, minutes, and contact; None stands for push."""

    reference: str
    name: str
    email: str
    contacts: list[Contact] = field(default_factory=list)
    rules: list[tuple[str, int, Contact | None]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class People:
    """The people of a set-up by the key that its schedules name them with. The key is compared without regard to case."""

    def __init__(self) -> None:
        self._by_key: dict[str, Person] = {}
        self._names: dict[UUID, str] = {}

    def __iter__(self) -> Iterator[Person]:
        """Yields each person once."""
        return iter({each.reference: each for each in self._by_key.values()}.values())

    def know(self, person: Person, *keys: str) -> None:
        """Adds a person with the keys that name them."""
        for key in filter(None, keys):
            self._by_key.setdefault(key.casefold(), person)
        self._names[placeholder(person.reference)] = person.name

    def find(self, *keys: str) -> Person | None:
        """Returns the person with the first of these keys that is known."""
        return next((found for key in keys if (found := self._by_key.get(key.casefold()))), None)

    def id_of(self, tool: str, name: str, *keys: str) -> UUID:
        """Returns the placeholder of a person. A person whom the tool does not list gets one by the first key."""
        person = self.find(*keys)
        if person is None:
            key = next(filter(None, keys), name)
            person = Person(reference(tool, key), plan.line(name) or plan.line(key), plan.line(key, LONGEST_EMAIL))
            self.know(person, *keys, name)
        return placeholder(person.reference)

    def name_of(self, id: UUID) -> str:
        """Returns the name of the person of a placeholder."""
        return self._names.get(id, plan.NO_NAME)


def reference(tool: str, key: str) -> str:
    """Returns the reference of a person of a tool."""
    return plan.line(f"{tool}:person:{key}", plan.REFERENCE_LIMIT)


def placeholder(person: str) -> UUID:
    """Returns the id that stands for the person with this reference until the import finds the member."""
    return uuid5(_NAMESPACE, person)


def typeid(person: str) -> str:
    """Returns the placeholder of a person as the API writes ids of users."""
    return ids.encode(Prefix.USER, placeholder(person))


def add(made: Plan, people: People) -> None:
    """Adds an item for each person. One without a mail address is left out, since nothing matches a member."""
    for person in made.reading(people):
        if "@" not in person.email or len(person.email) > LONGEST_EMAIL:
            made.leave_out(person.name, "The person has no mail address. Their turns stay empty.")
            continue
        contacts = _contacts(person)
        made.add(
            Item(
                ItemKind.PERSON,
                person.reference,
                plan.line(person.name) or person.email,
                _text(person, contacts),
                {
                    "email": person.email,
                    "contacts": [{"kind": each.kind, "address": each.address} for each in contacts],
                    "rules": _rules(person, contacts),
                },
                warnings=tuple(dict.fromkeys(person.warnings)),
            )
        )


def _contacts(person: Person) -> list[Contact]:
    """Returns the contact methods beside the address of the account."""
    own = person.email.casefold()
    others = (each for each in person.contacts if each.address.casefold() != own)
    return [each for each in dict.fromkeys(others) if 0 < len(each.address) <= LONGEST_CONTACT][:MOST_CONTACTS]


def _text(person: Person, contacts: Sequence[Contact]) -> str:
    """Returns what becomes of a person, without an address of a contact method."""
    parts = [f"{person.email}."]
    if contacts:
        kinds = ", ".join(_WORDS.get(each.kind, each.kind) for each in contacts)
        parts.append(f"Offered to the person, who confirms each by a code: {kinds}.")
    for name, rules in _rules(person, contacts).items():
        written = [_rule_text(each, contacts) for each in rules]
        if written:
            parts.append(
                f"Offered notification rules{' for critical incidents' * (name == CRITICAL)}: {', '.join(written)}."
            )
    return " ".join(parts)


def _rules(person: Person, contacts: Sequence[Contact]) -> dict[str, list[dict[str, Any]]]:
    """Returns both lists of rules. A rule names `push`, `email` for the account, or a contact method by its place."""
    places = {each: str(place) for place, each in enumerate(contacts)}
    found: dict[str, list[dict[str, Any]]] = {DEFAULT: [], CRITICAL: []}
    for name, minutes, contact in sorted(person.rules, key=lambda rule: rule[1]):
        method = PUSH if contact is None else places.get(contact, _account_mail(person, contact))
        used = {rule["method"] for rule in found[name]}
        if method and method not in used and len(used) < MAX_RULES and 0 <= minutes <= MAX_MINUTES:
            found[name].append({"afterMinutes": minutes, "method": method})
    return found


def _account_mail(person: Person, contact: Contact) -> str:
    return "email" if contact.address.casefold() == person.email.casefold() else ""


def _rule_text(rule: Mapping[str, Any], contacts: Sequence[Contact]) -> str:
    method = str(rule["method"])
    word = _WORDS[contacts[int(method)].kind] if method.isdecimal() else _WORDS[method]
    minutes = rule["afterMinutes"]
    return f"{word} after {minutes} min" if minutes else f"{word} at once"
