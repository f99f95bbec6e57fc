"""What leaves, described once: lines of JSON and the columns of tables are both made from the fields of a part."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, Protocol

from django.db import models
from msgspec import Raw, Struct

from workspace.exports.core.tables import INTEGER, MOMENT, NUMBER, TEXT, YES_NO, TableColumn, column
from workspace.models import Person

Line = dict[str, Any]
Make = Callable[..., Any]
NOTHING: frozenset[str] = frozenset()
NULL = Raw(b"null")
_KINDS: tuple[tuple[type[Any], str], ...] = (
    (models.BooleanField, YES_NO),
    (models.IntegerField, INTEGER),
    (models.FloatField, NUMBER),
    (models.DecimalField, NUMBER),
    (models.DateTimeField, MOMENT),
)


class PeopleNames(Protocol):
    def person(self, key: int | None) -> str | None:
        pass


class Field(Struct, frozen=True):
    """One value of a line, and a column of tables if it has words (`says`).

    `make` gets the names of the export and the values at the lookups of `of`. A field that only names a person leaves
    as the name or pseudonym. In tables a field stands ahead of the column `ahead_of`, if that is named. `blank` is what
    a line has where the field is left out.
    """

    name: str
    says: str
    of: tuple[str, ...]
    column: str
    kind: str
    ahead_of: str
    make: Make | None
    blank: Any


def field(
    name: str,
    says: str = "",
    *,
    of: str | Sequence[str] = "",
    column: str = "",
    kind: str = "",
    ahead_of: str = "",
    make: Make | None = None,
    blank: Any = "",
) -> Field:
    """A field that is read from the lookups `of`, from that of its own name without any."""
    lookups = (of or name,) if isinstance(of, str) else tuple(of)
    return Field(name, says, lookups, column or name, kind, ahead_of, make, blank)


def given(name: str, kind: str = "", says: str = "") -> Field:
    """A field that is null until whoever reads the lines fills it in."""
    return Field(name, says, (), name, kind, "", lambda _names: None, "")


def raw(name: str, *, of: str = "") -> Field:
    """A text that is JSON already, which is passed through."""
    return field(name, of=of, make=lambda _names, text: Raw(text or b"null"), blank=NULL)


class Exported:
    """The rows of a model that leave, and what belongs to them; `link` is the lookup from a row to its owner.

    A bare name is a field; a `TableColumn` is in tables only. `finish` completes the rows of one owner.
    """

    of: tuple[str, ...] = ("pk",)

    def __init__(
        self,
        name: str,
        model: type[models.Model],
        link: str,
        *fields: "str | Field | Exported | TableColumn",
        order: str = "pk",
        finish: Callable[[list[Line]], None] | None = None,
    ) -> None:
        self.name, self.model, self.link, self.order, self.finish = name, model, link, order, finish
        self.fields = [field(part) if isinstance(part, str) else part for part in fields]
        self.blank: list[Line] = []

    def list_columns(self) -> list[TableColumn]:
        columns: list[TableColumn] = []
        for part in self.fields:
            if isinstance(part, TableColumn):
                columns.append(part)
            elif isinstance(part, Field) and part.says:
                kind = part.kind or self._find_kind(part)
                read = partial(_read_number, part.name) if kind == NUMBER else part.name
                names = [*(known.name for known in columns), part.ahead_of]
                columns.insert(names.index(part.ahead_of), column(part.column, kind, part.says, read))
        return columns

    def load(
        self, keys: Collection[int], names: PeopleNames, left_out: frozenset[str] = NOTHING, within: str = ""
    ) -> dict[int, list[Line]]:
        """Key of the owner -> its rows. Fields and parts that are left out are not read from the database."""
        within = within or self.link
        parts = [part for part in self.fields if not isinstance(part, TableColumn)]
        places = {self.link: 0}
        columns = [
            [] if part.name in left_out else [places.setdefault(path, len(places)) for path in part.of]
            for part in parts
        ]
        query = self.model._default_manager.filter(**{f"{within}__in": keys}).order_by(self.order)
        rows = list(query.values_list(*places))
        if not rows:
            return {}
        makes = [self._plan(part, keys, names, left_out, within) for part in parts]
        steps = [(part.name, make, at) for part, make, at in zip(parts, makes, columns, strict=True)]
        owners: dict[int, list[Line]] = defaultdict(list)
        for values in rows:
            owners[values[0]].append(
                {
                    name: values[at[0]] if make is None else make(*[values[place] for place in at])
                    for name, make, at in steps
                }
            )
        for lines in owners.values() if self.finish else ():
            self.finish(lines)  # type: ignore[misc]
        return owners

    def stream(
        self, batches: Iterable[Collection[int]], names: PeopleNames, left_out: frozenset[str] = NOTHING
    ) -> Iterator[Line]:
        """The rows with these keys as lines of an export, a batch in memory at a time."""
        for keys in batches:
            for lines in self.load(keys, names, left_out).values():
                yield from ({"kind": self.name, **line} for line in lines)

    def _plan(
        self,
        part: "Field | Exported",
        keys: Collection[int],
        names: PeopleNames,
        left_out: frozenset[str],
        within: str,
    ) -> Make | None:
        """What makes a value from those at its lookups; None where the value stays as it is."""
        if part.name in left_out:
            return lambda: part.blank
        if isinstance(part, Exported):
            owners = part.load(keys, names, left_out, f"{part.link}__{within}")
            return lambda key: owners.get(key, [])
        if part.make is not None:
            return partial(part.make, names)
        return names.person if part.name in self._people else None

    @cached_property
    def _people(self) -> frozenset[str]:
        """The fields that only name a person."""
        plain = (part for part in self.fields if isinstance(part, Field) and part.make is None)
        return frozenset(part.name for part in plain if self._find(part).related_model is Person)

    def _find(self, part: Field) -> Any:
        model: Any = self.model
        for name in part.of[0].split("__"):
            column = model._meta.pk if name == "pk" else model._meta.get_field(name)
            model = column.related_model
        return column

    def _find_kind(self, part: Field) -> str:
        column = self._find(part)
        return next((kind for type_, kind in _KINDS if isinstance(column, type_)), TEXT)


ACT_COLUMNS = (
    column("changes", INTEGER, "how many acts there were on it", lambda row: len(row["history"])),
    column(
        "changed_at",
        MOMENT,
        "when it was changed last",
        lambda row: row["history"][-1]["at"] if row["history"] else None,
    ),
)


def list_acts(model: type[models.Model], link: str, *more: str) -> Exported:
    """Every act on a judgement or a mark; `undoes` is the version that it takes back."""
    return Exported(
        "history",
        model,
        link,
        "version",
        given("before"),
        field("after", of="value"),
        *("reason", *more, "took_ms", "undoes"),
        field("by", of="created_by"),
        field("at", of="created_at"),
        order="version",
        finish=_fill_before,
    )


def _fill_before(acts: list[Line]) -> None:
    before = ""
    for act in acts:
        act["before"], before = before, act["after"]


def list_batches(rows: "models.QuerySet[Any]", size: int) -> Iterator[list[int]]:
    last = 0
    while keys := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:size]):
        yield keys
        last = keys[-1]


def _read_number(name: str, line: Line) -> float | None:
    """Decimals are numbers in tables."""
    return None if line[name] is None else float(line[name])
