"""The fixed limits of configuration as code (specification 24)."""

from __future__ import annotations

from inbox.api.configuration import application, files, rule_previews, secrets, yaml_documents
from ops.chapters.fixed import Fixed

LIMITS = (
    Fixed("bytes of a configuration file", yaml_documents.MOST_BYTES, "24.1"),
    Fixed("values of a configuration file", yaml_documents.MOST_NODES, "24.1"),
    Fixed("files of a configuration directory", files.MOST_FILES, "24.1"),
    Fixed("records of configuration files", files.MOST_RECORDS, "24.1"),
    Fixed("seconds in which an application changes records", application.LONGEST_SECONDS, "24.2"),
    Fixed("events of the preview of a plan", rule_previews.AT_ONCE, "24.2"),
    Fixed("seconds of the preview of a plan", rule_previews.SECONDS, "24.2"),
    Fixed("bytes of a file with a secret", secrets.LARGEST_FILE, "24.3"),
)
"""The fixed limits, in the order of the sections."""
