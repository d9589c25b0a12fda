"""Many files and one commit, or nothing."""

from git_zdev.publication.attempt import PublishResult
from git_zdev.publication.recovery import Recovery, recover, refuse_interrupted
from git_zdev.publication.transaction import Transaction, transaction
from git_zdev.publication.watch import Watched

__all__ = [
    "PublishResult",
    "Recovery",
    "Transaction",
    "Watched",
    "recover",
    "refuse_interrupted",
    "transaction",
]
