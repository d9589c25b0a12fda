"""Many files and one commit, or nothing: how every writing command makes its plan visible.

A command takes a :func:`~transaction.transaction`, reads through :class:`~watch.Watched`, plans a
:class:`~git_zdev.ground.changeset.ChangeSet` as a value and publishes it once. Either all of it is
visible afterwards, or work tree, index file (bytes and time), HEAD and refs are as before.

The protocol
============

1.  *Look.* Under the state lock (``disk.lock``) everything that the plan rests on is checked:
    HEAD, index, the bytes of every file, what the command read, its own gates.
2.  *Write down the way back.* The journal (``disk.journal``) is built aside with the new bytes
    and hashes of the old ones, and renamed into place. From here on, anybody who finds the journal
    without its writer can finish or undo.
3.  *Close the index.* ``index.lock`` becomes a second name of a file of the journal, whose content
    is the publication's random identity (without hard links, a folder with such a file). Only a
    process that finds that identity in it may remove it.
4.  *Look again*, now that neither another writer nor another Git can act. A gate that looks at
    the whole work tree is passed here and not in step 1: only this answer counts, and a refusal
    here leaves nothing behind, because nothing has been touched yet.
5.  *Exchange the files in* (``files``). Each displaced file is compared with the expected one. A
    stranger is exchanged back at once and the publication is undone.
6.  *Stage* in private copies of the index (``commit``): one that will be the new index, and one for
    the commit, with HEAD's tree and the managed files. If nothing else is staged, the first is a
    copy of the second. The resulting tree goes to the journal.
7.  *Commit.* ``git commit`` runs on the second copy. It waits at a pipe until its pid is in the
    journal: no commit of ours exists without a pid to wait for. Before the branch moves, it asks
    (``git.commit_hooks``): a commit with another tree, on another parent or for another branch is
    refused before anybody can see it, and once this program is gone nobody answers.
8.  *Judge by the branch*, not by exit codes: a commit on the recorded branch with the recorded
    parent and the planned tree is the publication. A commit of ours that a hook amended, moved or
    replayed since is recognized by its content and taken back.
9.  *Finish.* The new index is exchanged with the current one, and folders that deletions left
    empty are removed. The rename that takes the journal's name away is the one moment at which a
    publication is over.

From the first rename to the last, readers see none of it (``reading``).

A plan of files alone leaves out 3 and 6 to 8. Every failure before the last rename leads to the
same *undo* (``underway``): index and branch back, then the files, but only those that still have
our bytes. Files that somebody changed after us stay, are named, and keep the journal until
``recover --keep-current``. What the user's hooks wrote while they ran is theirs: it is set aside
below ``zdev/set-aside``, and our files are put back or published all the same.

Killed processes
================

Nothing remembers its progress. Undo and finish read from the disk what is left to do (hashes of the
file, the waiting one and the displaced one; the branch; the index), and may themselves be killed
and repeated. Recovery (``recovery``) waits for a ``git commit`` that outlived its parent, asks the
branch (step 8), then finishes or undoes. If the user has committed or staged some of the files in
the meantime, it finishes the files and leaves the rest to the user (``adoption``). Every writing
command recovers first; readers refuse until then (``recovery.require_uninterrupted``).

Two things are simpler than they might be. The child does not ask the system for a parent-death
signal: waiting for its journaled pid is needed anyway and works everywhere, and a commit that was
allowed to move the branch is not cut off. And ``index.lock`` is proved ours by its content instead
of its inode, which also works on file systems without hard links.

What it cannot do: after a kill, ``index.lock`` stays until recovery, which is better than half a
plan in the index. Between the moves of branch and index the two disagree for a moment, which Git
does not avoid either. An orphaned hook runs on. Locks that a killed Git left on refs stay.

A loss of power
===============

A kill loses nothing that was written; a loss of power does. So three times everything so far is
forced to the disk before the next step: before files move, before the commit may begin, before the
journal is closed. For a plan with a commit the whole file system is flushed each time, if the
system can: at the last time nobody knows what Git wrote, and one flush costs less than forcing a
dozen pieces one after the other. A plan of files alone forces only its own pieces.
"""
