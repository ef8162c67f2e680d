"""The people of another tool: an item for each, and the id by which schedules and profiles name them (specification 22.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from inbox.domain.people.notification_rules import MAX_MINUTES, MAX_RULES
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.intake.base import Node
from inbox.intake.importers import plan
from inbox.intake.importers.plan import Item, ItemKind, LeftOut, Plan

_NAMESPACE = UUID("7d0f5f6e-3b0e-4b53-9a34-3f0a8a2b1c9d")

LONGEST_EMAIL = 254
LONGEST_CONTACT = 320
MOST_CONTACTS = 10

_WORDS = {"push": "push", "email": "mail", "sms": "SMS", "voice": "a call"}

DEFAULT, CRITICAL = "default", "critical"
NO_METHOD = "Its contact method is not imported."
NO_DELAY = "Its delay cannot be read."


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact method of a person: `email`, `sms` or `voice`, and its address."""

    kind: str
    address: str


PUSH = Contact("push", "")
"""The app of the other tool on a phone. Push to the paired phones is its counterpart."""


Method = tuple[str, Contact | None]
"""The kind of a contact method in the other tool, and its counterpart. None is one that is not imported."""

NOTHING: Method = ("", None)


@dataclass(slots=True)
class Person:
    """A person of another tool. `rules` are the notification rules: list, minutes, and contact method."""

    reference: str
    name: str
    email: str
    contacts: list[Contact] = field(default_factory=list)
    rules: list[tuple[str, int, Contact]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def add_contact(self, kind: str, contact: Contact | None) -> None:
        """Adds a contact method. None is one without an address, or of a kind that has no counterpart."""
        if contact is not None:
            self.contacts.append(contact)
        else:
            self.warnings.append(f"The contact method of the type {_named(kind)} is not imported.")

    def add_rule(self, name: str, minutes: object, kind: str, contact: Contact | None, reason: str = NO_METHOD) -> None:
        """Adds a notification rule to a list. Without its contact method it is left out for this reason."""
        if contact is None:
            self.leave_out_rule(name, minutes, kind, reason)
        elif isinstance(minutes, int) and not isinstance(minutes, bool):
            self.rules.append((name, minutes, contact))
        else:
            self.leave_out_rule(name, minutes, kind, NO_DELAY)

    def leave_out_rule(self, name: str, minutes: object, kind: str, reason: str) -> None:
        """Warns that a notification rule is not imported."""
        of_list = " for critical incidents" * (name == CRITICAL)
        after = f" after {minutes:,} min" if isinstance(minutes, int) and minutes > 0 else ""
        self.warnings.append(f"The notification rule{of_list} by {_named(kind)}{after} is not imported. {reason}")


class People:
    """The people of a set-up by the key that its schedules name them with. The key is compared without regard to case."""

    def __init__(self) -> None:
        self.left_out: list[LeftOut] = []
        self._by_key: dict[str, Person] = {}
        self._names: dict[UUID, str] = {}

    def __iter__(self) -> Iterator[Person]:
        """Yields each person once."""
        return iter({each.reference: each for each in self._by_key.values()}.values())

    def record(self, tool: str, mark: str, name: str, email: str) -> Person | None:
        """Adds a person whom the tool lists. One without an id is left out: None."""
        address = plan.line(email, LONGEST_EMAIL)
        person = Person(reference(tool, mark), plan.line(name) or plan.line(address), address)
        if not mark:
            self.left_out.append(LeftOut(person.name, "The person has no id."))
            return None
        self.know(person, mark, email)
        return person

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


def add_methods(
    person: Person, methods: Iterable[Node], contact_of: Callable[[Node], Contact | None]
) -> dict[str, Method]:
    """Adds the contact methods of a person; returns them by their ids, by which the rules of the tool name them."""
    found = {}
    for each in methods:
        kind, contact = each.text("type"), contact_of(each)
        person.add_contact(kind, contact)
        found[each.text("id")] = kind, contact
    return found


def add(made: Plan, people: People) -> None:
    """Adds an item for each person. One without a mail address is left out, since nothing matches a member."""
    for entry in people.left_out:
        made.leave_out(entry.name, entry.reason)
    for person in made.reading(people):
        if "@" not in person.email or len(person.email) > LONGEST_EMAIL:
            made.leave_out(person.name, "The person has no mail address. Their turns stay empty.")
            continue
        contacts = _contacts(person)
        rules = _rules(person, contacts)
        made.add(
            Item(
                ItemKind.PERSON,
                person.reference,
                plan.line(person.name) or person.email,
                _text(person, contacts, rules),
                {
                    "email": person.email,
                    "contacts": [{"kind": each.kind, "address": each.address} for each in contacts],
                    "rules": rules,
                },
                warnings=plan.notes(person.warnings),
            )
        )


def _contacts(person: Person) -> list[Contact]:
    """Returns the contact methods beside the address of the account. Those that are not imported are warnings."""
    own = person.email.casefold()
    found = []
    for each in dict.fromkeys(person.contacts):
        if each == PUSH or each.address.casefold() == own:
            continue
        if not 0 < len(each.address) <= LONGEST_CONTACT:
            person.add_contact(_WORDS[each.kind], None)
        else:
            found.append(each)
    if len(found) > MOST_CONTACTS:
        person.warnings.append(f"Only the first {MOST_CONTACTS} of {len(found):,} contact methods are imported.")
    return found[:MOST_CONTACTS]


def _text(person: Person, contacts: Sequence[Contact], found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Returns what becomes of a person, without an address of a contact method."""
    parts = [f"{person.email}."]
    if contacts:
        kinds = ", ".join(_WORDS.get(each.kind, each.kind) for each in contacts)
        parts.append(f"Offered to the person, who confirms each by a code: {kinds}.")
    for name, rules in found.items():
        written = [_rule_text(each, contacts) for each in rules]
        if written:
            parts.append(
                f"Offered notification rules{' for critical incidents' * (name == CRITICAL)}: {', '.join(written)}."
            )
    return " ".join(parts)


def _rules(person: Person, contacts: Sequence[Contact]) -> dict[str, list[dict[str, Any]]]:
    """Returns both lists of rules. A rule names `push`, `email` for the account, or a contact method by its place.

    Rules that are not imported are warnings of the person.
    """
    places = {each: str(place) for place, each in enumerate(contacts)}
    found: dict[str, list[dict[str, Any]]] = {DEFAULT: [], CRITICAL: []}
    for name, minutes, contact in sorted(person.rules, key=lambda rule: rule[1]):
        method = PUSH.kind if contact == PUSH else places.get(contact, _account_mail(person, contact))
        fault = _fault(found[name], method, minutes)
        if fault:
            person.leave_out_rule(name, minutes, _WORDS[contact.kind], fault)
        else:
            found[name].append({"afterMinutes": minutes, "method": method})
    return found


def _fault(rules: Sequence[Mapping[str, Any]], method: str, minutes: int) -> str:
    """Returns why a list of rules takes no rule of this contact method; empty when it takes one."""
    if not method:
        return NO_METHOD
    if minutes < 0:
        return NO_DELAY
    if minutes > MAX_MINUTES:
        return f"A rule waits for at most {MAX_MINUTES:,} minutes."
    if any(rule["method"] == method for rule in rules):
        return "An earlier rule of the list names its contact method."
    return f"A list has at most {MAX_RULES} rules." if len(rules) >= MAX_RULES else ""


def _account_mail(person: Person, contact: Contact) -> str:
    return "email" if contact.address.casefold() == person.email.casefold() else ""


def _rule_text(rule: Mapping[str, Any], contacts: Sequence[Contact]) -> str:
    method = str(rule["method"])
    word = _WORDS[contacts[int(method)].kind] if method.isdecimal() else _WORDS[method]
    minutes = rule["afterMinutes"]
    return f"{word} after {minutes} min" if minutes else f"{word} at once"


def _named(kind: str) -> str:
    return plan.line(kind) or "unknown"
