"""The agent as one file for other machines, and its checksum (specification 21.1)."""

from __future__ import annotations

from flask import Response

from agent import bundle
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import NONE, EndpointPolicy

blp = Blueprint("agent_file", __name__, description="The agent `inbox.py` for hosts and jobs.", section="21.1")


@blp.route("/inbox.py", methods=["GET"], endpoint="read")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, {"type": "string"}, content_type="text/x-python")
def read() -> Response:
    """Download the agent

    One file that runs on Python 3.8 and later without further packages: `python3 inbox.py --help`.
    """
    return Response(bundle.source(), mimetype="text/x-python")


@blp.route("/inbox.py.sha256", methods=["GET"], endpoint="checksum")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, {"type": "string"}, content_type="text/plain")
def checksum() -> Response:
    """Download the checksum of the agent

    For `sha256sum -c`.
    """
    return Response(f"{bundle.checksum()}  inbox.py\n", mimetype="text/plain")
