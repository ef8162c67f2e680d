"""The actions of the audit log (specification 12.8)."""

from __future__ import annotations

from typing import Literal, get_args

AuditAction = Literal[
    "account.created",
    "account.changed",
    "account.closed",
    "email.change_requested",
    "email.changed",
    "email.verified",
    "password.changed",
    "password.reset",
    "session.started",
    "session.ended",
    "session.reauthenticated",
    "session.refused",
    "session.throttled",
    "factor.added",
    "factor.removed",
    "factor.recovery_codes_replaced",
    "identity.linked",
    "identity.unlinked",
    "chat_account.linked",
    "chat_account.unlinked",
    "browser.trusted",
    "browser.untrusted",
    "device.paired",
    "device.renamed",
    "device.revoked",
    "device.push_changed",
    "workspace.created",
    "workspace.changed",
    "workspace.default_route_changed",
    "workspace.exported",
    "workspace.closed",
    "audit_log.exported",
    "member.joined",
    "member.role_changed",
    "member.removed",
    "member.left",
    "member.forwarded",
    "member.forwarding_ended",
    "invite.created",
    "invite.accepted",
    "invite.withdrawn",
    "source.created",
    "source.changed",
    "source.deleted",
    "source.restored",
    "source.tested",
    "key.created",
    "key.rotated",
    "key.revoked",
    "rule.created",
    "rule.changed",
    "rule.deleted",
    "rule.restored",
    "rule.reordered",
    "routing_profile.created",
    "routing_profile.changed",
    "routing_profile.deleted",
    "routing_profile.restored",
    "silence.created",
    "silence.changed",
    "silence.extended",
    "silence.ended",
    "silence.deleted",
    "silence.restored",
    "schedule.created",
    "schedule.changed",
    "schedule.deleted",
    "schedule.restored",
    "schedule.override_created",
    "schedule.override_changed",
    "schedule.override_removed",
    "monitor.created",
    "monitor.changed",
    "monitor.paused",
    "monitor.resumed",
    "monitor.pinged",
    "monitor.token_rotated",
    "monitor.badge_created",
    "monitor.badge_removed",
    "monitor.deleted",
    "watcher.created",
    "watcher.changed",
    "watcher.deleted",
    "destination.created",
    "destination.changed",
    "destination.deleted",
    "destination.restored",
    "destination.tested",
    "destination.link_used",
    "destination.button_used",
    "destination.replayed",
    "destination.retried",
    "delivery.replayed",
    "user.changed",
    "instance.purged",
    "event.released",
    "secrets.rotated",
]
"""Noun and verb in the past tense. The type checker refuses an entry with another action."""

ACTIONS: tuple[str, ...] = get_args(AuditAction)
"""All actions. The API documents this list."""

SUBJECTS = {
    "workspace": "Workspace",
    "audit_log": "Audit log",
    "member": "Members",
    "invite": "Invites",
    "source": "Sources",
    "key": "Source keys",
    "rule": "Rules",
    "routing_profile": "Routing profiles",
    "silence": "Silences",
    "schedule": "On-call schedules",
    "monitor": "Heartbeat monitors",
    "watcher": "Watchers",
    "destination": "Destinations",
    "delivery": "Deliveries",
    "chat_account": "Linked chat accounts",
    "event": "Events",
    "account": "Accounts",
    "email": "Email addresses",
    "password": "Passwords",
    "session": "Sessions",
    "factor": "Factors",
    "identity": "Linked identities",
    "browser": "Trusted browsers",
    "device": "Devices",
    "user": "People",
    "instance": "Instance",
    "secrets": "Secrets",
}
"""The label of each subject, the part of an action before the dot. Subjects of workspaces come first."""

OF_WORKSPACES = frozenset(list(SUBJECTS)[:16])
"""The subjects whose actions have a workspace. The others are in the logs of accounts and of the instance."""


def subject(action: str) -> str:
    """Returns the subject of an action: `member` of `member.role_changed`."""
    return action.partition(".")[0]


def label(action: str) -> str:
    """Returns the action for people: `Member: role changed` for `member.role_changed`."""
    noun, _, verb = action.replace("_", " ").partition(".")
    return f"{noun.capitalize()}: {verb}"
