"""Which types an answer has that is read from a row or record: what programs get of a class, found by its names."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial, reduce
from inspect import getattr_static
from operator import attrgetter, or_
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from django.core.exceptions import FieldDoesNotExist
from django.db import models

COLUMNS: list[tuple[type[models.Field], Any]] = [
    (models.BooleanField, bool),
    (models.IntegerField, int),
    (models.CharField, str),
    (models.TextField, str),
    (models.DateTimeField, datetime),
    (models.DateField, date),
    (models.FloatField, float),
    (models.DecimalField, float),
]

# The last part of a path: how many there are.
COUNT = "len()"


def make_reader(path: Sequence[str]) -> Callable[[Any], Any]:
    """What reads the end of the path from a row or record; None where it ends early.

    `attrgetter` follows most paths, from attribute to attribute, in half the time.
    """
    # A list has attributes of its own, such as `count`, which no path means.
    if any(not name.isidentifier() or hasattr(list, name) for name in path):
        return partial(_follow, path)
    get = attrgetter(".".join(path))

    def read(source: Any) -> Any:
        try:
            return get(source)
        except AttributeError:
            return _follow(path, source)

    return read


def _follow(path: Sequence[str], source: Any) -> Any:
    for at, name in enumerate(path):
        if name == COUNT:
            return len(source)
        if isinstance(source, tuple) and name.isdigit():
            source = source[int(name)]
            continue
        if isinstance(source, list | tuple) and not hasattr(source, "_fields"):
            return [_follow(path[at:], one) for one in source]
        if source is None:
            return None
        source = getattr(source, name)
    return source


def find_type(owner: Any, path: Sequence[str]) -> Any:
    """The type of what the path leads to. Raises TypeError where the class does not say it."""
    if not path:
        return plain(owner)
    if path[0] == COUNT:
        return int
    if get_origin(owner) in (Union, UnionType):
        first, *others = (kind for kind in get_args(owner) if kind is not NoneType)
        found = find_type(first, path)
        assert all(find_type(other, path) == found for other in others)
        return found | None if NoneType in get_args(owner) else found
    if get_origin(owner) is tuple and path[0].isdigit():
        return find_type(get_args(owner)[int(path[0])], path[1:])
    if get_origin(owner) in (list, tuple, Sequence):
        return list[find_type(get_args(owner)[0], path)]  # type: ignore[misc]
    return find_type(_attribute(owner, path[0]), path[1:])


def _attribute(owner: Any, name: str) -> Any:
    if issubclass(owner, models.Model):
        with suppress(FieldDoesNotExist):
            field = owner._meta.pk if name == "pk" else owner._meta.get_field(name)
            if field.is_relation:
                kind = field.related_model if name == field.name else int
            else:
                kind = next(kind for column, kind in COLUMNS if isinstance(field, column))
            return kind | None if field.null else kind
    found = getattr_static(owner, name, None)
    getter = getattr(found, "fget", None) or getattr(found, "func", None)
    if getter:
        hints = {name: get_type_hints(getter).get("return")}
    else:
        # What is made of an argument of the same name is taken to be of its type.
        hints = get_type_hints(owner.__init__) | get_type_hints(owner)
    if hints.get(name) is None:
        raise TypeError(f"{owner.__name__}.{name} has no type: annotate it in the answer")
    return hints[name]


def plain(kind: Any) -> Any:
    """The type in JSON: numbers of any kind are floats, words of a choice and rows are texts, series are lists."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return reduce(or_, map(plain, arguments))
    if origin is Literal or (isinstance(kind, type) and issubclass(kind, models.Model)):
        return str
    if origin in (list, Sequence, Iterable) or (origin is tuple and arguments[1:] == (...,)):
        return list[plain(arguments[0])]  # type: ignore[misc]
    if origin is Mapping:
        return dict[arguments]  # type: ignore[misc, valid-type]
    return {Fraction: float, Decimal: float}.get(kind, kind)
