"""The address at which a tool posts its webhooks with a source key (specification 19.5)."""

from __future__ import annotations

import re

PLAIN_PATH = re.compile(r"/v1/hooks/(?P<tool>[A-Za-z0-9_-]{1,40})/?", re.ASCII)
"""The path of a plain webhook, also with a slash at its end.

Both readers of requests use it, so that no plain webhook reaches the framework.
"""
