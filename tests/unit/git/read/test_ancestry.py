"""Ancestry as ``git merge-base`` and ``git rev-list`` tell it, and None where it is hidden."""

from __future__ import annotations

import random

import pytest

from git_zdev.ground.errors import ZdevError
from tests.support.repo import GitRepo, git, opened

GONE = "0123456789" * 4


def grow(repo: GitRepo, parents: list[int], names: list[str]) -> None:
    """One commit more, on the given earlier ones, without touching the work tree."""
    date = f"{1_700_000_000 + len(names)} +0000"
    flags = [word for parent in parents for word in ("-p", names[parent])]
    tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    env = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    names.append(repo.git("commit-tree", tree, *flags, "-m", str(len(names)), env=env))


def by_git_ancestor(repo: GitRepo, one: str, other: str) -> bool:
    command = ("merge-base", "--is-ancestor", one, other)
    return git(*command, cwd=repo.path, check=False).returncode == 0


def by_git_merges(repo: GitRepo, anchor: str, tip: str) -> bool:
    return bool(repo.git("rev-list", "--min-parents=2", f"{anchor}..{tip}"))


def assert_as_git(repo: GitRepo, names: list[str]) -> None:
    repository = opened(repo.path)
    for one in names:
        for other in names:
            assert repository.is_ancestor(one, other) is by_git_ancestor(repo, one, other)
            assert repository.has_merges(one, other) is by_git_merges(repo, one, other)
            bases = repo.git("merge-base", "--all", one, other, check=False).split()
            base = repository.merge_base(one, other)
            assert base in bases if bases else base is None


@pytest.fixture
def graph(repo: GitRepo) -> list[str]:
    """Ten commits: two roots, a criss-cross, an octopus; all reachable from tags."""
    repo.git("hash-object", "-t", "tree", "-w", "/dev/null")
    names: list[str] = []
    for parents in [[], [0], [0], [1, 2], [2, 1], [3], [4], [], [5, 6, 7], [5]]:
        grow(repo, parents, names)
    for number, name in enumerate(names):
        repo.git("tag", f"t{number}", name)
    return names


def test_every_pair_of_a_small_history(repo: GitRepo, graph: list[str]) -> None:
    assert_as_git(repo, graph)


def test_random_histories(repo: GitRepo) -> None:
    repo.git("hash-object", "-t", "tree", "-w", "/dev/null")
    dice = random.Random(7)
    names: list[str] = []
    for number in range(9):
        count = min(number, dice.choice([0, 1, 1, 1, 2, 2]))
        grow(repo, dice.sample(range(number), count), names)
        repo.git("tag", f"t{number}", names[-1])
    assert_as_git(repo, names)


def test_replace_refs_change_history(repo: GitRepo, graph: list[str]) -> None:
    repo.git("replace", "--graft", graph[5], graph[7])
    assert_as_git(repo, graph)
    repo.git("pack-refs", "--all")
    assert opened(repo.path).is_ancestor(graph[3], graph[5]) is False
    assert opened(repo.path).is_ancestor(graph[7], graph[5]) is True
    for env in (
        {"GIT_NO_REPLACE_OBJECTS": "1"},
        {"GIT_CONFIG_PARAMETERS": "'core.usereplacerefs=0'"},
    ):
        assert opened(repo.path, **env).is_ancestor(graph[3], graph[5]) is True
    assert opened(repo.path, GIT_REPLACE_REF_BASE="refs/other").is_ancestor(graph[3], graph[5])


def test_grafts_change_history(repo: GitRepo, graph: list[str]) -> None:
    grafts = repo.path / ".git" / "info" / "grafts"
    grafts.write_text(f"{graph[5]} {graph[7]} {graph[2]}\n{graph[1]}\n")
    assert_as_git(repo, graph)


FORMS = {
    "upper case": "{0}X {1}",
    "no parent": "{0}",
    "said twice": "{0} {1}\n{0} {2}\n",
    "no line end": "{0} {1}",
    "a comment": "# why\n{0} {1}\n",
    "an indented comment": " # why\n{0} {1}\n",
    "a comment behind": "{0} {1} # why\n",
    "a tab": "{0}\t{1}\n",
    "two spaces": "{0}  {1}\n",
    "a space at the end": "{0} {1} \n",
    "CR LF": "{0} {1}\r\n",
    "an empty line": "\n{0} {1}\n",
    "a short id": "{3} {1}\n{0} {2}\n",
}
READ_BY_LIBGIT2 = ("upper case", "no parent", "said twice", "no line end")


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_a_line_of_grafts(repo: GitRepo, graph: list[str], form: str) -> None:
    """As Git reads them where a variable names the file; libgit2 does not open the others."""
    ids = graph[5], graph[7], graph[2], graph[5][:39]
    text = FORMS[form].format(*ids).replace(f"{graph[5]}X", graph[5].upper())
    elsewhere = repo.path.parent / "grafts"
    elsewhere.write_text(text)
    opened_here = opened(repo.path, GIT_GRAFT_FILE=str(elsewhere))
    for ancestor in graph:
        words = ("merge-base", "--is-ancestor", ancestor, graph[5])
        told = git(*words, cwd=repo.path, env={"GIT_GRAFT_FILE": str(elsewhere)}, check=False)
        assert opened_here.is_ancestor(ancestor, graph[5]) == (told.returncode == 0)
    own = repo.path / ".git/info/grafts"
    own.write_text(text)
    if form in READ_BY_LIBGIT2:
        assert_as_git(repo, graph)
    else:
        with pytest.raises(ZdevError) as refused:
            opened(repo.path)
        assert refused.value.code == "unreadable-repository"
        assert refused.value.details == {"path": str(own)}


def test_what_is_missing_is_unknown(repo: GitRepo, graph: list[str]) -> None:
    repository = opened(repo.path)
    assert not repository.has_commit(GONE)
    assert repository.is_ancestor(GONE, graph[0]) is None
    assert repository.is_ancestor(graph[0], GONE) is None
    assert repository.has_merges(GONE, graph[0]) is None
    assert repository.merge_base(GONE, graph[0]) is None


def test_only_full_ids_of_commits_are_commits(repo: GitRepo) -> None:
    commit = repo.commit(a="1")
    repo.git("tag", "-m", "x", "annotated")
    repository = opened(repo.path)
    assert repository.has_commit(commit)
    for other in (
        commit[:20],
        "main",
        "",
        repo.rev("annotated"),
        repo.rev("HEAD^{tree}"),
        "z" * 40,
    ):
        assert not repository.has_commit(other)


def test_a_parent_that_is_missing_hides_what_is_behind_it(repo: GitRepo) -> None:
    first, second, third = repo.commit(), repo.commit(), repo.commit()
    (repo.path / ".git" / "objects" / second[:2] / second[2:]).unlink()
    repository = opened(repo.path)
    assert repository.is_ancestor(first, third) is None
    assert repository.is_ancestor(third, third) is True


# Shallow clones


def shallow(repo: GitRepo, depth: int, *options: str) -> GitRepo:
    path = repo.path.parent / "shallow"
    url = f"file://{repo.path}"
    git("clone", "-q", "--depth", str(depth), *options, url, str(path), cwd=repo.path.parent)
    return GitRepo(path)


def test_a_shallow_clone_knows_what_it_sees(repo: GitRepo) -> None:
    commits = [repo.commit() for _ in range(5)]
    clone = shallow(repo, 3)
    repository = opened(clone.path)
    assert repository.is_ancestor(commits[2], commits[4]) is True
    assert repository.is_ancestor(commits[4], commits[2]) is False
    assert repository.has_merges(commits[2], commits[4]) is False
    assert repository.merge_base(commits[3], commits[4]) == commits[3]


def test_a_shallow_clone_does_not_deny_what_it_cannot_see(repo: GitRepo) -> None:
    repo.commit()
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("side", s="1")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    repo.commit()
    main = repo.commit()
    clone = shallow(repo, 1, "--no-single-branch")
    repository = opened(clone.path)
    assert clone.rev("origin/side") == side
    assert by_git_ancestor(clone, side, main) is False  # Git takes the boundary for a root
    assert repository.is_ancestor(side, main) is None
    assert repository.is_ancestor(main, side) is None
    assert repository.has_merges(side, main) is None
    assert repository.merge_base(side, main) is None


def test_a_merge_before_the_boundary_is_not_claimed(repo: GitRepo) -> None:
    """Whether the merge belongs to ``anchor..tip`` hangs on what lies behind the anchor."""
    repo.git("hash-object", "-t", "tree", "-w", "/dev/null")
    names: list[str] = []
    for parents in [[], [0], [0], [1, 2], [3], [4], [3]]:
        grow(repo, parents, names)
    anchor, merge, tip = names[5], names[3], names[6]
    (repo.path / ".git" / "shallow").write_text(f"{names[5]}\n")
    repo.git("tag", "a", anchor)
    repo.git("tag", "t", tip)
    repository = opened(repo.path)
    assert merge in repo.git("rev-list", f"{anchor}..{tip}")
    assert repository.has_merges(anchor, tip) is None


def test_a_merge_behind_the_anchor_is_certain(repo: GitRepo) -> None:
    repo.git("hash-object", "-t", "tree", "-w", "/dev/null")
    names: list[str] = []
    for parents in [[], [0], [1], [1], [2, 3]]:
        grow(repo, parents, names)
    (repo.path / ".git" / "shallow").write_text(f"{names[1]}\n")
    repo.git("tag", "t", names[4])
    repository = opened(repo.path)
    assert repository.has_merges(names[1], names[4]) is True
    assert repository.has_merges(names[2], names[3]) is False


def test_a_boundary_commit_that_is_a_merge_is_seen(repo: GitRepo) -> None:
    repo.git("hash-object", "-t", "tree", "-w", "/dev/null")
    names: list[str] = []
    for parents in [[], [0], [0], [1, 2], [3]]:
        grow(repo, parents, names)
    (repo.path / ".git" / "shallow").write_text(f"{names[3]}\n{names[0]}\n")
    repo.git("tag", "t", names[4])
    repository = opened(repo.path)
    assert repository.has_merges(names[0], names[4]) is True


def test_deepening_answers_the_question(repo: GitRepo) -> None:
    commits = [repo.commit() for _ in range(6)]
    clone = shallow(repo, 2)
    clone.git("fetch", "-q", "--unshallow")
    assert opened(clone.path).is_ancestor(commits[0], commits[5]) is True


def reach(parents: list[list[int]], start: int) -> set[int]:
    found, waiting = set[int](), [start]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += parents[number]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_no_boundary_makes_an_answer_wrong(repo: GitRepo, seed: int) -> None:
    """Whatever a shallow boundary hides, what is answered holds in the whole history."""
    repo.git("hash-object", "-t", "tree", "-w", "/dev/null")
    dice = random.Random(seed)
    parents: list[list[int]] = []
    names: list[str] = []
    for number in range(11):
        count = min(number, dice.choice([1, 1, 1, 2, 2, 3]))
        parents.append(dice.sample(range(max(0, number - 4), number), min(count, 4, number)))
        grow(repo, parents[-1], names)
    answered = hidden = 0
    for _ in range(6):
        boundary = dice.sample(range(11), dice.randint(1, 4))
        shallow_file = repo.path / ".git" / "shallow"
        shallow_file.write_text("".join(f"{names[number]}\n" for number in boundary))
        repository = opened(repo.path)
        for one in range(11):
            for other in range(11):
                behind, ahead = reach(parents, one), reach(parents, other)
                ancestor = repository.is_ancestor(names[one], names[other])
                merges = repository.has_merges(names[one], names[other])
                base = repository.merge_base(names[one], names[other])
                assert ancestor in (None, one in ahead)
                assert merges in (None, any(len(parents[n]) > 1 for n in ahead - behind))
                assert base is None or names.index(base) in behind & ahead
                answered += (ancestor is not None) + (merges is not None)
                hidden += (ancestor is None) + (merges is None)
    assert answered > hidden > 0
