"""Fast ways: short code that replaces a full way for common inputs, to save milliseconds.

Each module here does part of a library's work for common inputs, and reports inputs that it cannot
handle. The full way always remains, and ``ZDEV_FULL=1`` in the environment turns all fast ways off:
both must give the same answers, and ``scripts/check`` runs commands and parity both ways. The
package imports nothing else of the program, so everything can use it. Savings for a whole process,
where a bare Python takes 12 ms and ``check --staged`` 31 ms (medians):

============  ===========================  ==========================================  =========
module        replaces                     measured with                               saves
============  ===========================  ==========================================  =========
``values``    ``dataclasses``              ``check --staged``, ``work-context``        34, 39 ms
``json``      ``json``                     ``goal --format=json``, ``work-context``    5, 5 ms
``toml``      ``tomllib``                  ``check --staged``, ``work-context``        10, 11 ms
``libgit2``   ``import pygit2``            ``work-context``                            53 ms
``index``     libgit2's index: entries     ``check --staged``                          6 ms
``index``     libgit2's index: marks       an index of 100,000 entries                 116 ms
============  ===========================  ==========================================  =========

``plan.records.tracked`` depends on ``index``; without it, the repository is opened. A fast way that
saves less than 3 ms is not kept.
"""

from __future__ import annotations

import os

OFF = os.environ.get("ZDEV_FULL") == "1"
"""Whether the full ways are used everywhere."""
