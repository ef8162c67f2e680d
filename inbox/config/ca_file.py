"""The setting `INBOX_CA_FILE`."""

from __future__ import annotations

import os
import ssl
from typing import NewType

CaFile = NewType("CaFile", str)
"""The absolute path of a readable file of certificate authorities in PEM, or empty."""


def parse_ca_file(raw: str) -> CaFile:
    """Returns the path. Raises `ValueError` when the file cannot be read as certificates, so that the start stops."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(raw)
    except (OSError, ValueError):  # of which SSLError is one
        raise ValueError("must name a readable file of certificates in PEM") from None
    return CaFile(os.path.abspath(raw))
