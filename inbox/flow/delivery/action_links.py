"""The action links in a delivery's message: the acts that the reader may perform in the state shown (specification 9.15)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.config.settings import Settings
from inbox.destinations import KINDS, WITH_ACTION_LINKS
from inbox.destinations.setting_fields import ACTION_LINKS
from inbox.domain.explaining import notice_content
from inbox.domain.explaining.notice_content import ActionLink
from inbox.domain.incidents import state_machine
from inbox.domain.incidents.incident import State
from inbox.domain.incidents.state_machine import Transition
from inbox.identity import action_links
from inbox.identity.action_links import Permission
from inbox.models.deliveries.claims import ClaimedDelivery

PATH = "/act/"


def are_enabled(kind: str, public_config: Mapping[str, Any]) -> bool:
    """Returns whether messages of a destination with this kind and these settings have action links."""
    if kind not in WITH_ACTION_LINKS:
        return False
    default = {each.name: each.default for each in KINDS[kind].description.fields}[ACTION_LINKS]
    return bool(public_config.get(ACTION_LINKS, default))


def of_delivery(
    claimed: ClaimedDelivery, kind: str, public_config: Mapping[str, Any], settings: Settings
) -> tuple[ActionLink, ...]:
    """Returns the links of the message, valid from its notice; none for a test or a resolved incident."""
    if claimed.incident_id is None or not are_enabled(kind, public_config):
        return ()
    state = State(notice_content.of_body(claimed.body.encode()).state)
    return tuple(
        ActionLink(
            str(act).capitalize(),
            f"{settings.base_url}{PATH}"
            + action_links.issue(
                settings.signing_key, Permission(act, claimed.incident_id, claimed.destination_id), claimed.created_at
            ),
        )
        for act in action_links.ACTS
        if isinstance(state_machine.lookup(state, act), Transition)
    )
