"""Configuration as code: the records of a workspace as YAML files (specification 24)."""
