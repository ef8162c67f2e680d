"""The certificate authorities that outgoing TLS trusts: receivers, identity providers, mail servers."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def trust(*files: str) -> ssl.SSLContext:
    """Returns the context of outgoing connections, one for all clients of the process.

    It trusts the authorities of the operating system and those in the files, of which an empty name has none. Reading
    them takes some 60 ms and a megabyte.
    """
    context = ssl.create_default_context()
    for file in filter(None, files):
        context.load_verify_locations(file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
