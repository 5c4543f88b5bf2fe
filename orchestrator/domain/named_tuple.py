"""`NamedTuple` as in `typing`, for rows: nothing is compiled for a class before its first instance is made by name.

Python's compiles each annotation and a function for each class while its module is imported, though most rows are made
of what a database returns (`_make`), which needs neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from _collections import _tuplegetter  # what Python's own use: a property is slower

    class _New:
        """Stands for `__new__` until it is looked up."""

        cls: type  # whose it is, once that is made

        def __get__(self, instance: object, owner: type) -> Any:
            return _new(self.cls)

    def _new(cls: Any) -> Any:
        known = {f"_d_{name}": value for name, value in cls._field_defaults.items()} | {"_new": tuple.__new__}
        taken = ", ".join(
            f"{name}=_d_{name}" if name in cls._field_defaults else name for name in cls._fields
        )
        text = (
            f"def __new__(_cls, {taken}): return _new(_cls, ({''.join(f'{name}, ' for name in cls._fields)}))"
        )
        exec(text, known)  # noqa: S102 - of our own names
        made = known["__new__"]
        made.__module__, made.__qualname__ = cls.__module__, f"{cls.__qualname__}.__new__"
        cls.__new__ = staticmethod(made)
        return made

    class _Row(tuple):
        __slots__ = ()

        @classmethod
        def _make(cls, values: Any) -> Any:
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changes: Any) -> Any:
            made = self._make(
                changes.pop(name, value) for name, value in zip(self._fields, self, strict=True)
            )
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        __replace__ = _replace

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            shown = (f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({', '.join(shown)})"

    class _Meta(type):
        def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
            if bases != (NamedTuple,):
                raise TypeError(f"{name}: a named tuple of ours has no other base")
            fields = tuple(namespace.get("__annotations__", {}))
            defaults = {}
            for place, field in enumerate(fields):
                if field.startswith("_"):
                    raise ValueError(f"{name}.{field}: a field's name begins with a letter")
                if field in namespace:
                    defaults[field] = namespace[field]
                elif defaults:
                    raise TypeError(f"{name}.{field} has no default, and stands behind one that has")
                namespace[field] = _tuplegetter(place, f"Alias for field number {place}")
            new = _New()
            namespace |= {
                "__slots__": (),
                "__match_args__": fields,
                "__new__": new,
                "_fields": fields,
                "_field_defaults": defaults,
            }
            new.cls = type(name, (_Row,), namespace)
            return new.cls

    NamedTuple = type.__new__(_Meta, "NamedTuple", (), {})
