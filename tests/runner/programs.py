"""Programs that tests need and that a bare machine lacks."""

from __future__ import annotations

import shutil

import pytest

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
"""Marks a test of commands for a shell. Pages and snippets send their requests with curl."""
