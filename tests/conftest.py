"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# No timed tests: how long an example takes depends on what else the machine is doing.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
