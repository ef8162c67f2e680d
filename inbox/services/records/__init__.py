"""Use cases that all others share: audit entries, revisions, versions, limits and references of records."""
