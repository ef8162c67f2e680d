"""A receiver of signed webhooks in plain Python: checks each signature, prints each notice.

SECRET=whsec_... python3 receiver.py 9099
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 300


def genuine(headers, body):
    """Whether the body is what the inbox signed, lately (Standard Webhooks)."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    fresh = abs(time.time() - int(headers["webhook-timestamp"])) < TOLERANCE_SECONDS
    return fresh and any(hmac.compare_digest(expected, given) for given in headers["webhook-signature"].split())


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 to what is genuine and 401 to everything else."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if genuine(self.headers, body):
            notice = json.loads(body)
            print("verified", notice["type"], notice["data"]["title"], self.headers["webhook-id"], flush=True)
            self.send_response(204)
        else:
            self.send_response(401)
        self.end_headers()

    def log_message(self, *_):
        """Nothing but notices is printed."""


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
