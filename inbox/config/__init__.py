"""Configuration from the environment: all settings, their checks, and warnings about unknown ones."""
