"""Profiles of hypothesis for the three ways in which the tests are run, and signals."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# Time limits on examples fail on busy machines, not on wrong code.
settings.register_profile("default", deadline=None)
# The same examples on every run, so that a red build can be repeated.
settings.register_profile("ci", deadline=None, derandomize=True)
# Sanitizers make the core several times slower, and one example of a kind is enough for them.
settings.register_profile(
    "sanitize",
    deadline=None,
    derandomize=True,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "default")
)

# Shells let background jobs ignore Ctrl-C, and then what tests interrupt would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)
