"""Work handed to a worker and taken back, each step behind a gate.

``gates`` has the values and protocols between a coordinator, its workers and the program,
``replies`` reads the answers of workers and verifiers, and ``coordinator`` runs a task from its
handoff to its completion with callables as workers. Nothing here prints.
"""
