"""Name, version, capabilities and limits of this instance (specification 13.2)."""

from __future__ import annotations

from typing import Any

from inbox import __version__
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.api.instance.schemas.info import InfoRecord
from inbox.config import settings
from inbox.domain.deliveries.delivery import ATTEMPTS, REFUSALS_TO_STOP
from inbox.domain.people.passwords import MIN_LENGTH
from inbox.domain.values import paging
from inbox.services.instance import capabilities, setup

blp = Blueprint(
    "info", __name__, url_prefix="/v1/info", description="Version and features of the instance.", section="13.2"
)

LIMITS: dict[str, Any] = {
    "batchEvents": 100,
    "bodyBytes": 2 * 1024 * 1024,
    "titleCharacters": 256,
    "bodyCharacters": 16_384,
    "typeCharacters": 128,
    "resourceCharacters": 128,
    "dedupKeyCharacters": 255,
    "externalIdCharacters": 255,
    "idempotencyKeyCharacters": 255,
    "urlCharacters": 2_048,
    "tags": 20,
    "tagCharacters": 64,
    "metadataKeys": 256,
    "metadataBytes": 32 * 1024,
    "occurredAtPastSeconds": 7 * 86_400,
    "occurredAtFutureSeconds": 300,
    "idempotencyWindowSeconds": 48 * 3_600,
    "pageItems": paging.MAX_LIMIT,
    "pageItemsUnlessSaid": paging.DEFAULT_LIMIT,
    "exportsPerMinute": 1,
    "rotatedKeySeconds": 24 * 3_600,
    "streamPingSeconds": 25,
    "usedByEntries": 20,
    "webhookRefusalsInARow": REFUSALS_TO_STOP,
    "attemptsMax": ATTEMPTS,
    "passwordCharacters": MIN_LENGTH,
    "aliasTokenCharacters": 15,
}
"""The limits of specification 17.1."""


@blp.route("/", methods=["GET"], endpoint="read")
@EndpointPolicy(NONE, workspace_from="none")
@blp.response(200, InfoRecord)
def read() -> dict[str, Any]:
    """Get instance information

    Public. `capabilities` lists the configured capabilities. Operations of other capabilities answer 404.
    """
    return instance_info()


def instance_info() -> dict[str, Any]:
    """Returns the attributes of `InfoRecord`."""
    chosen = settings.current()
    return {
        "name": chosen.name,
        "version": __version__,
        "edition": chosen.edition,
        "capabilities": capabilities.names(),
        "workspace_creation": chosen.workspace_creation,
        "setup_required": setup.is_required(),
        "limits": LIMITS,
        "problems_url": chosen.problems_url,
        "legal_links": chosen.legal_links,
    }
