"""Many files and one commit, or nothing: how every writing command makes its plan visible.

A command opens a :func:`~transaction.transaction`, reads through :class:`~watch.Watched`, plans a
:class:`~git_zdev.ground.changeset.ChangeSet` as a value and publishes it once. Either all of it is
visible afterwards, or work tree, index file (bytes and time), HEAD and refs are as before.

The protocol
============

1.  *Check.* Under the state lock (``disk.lock``) everything that the plan depends on is checked:
    HEAD, index, the bytes of every file, what the command read, its own gates.
2.  *Write the journal.* The journal (``disk.journal``) is built under another name with the new
    bytes and hashes of the old ones, and renamed into place. From here on, any process that finds
    the journal without its writer can finish or roll back.
3.  *Close the index.* ``index.lock`` becomes a second name of a file of the journal, whose content
    is the publication's random identity (without hard links, a folder with such a file). Only a
    process that finds its identity in it may remove it.
4.  *Check again*, now that neither another writer nor another Git can act. A gate that reads the
    whole work tree is checked here and not in step 1: only this answer counts, and a refusal here
    leaves nothing behind, because nothing has been changed yet.
5.  *Exchange the files* (``files``). Each displaced file is compared with the expected one. If they
    differ, the files are exchanged back at once and the publication is rolled back.
6.  *Stage* in private copies of the index (``commit``): one that will be the new index, and one for
    the commit, with HEAD's tree and the managed files. If nothing else is staged, the second is a
    copy of the first. The resulting tree is noted in the journal.
7.  *Commit.* ``git commit`` runs on the second copy. It waits at a pipe until its pid is in the
    journal: no commit of ours exists without a pid to wait for. Before the branch moves, it asks
    (``git.commit_hooks``): a commit with another tree, on another parent or for another branch is
    refused before anybody can see it, and once this program has ended nobody answers.
8.  *Judge by the branch*, not by exit codes: a commit on the recorded branch with the recorded
    parent and the planned tree is the publication. A commit of ours that a hook has amended, moved
    or replayed is recognized by its content and taken back.
9.  *Finish.* The new index is exchanged with the current one, and folders that deletions left
    empty are removed. The publication ends at the moment at which the journal is renamed.

From the first rename to the last, readers see none of it (``reading``).

A plan without a commit skips 3 and 6 to 8. Every failure before the last rename leads to the same
*rollback* (``underway``): first of index and branch, then of the files that still have our bytes.
Files that somebody changed after us stay, are named, and keep the journal until
``recover --keep-current``. Files that the user's hooks wrote are the user's: they are set aside
below ``zdev/set-aside``, and our files are still rolled back or published.

Killed processes
================

Progress is not stored. Rollback and finish find on the disk what is left to do (hashes of the file,
the waiting one and the displaced one; the branch; the index), and can themselves be killed and
repeated. Recovery (``recovery``) waits for a ``git commit`` that outlived its parent, inspects the
branch (step 8), then finishes or rolls back. If the user has committed or staged some of the files
in the meantime, it finishes the files and leaves the rest to the user (``adoption``). Every writing
command recovers first; readers refuse until then (``recovery.require_uninterrupted``).

Two things are simple on purpose. The child does not ask the system for a parent-death signal:
waiting for its journaled pid is needed anyway and works everywhere, and a commit that was allowed
to move the branch is not cut off. And the content of ``index.lock``, not its inode, proves that it
is ours, which also works on file systems without hard links.

Limits: after a kill, ``index.lock`` stays until recovery, which is better than half a plan in the
index. Between the moves of branch and index the two disagree for a moment, which Git does not avoid
either. An orphaned hook runs on. Locks on refs that a killed Git left stay.

A loss of power
===============

A kill loses nothing that was written, but a loss of power does. So everything is forced to the
disk three times: before files move, before the commit may begin, before the journal is closed. For
a plan with a commit the whole file system is flushed each time, if the system can: at the last time
nobody knows what Git wrote, and one flush costs less than forcing a dozen files one after another.
A plan without a commit forces only its own files.
"""
