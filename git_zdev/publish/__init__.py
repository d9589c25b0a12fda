"""Many files and one commit, or nothing: how every writing command makes its plan visible.

A command takes a :func:`~transaction.transaction`, reads through :class:`~watch.Watched`, plans a
:class:`~git_zdev.ground.changeset.ChangeSet` as a value and publishes it once. Either all of it is
visible afterwards, or work tree, index file (bytes and time), HEAD and refs are as before.

The protocol
============

1.  *Look.* Under the state lock (``disk.lock``) everything that the plan rests on is checked:
    HEAD, index, the bytes of every file, what the command read, its own gates.
2.  *Write down the way back.* The journal (``disk.journal``) is built aside with the new bytes
    and hashes of the old ones, and renamed into place. From here on, whoever finds the journal
    without its writer can finish or undo.
3.  *Close the index.* ``index.lock`` becomes a second name of a file of the journal, whose content
    is the publication's random identity (a folder with such a file, where there are no hard links).
    Only who finds that identity in it may remove it.
4.  *Look again*, now that neither another writer nor another Git can act. A gate that looks at
    the whole work tree is passed here and not in step 1: only this answer counts, and who is
    refused here leaves as little behind, for nothing has been touched yet.
5.  *Exchange the files in* (``files``). Each displaced file is compared with what was expected; a
    stranger is exchanged back at once and the publication is undone.
6.  *Stage* in private copies of the index (``commit``): one that is to follow, and one for the
    commit, with HEAD's tree and the managed files. Where nothing else is staged the one is a copy
    of the other. The tree that this gives goes to the journal.
7.  *Commit.* ``git commit`` runs on the second copy. It starts at a pipe and is let go when its
    pid is in the journal: no commit of ours exists without a pid to wait for. Before the branch
    moves it asks (``git.commit_hooks``): a commit with another tree, on another parent or for
    another branch is refused before anybody can see it, and nobody answers once we are gone.
8.  *Judge by the branch*, not by exit codes: a commit on the recorded branch with the recorded
    parent and the planned tree is the publication. One of ours that a hook amended, moved or
    replayed since is known by what is in it and taken back.
9.  *Finish.* The index to follow is exchanged with the current one, and folders in which
    deletions left nothing are removed. The rename that takes the journal its name is the one
    moment at which a publication is over.

From the first rename to the last, readers see none of it (``reading``).

A plan of files only leaves out 3 and 6 to 8. Every failure before the last rename leads to the same
*undo* (``underway``): index and branch back, then the files, but only where our bytes still are;
what somebody changed after us stays, is named, and keeps the journal until ``recover
--keep-current``. What was written while hooks of the user ran is theirs, though: it is set aside
below ``zdev/set-aside``, and our files are put back or published all the same.

Killed processes
================

Nothing remembers how far it came. Undo and finish read off the disk what there is to do (hashes
of the file, the waiting one and the displaced one; the branch; the index) and may be killed and
repeated themselves. Recovery (``recovery``) waits for a ``git commit`` that outlived its parent,
asks the branch (step 8), then finishes or undoes. Where the user has committed or staged some of
the files meanwhile, it finishes the files and leaves the rest to them (``adoption``). Every
writing command recovers first; readers refuse meanwhile (``recovery.require_uninterrupted``).

Two things are simpler than they might be. The child asks no parent-death signal of the system: to
wait for its journaled pid is needed anyway, works everywhere, and a commit that was allowed to move
the branch is not cut off. And that ``index.lock`` is ours is proved by its content instead of its
inode, which also holds where the file system has no hard links.

What it cannot do: after a kill, ``index.lock`` stays until recovery, which is better than half
a plan in the index. Between the moves of branch and index the two disagree for a moment, which
Git does not avoid either. A hook that was orphaned runs on. Locks that a killed Git left on refs
stay.

A loss of power
===============

A kill takes nothing that was written; a loss of power does. So three times everything so far is on
the disk before it goes on: before files move, before the commit is let go, before the journal is
closed. For a plan with a commit the file system is flushed as a whole each time, where the system
can: at the last time nobody knows what Git wrote, and one flush costs less than to force a dozen
pieces one after the other. A plan of files only forces its pieces and flushes nobody else's.
"""
