"""A workspace with one record of every kind, for a person who sends the samples."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache, cached_property
from itertools import count
from typing import Any
from uuid import UUID

from inbox.config.settings import current
from inbox.database.base import new_id
from inbox.destinations import Config
from inbox.domain.deliveries import built_in_receiver
from inbox.domain.incidents.incident import Act
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RuleActions
from inbox.flow.unit_of_work import work
from inbox.identity import action_links, status_tokens, unsubscribe_links
from inbox.identity.action_links import Permission
from inbox.identity.status_tokens import SentAttempt
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.incidents.tables import Incident
from inbox.models.insight.views import SavedView
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import Session, User
from inbox.models.people.links import Invite
from inbox.models.people.trusted_browsers import TrustedBrowser
from inbox.models.routing.previews import RulePreview
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule as RoutingRule
from inbox.models.senders.sources import Source, SourceKey
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import chat_accounts, pairings, passwords, sessions, trusted_browsers
from inbox.services.people.chat_accounts import Account
from inbox.services.records import versions
from tests import proving
from tests.cast import join, make_key, make_source, make_user, make_workspace, present
from tests.database.stored import store
from tests.heartbeats import make_monitor
from tests.identity.authenticators import Authenticator
from tests.oncall import feed_id_of, make_contact_method, make_forwarding, make_override, make_schedule
from tests.proving import HOME
from tests.silences import make_silence
from tests.stand_ins.outgoing_posts import make_destination, make_incident, make_profile, owe, store_destination
from tests.stand_ins.phone import pair, session_of
from tests.watchers import make_watcher

PASSWORD = "a phrase of their own"


NOWHERE = "http://127.0.0.1:9/"


IN_FORCE = {
    "base_url": HOME,
    "edition": "hosted",
    "smtp_url": "smtp://127.0.0.1:1",
    "mail_from": "inbox@example.org",
}
"""Settings with which as many operations as possible can be answered with success."""


_numbers = count(1)


@cache
def _hash() -> str:
    return passwords.hashed(PASSWORD)


def somebody(**more: Any) -> User:
    """A new person with a password."""
    user = make_user(f"person-{next(_numbers)}", **{"password_hash": _hash(), **more})
    return User.get_by_id(user.id)


def some_workspace(**owners: User) -> Workspace:
    return make_workspace(f"Place-{next(_numbers)}", **owners)


@dataclass
class Stage:
    """A workspace with an owner, and `person`, whose own things the request is about: who sends it, if they can."""

    owner: User = field(default_factory=somebody)
    person: User = None  # type: ignore[assignment]
    session: Session = None  # type: ignore[assignment]
    workspace: Workspace = None  # type: ignore[assignment]
    device: UUID | None = None

    def __post_init__(self) -> None:
        self.workspace = self.workspace or some_workspace(owner=self.owner)
        self.act(self.owner)

    def act(self, person: User, token: str | None = None) -> None:
        """From here on it is about this person, in the session of this cookie or a new one."""
        self.person = person
        self.session = session_of(person) if token is None else Session.get(token_hash=sessions.digest(token))

    @cached_property
    def source(self) -> Source:
        return make_source(self.workspace, "Prometheus")[0]

    @cached_property
    def incident(self) -> Incident:
        return make_incident(self)  # type: ignore[arg-type]

    @cached_property
    def destination_id(self) -> UUID:
        return make_destination(self.workspace, NOWHERE).id

    def rule_id(self) -> UUID:
        place = RoutingRule.select().where(RoutingRule.workspace_id == self.workspace.id).count() + 1
        made = RoutingRule.create(
            id=new_id(), workspace_id=self.workspace.id, name="Databases", position=place, match={"all": []},
            actions=RuleActions(RuleAction.INCIDENT).record(), created_at=present(),
        )  # fmt: skip
        versions.record(made, versions.RULE_FIELDS, present())
        return made.id

    def deleted_rule_id(self) -> UUID:
        rule_id = self.rule_id()
        RoutingRule.update(deleted_at=present()).where(RoutingRule.id == rule_id).execute()
        return rule_id

    def deleted_profile_id(self) -> UUID:
        profile = make_profile(self.workspace, Destination.get_by_id(self.destination_id))
        RoutingProfile.update(deleted_at=present()).where(RoutingProfile.id == profile.id).execute()
        deleted_id: UUID = profile.id
        return deleted_id

    def preview_id(self) -> UUID:
        made = RulePreview.create(
            id=new_id(), workspace_id=self.workspace.id, request={}, created_at=present(),
            expires_at=present() + timedelta(hours=1),
        )  # fmt: skip
        return made.id

    @cached_property
    def profile(self) -> RoutingProfile:
        return make_profile(self.workspace, Destination.get_by_id(self.destination_id))

    @cached_property
    def schedule(self) -> OnCallSchedule:
        return make_schedule(self.workspace, self.owner)

    def override_id(self) -> UUID:
        """A coming override of the schedule that the person created."""
        tomorrow = present() + timedelta(days=1)
        times = {"starts_at": tomorrow, "ends_at": tomorrow + timedelta(hours=1)}
        override_id: UUID = make_override(self.schedule, self.person, **times).id
        return override_id

    def forwarding_id(self) -> UUID:
        """A forwarding of the person, who created it."""
        forwarding_id: UUID = make_forwarding(self.workspace, self.person, self.owner).id
        return forwarding_id

    def key_id(self) -> UUID:
        make_key(self.source)
        return SourceKey.get(SourceKey.source == self.source.id).id

    @cached_property
    def monitor(self) -> HeartbeatMonitor:
        return make_monitor(self.source)[0]

    def view_id(self) -> UUID:
        made = SavedView.create(
            id=new_id(), workspace_id=self.workspace.id, user=self.person, name="Mine", list="incidents",
            filters={"state": ["open"]}, created_at=present(),
        )  # fmt: skip
        return made.id

    def event_id(self) -> UUID:
        event = store(
            workspace_id=self.workspace.id, source_id=self.source.id, received_at=present(), occurred_at=present(),
            incident_id=self.incident.id, disposition="opened",
        )  # fmt: skip
        event_id: UUID = event.id
        return event_id

    def delivery_id(self) -> UUID:
        destination = Destination.get_by_id(self.destination_id)
        return owe(destination, self.incident, next(_numbers), status="failed", due_at=None, settled_at=present()).id

    def invite(self, **more: Any) -> tuple[UUID, str]:
        """An invitation and its token."""
        token = secrets.token_urlsafe(32)
        made = Invite.create(
            id=new_id(), workspace=self.workspace, token_hash=sessions.digest(token), role="viewer",
            created_by=self.owner, created_at=present(), expires_at=present() + timedelta(days=1), **more,
        )  # fmt: skip
        return made.id, token

    def member_id(self) -> UUID:
        other = somebody()
        join(self.workspace, other, "viewer")
        return other.id

    def link_token(self) -> str:
        """The token of a link that acknowledges the incident."""
        chat = make_destination(self.workspace, NOWHERE, kind="slack", name="Chat")
        permission = Permission(Act.ACKNOWLEDGE, self.incident.id, chat.id)
        return action_links.issue(current().signing_key, permission, present())

    def unsubscribe_token(self) -> str:
        """The token of a link in a mail that ends the mails of its destination."""
        config = Config({"to": "on-call@example.org"})
        mails = store_destination(self.workspace, "email", config, name="On call")
        return unsubscribe_links.issue(current().signing_key, mails.id, config.public["to"], present())

    def status_token(self) -> str:
        """The token with which a service reports on a message."""
        return status_tokens.issue(current().signing_key, SentAttempt(self.delivery_id(), 1), present())

    def offer_token(self) -> str:
        """The token of an offer to link a new chat account."""
        account = Account(self.workspace.id, "slack", f"T1/U{next(_numbers)}", "person")
        return chat_accounts.offer_url(account, present()).rpartition("/")[2]

    def chat_account_id(self) -> UUID:
        """A chat account that the person linked."""
        offer = chat_accounts.find_offer(self.offer_token(), present())
        return chat_accounts.link(offer, self.person.id, present()).id

    def trusted_browser_id(self) -> UUID:
        """A browser that the person's account trusts."""
        with work():
            trusted_browsers.trust(self.person.id, present(), user_agent="Firefox", earlier_token="")
        found: UUID = TrustedBrowser.select().order_by(TrustedBrowser.id.desc()).get().id
        return found

    def passkey_id(self) -> UUID:
        return proving.add_passkey(
            self.person, Authenticator(HOME, "localhost", user_handle=self.person.id.bytes), present()
        ).id

    def device_id(self) -> UUID:
        """The device that acts, or else another of the person's."""
        return self.device or pair(self.person).device_id


def _deleted(record: Any) -> UUID:
    """The id of this record, which is deleted now."""
    table = type(record)
    table.update(deleted_at=present()).where(table.id == record.id).execute()
    deleted_id: UUID = record.id
    return deleted_id


IDS: dict[str, Callable[[Stage], Any]] = {
    "token": lambda stage: built_in_receiver.token(current().signing_key, stage.workspace.id),
    "link_token": Stage.link_token,
    "offer_token": Stage.offer_token,
    "unsubscribe_token": Stage.unsubscribe_token,
    "status_token": Stage.status_token,
    "call_token": Stage.status_token,
    "chat_account_id": Stage.chat_account_id,
    "workspace_id": lambda stage: stage.workspace.id,
    "source_id": lambda stage: stage.source.id,
    "key_id": Stage.key_id,
    "event_id": Stage.event_id,
    "incident_id": lambda stage: stage.incident.id,
    "rule_id": Stage.rule_id,
    "deleted_rule_id": Stage.deleted_rule_id,
    "preview_id": Stage.preview_id,
    "silence_id": lambda stage: make_silence(stage.workspace, stage.person).id,
    "monitor_id": lambda stage: stage.monitor.id,
    "watcher_id": lambda stage: make_watcher(stage.source, watcher_id=f"host-{next(_numbers)}").id,
    "view_id": Stage.view_id,
    "destination_id": lambda stage: stage.destination_id,
    "schedule_id": lambda stage: stage.schedule.id,
    "override_id": Stage.override_id,
    "forwarding_id": Stage.forwarding_id,
    "feed_id": lambda stage: feed_id_of(stage.workspace, stage.person, stage.owner),
    "deleted_schedule_id": lambda stage: _deleted(make_schedule(stage.workspace, stage.owner)),
    "deleted_silence_id": lambda stage: _deleted(make_silence(stage.workspace, stage.person)),
    "deleted_source_id": lambda stage: _deleted(make_source(stage.workspace, "Gone")[0]),
    "deleted_destination_id": lambda stage: _deleted(make_destination(stage.workspace, NOWHERE)),
    "deleted_view_id": lambda stage: _deleted(SavedView.get_by_id(stage.view_id())),
    "profile_id": lambda stage: stage.profile.id,
    "deleted_profile_id": Stage.deleted_profile_id,
    "delivery_id": Stage.delivery_id,
    "notice_id": lambda stage: Delivery.get_by_id(stage.delivery_id()).notice_id,
    "invite_id": lambda stage: stage.invite()[0],
    "user_id": Stage.member_id,
    "session_id": lambda stage: session_of(stage.person).id,
    "passkey_id": Stage.passkey_id,
    "trusted_browser_id": Stage.trusted_browser_id,
    "device_id": Stage.device_id,
    "contact_method_id": lambda stage: make_contact_method(stage.person).id,
    "pairing_id": lambda stage: pairings.start(stage.person.id, stage.session.id, present())[0].id,
}
"""A new record of the stage for each name that an id has in a route."""
