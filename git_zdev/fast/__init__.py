"""Fast ways: shorter code beside a full way, to save milliseconds.

Each module here does part of the work of a library, for common inputs, and says so if an input is
not one of them. The full way is always there, and ``ZDEV_FULL=1`` in the environment turns
all fast ways off: both must give the same answers, and ``scripts/check`` runs commands and parity
both ways. It imports nothing of ours, so everything may use it. What each saves of a whole
process, where a bare Python takes 12 ms and ``check --staged`` 31 ms (medians):

============  ===========================  ==========================================  =========
module        beside                       measured with                               saves
============  ===========================  ==========================================  =========
``values``    ``dataclasses``              ``check --staged``, ``work-context``        34, 39 ms
``json``      ``json``                     ``goal --format=json``, ``work-context``    5, 5 ms
``toml``      ``tomllib``                  ``check --staged``, ``work-context``        10, 11 ms
``libgit2``   ``import pygit2``            ``work-context``                            53 ms
``index``     libgit2's index: entries     ``check --staged``                          6 ms
``index``     libgit2's index: marks       an index of 100,000 entries                 116 ms
============  ===========================  ==========================================  =========

``plan.records.tracked`` rests on ``index`` and is off with it: then the repository is opened. What
saves less than 3 ms is not kept.
"""

from __future__ import annotations

import os

OFF = os.environ.get("ZDEV_FULL") == "1"
"""Whether the full ways are taken everywhere."""
