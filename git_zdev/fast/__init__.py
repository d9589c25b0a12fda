"""Fast ways: what stands beside a full way to save milliseconds at start.

Each module here does a part of what a library of Python does, for the inputs that are common, and
says so when an input is another. The full way is always there, and ``ZDEV_FULL=1`` in the
environment turns all fast ways off: both must give the same answers, and the tests run both ways.
It imports nothing of ours, so that everything may use it.
"""

from __future__ import annotations

import os

OFF = os.environ.get("ZDEV_FULL") == "1"
"""Whether the full ways are taken everywhere."""
