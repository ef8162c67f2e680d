"""Bounds the batches of incidents that timers change, because each incident may notify every destination."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.flow.routing.batch import STEP_RECIPIENTS
from inbox.flow.routing.routing_config import RoutingConfig, routing_configs
from inbox.models.routing import routing_config as stored_config

MAX_INCIDENTS = 500
"""The number of incidents in one transaction. With more than 40 destinations it is lower."""


def config_of(workspace_id: UUID, now: datetime) -> RoutingConfig:
    """Returns the routing configuration of a workspace in the caller's transaction."""
    return routing_configs(stored_config.revisions([workspace_id]), now)[workspace_id]


def of_config(config: RoutingConfig, most: int = MAX_INCIDENTS) -> int:
    """Returns the number of incidents of a batch, at most `most`."""
    return min(most, max(1, STEP_RECIPIENTS // max(1, len(config.destination_ids or ()) + config.phones)))


def of_workspace(workspace_id: UUID, now: datetime, most: int = MAX_INCIDENTS) -> int:
    """Does the same as `of_config`, in the caller's transaction."""
    return of_config(config_of(workspace_id, now), most)
