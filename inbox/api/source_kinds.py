"""The catalogue of source kinds, and the snippets of a source (specification 19.7)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from inbox import settings
from inbox.api.blueprint import Blueprint
from inbox.api.policy import authorize
from inbox.api.schemas.source_kinds import SourceKinds, SourceSnippets
from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.intake import snippets
from inbox.intake.source_kind import MailPlace, SourceKind
from inbox.services import sources

blp = Blueprint("source_kinds", __name__, url_prefix="/v1", description="Ways in, and texts that use them.")


@blp.route("/source-kinds", methods=["GET"], endpoint="list")
@blp.response(200, SourceKinds)
def list_kinds() -> dict[str, Any]:
    """List the source kinds

    Every source accepts all of them, each with its kind of key.
    """
    return {"items": _kinds()}


@blp.route("/sources/<typeid(src):source_id>/snippets", methods=["GET"], endpoint="snippets")
@blp.response(200, SourceSnippets)
def list_snippets(source_id: UUID) -> dict[str, Any]:
    """List the snippets of a source

    Ready texts with the address of this instance. They contain no key: replace `keyPlaceholder`.
    """
    sent_id = ids.encode(Prefix.SOURCE, authorize(sources.find(source_id)).id)
    chosen = settings.current()
    mail = MailPlace(chosen.mail_in_domain, chosen.mail_in_port)
    items = [
        {
            "kind": kind.kind,
            "name": each.name,
            "label": each.label,
            "language": each.language,
            "key_kind": each.key_kind or kind.key_kind,
            "text": each.text(chosen.base_url, sent_id, mail),
            "expect": each.expect,
        }
        for kind in _kinds()
        for each in kind.snippets
    ]
    return {"key_placeholder": snippets.KEY, "items": items}


def _kinds() -> list[SourceKind]:
    """All kinds; mail only where this instance receives mails."""
    return [
        kind for kind in snippets.KINDS.values() if kind is not snippets.MAIL or settings.current().can_receive_mail
    ]
