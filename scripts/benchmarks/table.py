"""The benchmarks by name, and the command line that runs them."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

BENCHMARKS = {
    "derive": ("benchmarks.derive", "tasks derive apply against one git commit"),
    "evidence": ("benchmarks.evidence", "work-context against the git commands that it replaces"),
    "snapshots": ("benchmarks.snapshots", "storing, showing and comparing work contexts"),
    "start": ("benchmarks.start", "small commands, a hook among them, against Python itself"),
    "records": ("benchmarks.records", "next, check, goal and tasks list on plans of growing size"),
}
"""Name to module and summary. A module has ``add_options(parser)`` and
``measure(scratch, options) -> list[Group]``."""


def main() -> int:
    """Run one benchmark and print its tables."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    names = parser.add_subparsers(dest="name", required=True, metavar="NAME")
    for name, (module, summary) in BENCHMARKS.items():
        options = names.add_parser(name, help=summary)
        options.add_argument("--runs", type=int, default=15, help="runs of each candidate (15)")
        options.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
        options.add_argument(
            "--scratch", type=Path, help="where repositories are built (a temporary folder)"
        )
        importlib.import_module(module).add_options(options)
    arguments = parser.parse_args()
    module = importlib.import_module(BENCHMARKS[arguments.name][0])
    with tempfile.TemporaryDirectory(prefix="zdev-bench-", dir=arguments.scratch) as scratch:
        groups = module.measure(Path(scratch), arguments)
    if arguments.json:
        document = {
            "benchmark": arguments.name,
            "machine": {
                "cores": os.cpu_count(),
                "platform": platform.platform(),
                "python": platform.python_version(),
            },
            "groups": [group.as_document() for group in groups],
        }
        arguments.json.write_text(json.dumps(document, indent=2) + "\n")
        print(f"figures written to {arguments.json}", file=sys.stderr)
    return 0
