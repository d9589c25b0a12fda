"""What decides about colour, from the strongest to the weakest."""

from __future__ import annotations

import pytest

from git_zdev.cli.colour import is_coloured
from git_zdev.git.config.config import Entry, GitConfig, Sources

TERMINAL = {"TERM": "xterm"}


def config(**values: str | None) -> GitConfig:
    """A configuration; ``color_ui`` stands for ``color.ui``."""
    entries = [Entry(key.replace("_", "."), value, "local", "c") for key, value in values.items()]
    return GitConfig(entries, Sources(None, None, None), None)


def coloured(
    option: str = "auto",
    environment: dict[str, str] | None = None,
    watched: bool = True,
    **values: str | None,
) -> bool:
    around = TERMINAL | (environment or {})
    return is_coloured(option, around, watched=watched, settings=lambda: config(**values))


def test_a_terminal_has_colour_and_a_pipe_has_none() -> None:
    assert coloured()
    assert not coloured(watched=False)


def test_each_word_beats_all_below_it() -> None:
    against = {"NO_COLOR": "1"}
    assert coloured("always", against, watched=False, color_zdev="never")
    assert not coloured("never", {"CLICOLOR_FORCE": "1"}, color_zdev="always")
    assert not coloured(environment={"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, color_zdev="always")
    assert coloured(environment={"CLICOLOR_FORCE": "1"}, watched=False)
    assert coloured(environment={"CLICOLOR_FORCE": "1"}, color_zdev="never")
    assert coloured(color_zdev="always", color_ui="never")
    assert not coloured(color_zdev="never", color_ui="always")
    assert coloured(color_zdev="auto", color_ui="never")


@pytest.mark.parametrize("name", ["NO_COLOR", "CLICOLOR_FORCE"])
def test_an_empty_variable_says_nothing(name: str) -> None:
    assert coloured(environment={name: ""})
    assert not coloured(environment={name: ""}, watched=False)


def test_a_forced_zero_says_nothing() -> None:
    assert not coloured(environment={"CLICOLOR_FORCE": "0"}, watched=False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("always", True),
        ("Always", True),
        ("auto", True),
        ("true", True),
        (None, True),
        ("1", True),
        ("never", False),
        ("NEVER", False),
        ("false", False),
        ("off", False),
        ("0", False),
        ("", False),
        ("nonsense", True),
    ],
)
def test_settings_have_gits_words(value: str | None, expected: bool) -> None:
    assert coloured(color_ui=value) is expected
    assert coloured(color_zdev=value, color_ui="auto") is expected


def test_what_cannot_be_understood_decides_nothing() -> None:
    assert not coloured(color_zdev="nonsense", color_ui="never")
    assert is_coloured("auto", TERMINAL, watched=True, settings=lambda: None)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_dumb_terminal_is_coloured_only_when_told_so(term: str) -> None:
    assert not coloured(environment={"TERM": term})
    assert coloured(environment={"TERM": term}, color_ui="always")


def test_always_in_the_configuration_is_not_asked_for_a_pipe() -> None:
    def settings() -> GitConfig:
        raise AssertionError("the configuration is read")

    assert not is_coloured("auto", TERMINAL, watched=False, settings=settings)
    assert is_coloured("always", TERMINAL, watched=True, settings=settings)
    assert not is_coloured("auto", TERMINAL | {"NO_COLOR": "1"}, watched=True, settings=settings)


def test_a_pager_may_not_take_colour() -> None:
    paged = {"GIT_PAGER_IN_USE": "true"}
    assert coloured(environment=paged)
    assert not coloured(environment=paged, color_pager="false")
    assert coloured(color_pager="false")
    assert coloured(environment=paged, color_pager="false", color_ui="always")
