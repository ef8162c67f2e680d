"""Data of a condition builder: the vocabulary of matches, and values of recent events (specification 6.3).

It completes the blueprint of `inbox.api.routing.rules`.
"""

from __future__ import annotations

from typing import Any

from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, readable_workspaces
from inbox.api.routing.rules import blp
from inbox.api.routing.schemas.vocabulary import Suggestions, SuggestionsQuery, Vocabulary
from inbox.domain.routing.matchers.vocabulary import vocabulary
from inbox.services.routing.suggestions import suggested

__all__ = ["blp"]


@blp.route("/vocabulary", methods=["GET"], endpoint="vocabulary")
@EndpointPolicy(USER, workspace_from="none", section="6.3")
@blp.response(200, Vocabulary)
def read_vocabulary() -> dict[str, Any]:
    """Get the vocabulary of matches

    The fields of events with their operators and values, the labels of operators, and the limits of a match.
    """
    return vocabulary()


@blp.route("/suggestions", methods=["GET"], endpoint="suggestions")
@EndpointPolicy(USER, VIEWER, section="6.3")
@blp.arguments(SuggestionsQuery, location="query")
@blp.response(200, Suggestions)
def read_suggestions(args: dict[str, Any]) -> dict[str, Any]:
    """List suggestions for a value

    Values of one field that begin with `prefix` in any case. They come from the newest events of all the caller's
    workspaces, or of one.
    """
    workspace_ids = readable_workspaces(args.get("workspace_id"))
    return {"items": suggested(workspace_ids, args["field"], args["prefix"])}
