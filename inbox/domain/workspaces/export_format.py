"""The format of an export of a workspace, which an import reads (specification 12.6, 12.12)."""

FORMAT = "incident-inbox-export"

VERSION = 2
"""The version of written exports. Version 2 added `stateBeforeSilence` of incidents and `openedAt` of pages."""

READABLE_VERSIONS = range(1, VERSION + 1)
"""The versions that an import reads."""
