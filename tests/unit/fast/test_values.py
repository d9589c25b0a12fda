"""Value classes behave as those of the standard library, which stand beside them here."""

from __future__ import annotations

import dataclasses
import functools
import subprocess
import sys
from typing import Any

import pytest

from git_zdev.fast import values
from tests.support.cli import PACKAGE_PARENT


def declare(module: Any, **options: bool) -> Any:
    """The same class, made by one of the two modules."""

    @module.dataclass(**options)
    class Point:
        """A place."""

        x: int
        y: int = 2
        tags: list[str] = module.field(default_factory=list)
        name: str | None = module.field(default=None)

        @property
        def sum(self) -> int:
            return self.x + self.y

    return Point


OPTIONS = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "kw_only": True},
]
BOTH = pytest.mark.parametrize("module", [values, dataclasses], ids=["ours", "standard"])
ALL = pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "plain")


@ALL
@BOTH
def test_fields_defaults_and_factories(module: Any, options: dict[str, bool]) -> None:
    point = declare(module, **options)
    one, other = point(x=1), point(x=1, y=5, tags=["t"], name="n")
    assert (one.x, one.y, one.tags, one.name, one.sum) == (1, 2, [], None, 3)
    assert (other.x, other.y, other.tags, other.name) == (1, 5, ["t"], "n")
    assert point(x=1).tags is not one.tags
    assert point.__doc__ == "A place."
    assert point.__qualname__ == "declare.<locals>.Point"


@ALL
@BOTH
def test_equality_and_representation(module: Any, options: dict[str, bool]) -> None:
    point = declare(module, **options)
    assert point(x=1) == point(x=1)
    assert point(x=1) != point(x=2)
    assert point(x=1) != (1, 2, [], None)
    assert point(x=1) != declare(module, **options)(x=1)
    assert repr(point(x=1)) == "declare.<locals>.Point(x=1, y=2, tags=[], name=None)"


@ALL
@BOTH
def test_frozen_means_frozen_and_hashable(module: Any, options: dict[str, bool]) -> None:
    value = declare(module, **options)(x=1, tags=())
    if not options.get("frozen"):
        value.x = 5
        assert value.x == 5
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)
        return
    with pytest.raises(AttributeError):
        value.x = 5
    with pytest.raises(AttributeError):
        del value.x
    assert value.x == 1
    assert len({value, declare(module, **options)(x=1, tags=())}) == 2
    assert hash(value) == hash(module.replace(value))


@ALL
@BOTH
def test_slots(module: Any, options: dict[str, bool]) -> None:
    value = declare(module, **options)(x=1)
    assert hasattr(value, "__dict__") != bool(options.get("slots"))


@ALL
@BOTH
def test_wrong_arguments(module: Any, options: dict[str, bool]) -> None:
    point = declare(module, **options)
    for arguments in ({}, {"x": 1, "z": 2}):
        with pytest.raises(TypeError, match="argument"):
            point(**arguments)
    if options.get("kw_only"):
        with pytest.raises(TypeError, match="positional"):
            point(1)
    else:
        assert point(1, 3).y == 3


@ALL
def test_the_first_values_and_the_thousandth_are_made_alike(options: dict[str, bool]) -> None:
    point = declare(values, **options)
    wrong: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {}),
        ((), {"x": 1, "z": 2}),
        ((1,), {"x": 1}),
        ((1, 2, [], None, 5), {}),
    ]
    right: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((), {"x": 1}),
        ((), {"name": "n", "x": 1}),
    ]
    if not options.get("kw_only"):
        right += [((1,), {}), ((1, 5, ["t"], "n"), {}), ((1,), {"name": "n"})]

    def outcome(given: tuple[Any, ...], named: dict[str, Any]) -> object:
        try:
            return values.asdict(point(*given, **named))
        except TypeError as error:
            return str(error)

    first = [outcome(*arguments) for arguments in right]
    for n in range(1000):
        assert point(x=n).x == n
    assert [outcome(*arguments) for arguments in right] == first
    standard = declare(dataclasses, **options)
    assert first == [dataclasses.asdict(standard(*given, **named)) for given, named in right]
    for given, named in wrong:
        refused = outcome(given, named)
        assert refused == refusal_of(values, options, given, named)
        assert refused == refusal_of(dataclasses, options, given, named)


def refusal_of(
    module: Any, options: dict[str, bool], given: tuple[Any, ...], named: dict[str, Any]
) -> str:
    """What a class of its own says to the very first value."""
    with pytest.raises(TypeError) as refused:
        declare(module, **options)(*given, **named)
    return str(refused.value)


@ALL
@BOTH
def test_replace_and_asdict(module: Any, options: dict[str, bool]) -> None:
    point = declare(module, **options)
    inner = point(x=1)
    outer = module.replace(point(x=7), tags=[inner, "t"], name=(inner,))
    assert outer == point(x=7, tags=[inner, "t"], name=(inner,))
    flat = {"x": 1, "y": 2, "tags": [], "name": None}
    assert module.asdict(outer) == {"x": 7, "y": 2, "tags": [flat, "t"], "name": (flat,)}
    with pytest.raises(TypeError):
        module.replace(inner, wrong=1)


@BOTH
def test_patterns_match_by_position(module: Any) -> None:
    point = declare(module, frozen=True, slots=True)
    match point(1, 3):
        case point(x, y):
            assert (x, y) == (1, 3)
        case _:
            pytest.fail("no match")


@BOTH
def test_one_field_and_none(module: Any) -> None:
    @module.dataclass(frozen=True, slots=True)
    class One:
        only: str

    @module.dataclass(frozen=True, slots=True)
    class Nothing:
        pass

    assert One("a") == One("a") != One("b")
    assert {One("a"): 1}[One("a")] == 1
    assert Nothing() == Nothing()
    assert repr(Nothing()).endswith("Nothing()")


def test_the_standard_module_is_not_loaded() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(PACKAGE_PARENT)!r}); import git_zdev.fast.values; "
    )
    script += "print(sorted({'dataclasses', 'functools', 'inspect', 'typing', 're'} & "
    script += "set(sys.modules)))"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, check=True)
    assert done.stdout == b"[]\n"


@pytest.mark.parametrize("module", [values, functools], ids=["ours", "standard"])
def test_a_cached_property_is_computed_once(module: Any) -> None:
    class Circle:
        computed = 0

        @module.cached_property
        def area(self) -> int:
            self.computed += 1
            return 3

    circle = Circle()
    assert "area" not in vars(circle)
    assert (circle.area, circle.area, circle.computed) == (3, 3, 1)
    circle.area = 4
    assert circle.area == 4
    del circle.area
    assert (circle.area, circle.computed) == (3, 2)
    assert isinstance(Circle.area, module.cached_property)
