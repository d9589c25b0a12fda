"""Work handed to a worker and taken back, each step behind a gate.

``gates`` compares what was handed out with what is there now, ``replies`` reads what workers and
verifiers answer, and ``coordinator`` runs a task from its handoff to its commit with callables as
workers. Nothing here prints.
"""
