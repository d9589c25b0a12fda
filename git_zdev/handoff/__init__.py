"""The handoff of work to a worker and back, with a gate at each step.

``gates`` has the values and protocols of a handoff, ``replies`` reads the answers of workers and
verifiers, and ``coordinator`` runs a task from its handoff to its completion with callables as
workers. Nothing here prints.
"""
