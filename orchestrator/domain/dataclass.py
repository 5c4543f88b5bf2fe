"""`dataclass` and what belongs to it, as in `dataclasses`, for classes whose methods are made when they are first used.

Python's own compiles up to seven functions for each class while its module is imported: 1.4 ms on a slow core. A worker
host imports hundreds of them, and a command uses few of those it imports. Here `__init__` is compiled for the first instance;
what compares and shows instances needs no compiling; and what `dataclasses` looks up on a class (for `fields`, `asdict`) it
makes itself when it does.

Refused is what no class of ours has: `InitVar`, `KW_ONLY`, an order, and own methods in place of those that are made here.
"""

from __future__ import annotations

from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

_ABSENT: Any = object()
_OWN = ("__init__", "__eq__", "__hash__", "__setattr__", "__delattr__")  # that a class may not have


class _Field:
    """What `field` was given."""

    __slots__ = ("compare", "default", "default_factory", "init", "kw_only", "metadata", "repr")

    def __init__(
        self,
        *,
        default: Any = _ABSENT,
        default_factory: Any = _ABSENT,
        init: bool = True,
        repr: bool = True,
        compare: bool = True,
        metadata: Any = None,
        kw_only: bool = False,
    ) -> None:
        self.default, self.default_factory, self.kw_only = default, default_factory, kw_only
        self.init, self.repr, self.compare, self.metadata = init, repr, compare, metadata

    def given(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if value is not _ABSENT}


class _Factory:
    """Shown in a signature where a call makes the value."""

    def __repr__(self) -> str:
        return "<factory>"


_REQUIRED, _REQUIRED_BY_NAME, _FACTORY = _Field(), _Field(kw_only=True), _Factory()


class _Init:
    """Stands for `__init__` until it is looked up."""

    def __init__(self, cls: type, frozen: bool) -> None:
        self._cls, self._frozen = cls, frozen

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        made = _init(self._cls, self._frozen)
        type.__setattr__(self._cls, "__init__", made)
        return made if instance is None else made.__get__(instance)


class _LookedUp:
    """Stands for what `dataclasses` keeps on a class until it is looked up: then its own decorator makes it, on a twin."""

    def __init__(self, name: str, cls: type, frozen: bool) -> None:
        self._name, self._cls, self._frozen = name, cls, frozen

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        import dataclasses

        fields: dict[str, _Field] = self._cls._dataclass_fields  # type: ignore[attr-defined]
        twin = type(
            self._cls.__name__,
            (),
            {
                "__annotations__": _annotations(self._cls),
                "__doc__": "",  # else a signature is written into it
                **{name: dataclasses.field(**each.given()) for name, each in fields.items()},
            },
        )
        made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=self._frozen)(twin)
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            type.__setattr__(self._cls, name, getattr(made, name))
        return getattr(made, self._name)


def _annotations(cls: type) -> dict[str, Any]:
    """Of all its fields, those of its bases first."""
    known: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        fields = base.__dict__.get("_dataclass_fields", {})
        known |= {name: base.__annotations__[name] for name in fields if name in base.__annotations__}
    return known


def _init(cls: Any, frozen: bool) -> Any:
    """`__init__`, compiled."""
    known: dict[str, Any] = {"_dataclass_set": object.__setattr__, "_dataclass_factory": _FACTORY}
    plain, by_name, body = ["self"], list[str](), []
    for name, each in cls._dataclass_fields.items():
        given = f"_dataclass_{name}"
        value = name if each.init else given
        if each.default_factory is not _ABSENT:
            known[given] = each.default_factory
            default = "=_dataclass_factory"
            value = f"{given}() if {name} is _dataclass_factory else {name}" if each.init else f"{given}()"
        elif each.default is not _ABSENT:
            known[given] = each.default
            default = f"={given}"
        elif each.init:
            default = ""
        else:
            continue
        if each.init:
            (by_name if each.kw_only else plain).append(name + default)
        body.append(f"_dataclass_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    taken = ", ".join([*plain, "*", *by_name] if by_name else plain)
    exec(f"def __init__({taken}):\n " + "\n ".join(body or ["pass"]), known)  # noqa: S102 - of our own names
    made = known["__init__"]
    made.__module__, made.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    return made


def _equal(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    key = type(self)._dataclass_key
    return key(self) == key(other)


def _hash(self: Any) -> int:
    return hash(type(self)._dataclass_key(self))


@recursive_repr("...")
def _shown(self: Any) -> str:
    names = [name for name, each in self._dataclass_fields.items() if each.repr]
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


def _refuse(self: Any, name: str, doing: str) -> None:
    if "_dataclass_fields" in type(self).__dict__ or name in self._dataclass_fields:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {doing} field {name!r}")


def _set_nothing(self: Any, name: str, value: object) -> None:
    _refuse(self, name, "assign to")
    object.__setattr__(self, name, value)


def _delete_nothing(self: Any, name: str) -> None:
    _refuse(self, name, "delete")
    object.__delattr__(self, name)


def _state(self: Any) -> list[object]:
    return [getattr(self, name) for name in self._dataclass_fields]


def _take_state(self: Any, state: list[object]) -> None:
    for name, value in zip(self._dataclass_fields, state, strict=True):
        object.__setattr__(self, name, value)


def _key(fields: dict[str, _Field]) -> Any:
    """What two instances are compared by: always a tuple, as a value may be unequal to itself."""
    names = [name for name, each in fields.items() if each.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda each: tuple(getattr(each, name) for name in names)


def _own_fields(cls: type, kw_only: bool) -> dict[str, _Field]:
    found = {}
    for name, annotation in cls.__annotations__.items():
        text = annotation if isinstance(annotation, str) else repr(annotation)
        if text.startswith(("ClassVar", "typing.ClassVar")):
            continue
        if "InitVar" in text or "KW_ONLY" in text:
            raise TypeError(f"{cls.__qualname__}.{name}: {text} is for dataclasses.dataclass")
        value = getattr(cls, name, _ABSENT)  # a base's default is one of the field that is declared anew
        if value is _ABSENT or isinstance(value, MemberDescriptorType):
            found[name] = _REQUIRED_BY_NAME if kw_only else _REQUIRED
            continue
        each = value if isinstance(value, _Field) else _Field(default=value)
        each.kw_only = each.kw_only or kw_only
        if each.default is not _ABSENT and each.default.__class__.__hash__ is None:
            raise ValueError(f"{cls.__qualname__}.{name}: a default that changes; use default_factory")
        found[name] = each
    for name, value in cls.__dict__.items():
        if isinstance(value, _Field) and name not in found:
            raise TypeError(f"{cls.__qualname__}.{name} is a field without an annotation")
    return found


def _check_order(cls: type, fields: dict[str, _Field]) -> None:
    """As Python: said when the class is made, not when its first instance is."""
    optional = ""
    for name, each in fields.items():
        if each.kw_only or not each.init:
            continue
        if each.default is not _ABSENT or each.default_factory is not _ABSENT:
            optional = name
        elif optional:
            raise TypeError(
                f"{cls.__qualname__}.{name} has no default, and stands behind {optional}, which has"
            )


def _with_slots(cls: Any, fields: dict[str, _Field]) -> Any:
    """The class anew: slots are made with it, and leave no room for a default in its namespace."""
    taken = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    namespace = {
        name: value
        for name, value in cls.__dict__.items()
        if name not in fields and name not in ("__dict__", "__weakref__")
    }
    namespace["__slots__"] = tuple(name for name in fields if name not in taken)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


def _dataclass(
    cls: Any = None, /, *, eq: bool = True, frozen: bool = False, kw_only: bool = False, slots: bool = False
) -> Any:
    if cls is None:
        return lambda each: _dataclass(each, eq=eq, frozen=frozen, kw_only=kw_only, slots=slots)
    if any(name in cls.__dict__ for name in _OWN):
        raise TypeError(f"{cls.__qualname__} has a method that is made here: use dataclasses.dataclass")
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__dataclass_fields__" in base.__dict__ and "_dataclass_fields" not in base.__dict__:
            raise TypeError(f"{cls.__qualname__}: {base.__qualname__} is made by dataclasses.dataclass")
        if "_dataclass_fields" in base.__dict__:
            if (base.__dict__.get("__setattr__") is _set_nothing) != frozen:
                raise TypeError(f"{cls.__qualname__} and {base.__qualname__}: one is frozen, the other not")
            fields |= base.__dict__["_dataclass_fields"]
    own = _own_fields(cls, kw_only)
    fields |= own
    _check_order(cls, fields)
    if slots:
        cls = _with_slots(cls, fields)
    else:
        for name in cls.__dict__.keys() & own.keys():
            if fields[name].default is _ABSENT:
                delattr(cls, name)
            else:
                setattr(cls, name, fields[name].default)
    cls._dataclass_fields = fields
    cls.__init__ = _Init(cls, frozen)
    for name in ("__dataclass_fields__", "__dataclass_params__"):
        setattr(cls, name, _LookedUp(name, cls, frozen))
    by_place = tuple(name for name, each in fields.items() if each.init and not each.kw_only)
    type.__setattr__(cls, "__match_args__", by_place)
    if "__repr__" not in cls.__dict__:
        cls.__repr__ = _shown
    cls.__replace__ = _replace  # what `copy.replace` of later Pythons calls
    if eq:
        cls._dataclass_key = _key(fields)
        cls.__eq__ = _equal
        cls.__hash__ = _hash if frozen else None
    if frozen:
        cls.__setattr__, cls.__delattr__ = _set_nothing, _delete_nothing
        if slots and "__getstate__" not in cls.__dict__:
            cls.__getstate__, cls.__setstate__ = _state, _take_state
    return cls


def _replace(instance: Any, /, **changes: Any) -> Any:
    fields = getattr(type(instance), "_dataclass_fields", None)
    if fields is None:
        import dataclasses

        return dataclasses.replace(instance, **changes)
    for name, each in fields.items():
        if not each.init:
            if name in changes:
                raise ValueError(f"field {name} is declared with init=False: replace() cannot set it")
        elif name not in changes:
            changes[name] = getattr(instance, name)
    return type(instance)(**changes)


def _asdict(instance: Any) -> dict[str, Any]:
    import dataclasses

    return dataclasses.asdict(instance)


def _fields(instance: Any) -> tuple[Any, ...]:
    import dataclasses

    return dataclasses.fields(instance)


def annotated(cls: Any) -> dict[str, tuple[Any, bool]] | None:
    """Of each field its annotation, and whether it must be given; None for what is none of our classes.

    `fields` says more, and loads Python's own.
    """
    fields: dict[str, _Field] | None = getattr(cls, "_dataclass_fields", None)
    if fields is None:
        return None
    known = _annotations(cls)
    return {
        name: (known[name], each.default is _ABSENT and each.default_factory is _ABSENT)
        for name, each in fields.items()
    }


if TYPE_CHECKING:  # type checkers know these
    from dataclasses import asdict as asdict
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace
else:
    asdict, dataclass, field, fields, replace = _asdict, _dataclass, _Field, _fields, _replace
