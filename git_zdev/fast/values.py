"""Value classes without the cost of ``dataclasses``, which imports ``inspect``.

The standard module also compiles half a dozen functions for every class. Here only the initializer
of a class is compiled, when its first value is made. The supported features behave as in the
standard module: ``frozen``, ``slots``, ``kw_only``, defaults, ``field``, ``replace`` and
``asdict``; fields are not inherited. ``Protocol`` and ``cached_property`` are here for the same
reason: ``typing`` and ``functools`` import much more.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_MISSING: Any = object()


class field:  # noqa: N801 - named as in the standard module
    """The options of one field."""

    __slots__ = ("factory", "value")

    def __init__(self, *, default: Any = _MISSING, default_factory: Any = _MISSING) -> None:
        self.value = default
        self.factory = default_factory


def dataclass(
    cls: Any = None, /, *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Any:
    """Turn a class of annotated names into a value class; used with or without parentheses."""
    if cls is None:
        return lambda decorated: _make(decorated, frozen, slots, kw_only)
    return _make(cls, frozen, slots, kw_only)


def replace(value: Any, /, **changes: Any) -> Any:
    """A copy of a value with some fields changed."""
    names = type(value).__match_args__
    return type(value)(**{name: getattr(value, name) for name in names} | changes)


def asdict(value: Any) -> dict[str, Any]:
    """Fields by name; values in fields, lists and tuples become dictionaries too."""
    return {name: _plain(getattr(value, name)) for name in type(value).__match_args__}


def _plain(item: Any) -> Any:
    if isinstance(item, list | tuple):
        return type(item)(_plain(one) for one in item)
    return asdict(item) if hasattr(type(item), "_is_value") else item


def _make(cls: Any, frozen: bool, slots: bool, kw_only: bool) -> Any:
    names = tuple(cls.__annotations__)
    defaults = {name: vars(cls)[name] for name in names if name in vars(cls)}
    members = {
        "__match_args__": names,
        "__repr__": _repr,
        "__eq__": _eq,
        "__hash__": _hash if frozen else None,
        "_is_value": True,
    }
    if frozen:
        members |= {"__setattr__": _refuse, "__delattr__": _refuse}
    made = _with_slots(cls, names, members) if slots else _with_members(cls, defaults, members)

    def compile_first(self: Any, /, *given: Any, **named: Any) -> None:
        made.__init__ = _initializer(
            made, names, defaults, frozen=frozen, slots=slots, kw_only=kw_only
        )
        made.__init__(self, *given, **named)

    made.__init__ = compile_first
    return made


def _with_slots(cls: Any, names: tuple[str, ...], members: dict[str, Any]) -> Any:
    """Make the class again, because ``__slots__`` must exist when a class is made."""
    dropped = {*names, "__dict__", "__weakref__"}
    body = {name: value for name, value in vars(cls).items() if name not in dropped}
    made: Any = type(cls)(cls.__name__, cls.__bases__, body | members | {"__slots__": names})
    made.__qualname__ = cls.__qualname__
    return made


def _with_members(cls: Any, defaults: dict[str, Any], members: dict[str, Any]) -> Any:
    for name in defaults:
        delattr(cls, name)
    for name, member in members.items():
        setattr(cls, name, member)
    return cls


def _initializer(
    cls: Any,
    names: tuple[str, ...],
    defaults: dict[str, Any],
    *,
    frozen: bool,
    slots: bool,
    kw_only: bool,
) -> Callable[..., None]:
    """Compile ``__init__``; that of a frozen class bypasses ``__setattr__``, which would refuse."""
    scope: dict[str, Any] = {"_missing": _MISSING}
    parameters, body = ["self", *(["*"] if kw_only else [])], []
    for name in names:
        default = defaults.get(name, field())
        default = default if isinstance(default, field) else field(default=default)
        value = name
        if default.factory is not _MISSING:
            scope[f"_make_{name}"] = default.factory
            parameters.append(f"{name}=_missing")
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif default.value is not _MISSING:
            scope[f"_default_{name}"] = default.value
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        if not frozen:
            body.append(f"self.{name} = {value}")
        elif slots:
            scope[f"_set_{name}"] = vars(cls)[name].__set__
            body.append(f"_set_{name}(self, {value})")
        else:
            body.append(f"self.__dict__[{name!r}] = {value}")
    lines = "".join(f"    {line}\n" for line in body or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n{lines}", scope)  # noqa: S102 - names of fields
    initializer: Callable[..., None] = scope["__init__"]
    initializer.__qualname__ = f"{cls.__qualname__}.__init__"
    return initializer


def _repr(self: Any) -> str:
    shown = (f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: Any) -> Any:
    return _fields(self) == _fields(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_fields(self))


def _fields(value: Any) -> tuple[Any, ...]:
    return tuple([getattr(value, name) for name in type(value).__match_args__])


def _refuse(self: Any, name: str, value: Any = None) -> None:
    del value
    raise AttributeError(f"{type(self).__qualname__} is frozen, {name!r} cannot change")


class Protocol:
    """The base of classes that describe an interface to type checkers."""

    __slots__ = ()


class cached_property:  # noqa: N801 - named as in the standard module
    """An attribute that is computed on first use, and kept.

    From then on it is in the object's ``__dict__``, so that this descriptor is not called again.
    """

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute

    def __set_name__(self, owner: Any, name: str) -> None:
        self._name = name

    def __get__(self, owned: Any, owner: Any = None) -> Any:
        if owned is None:
            return self
        value = owned.__dict__[self._name] = self._compute(owned)
        return value
