"""The columns with known names, where what they hold says more than the name."""

from collections.abc import Mapping
from functools import partial

from discussions.transcripts.core.audience import count_gaps
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.column_guesses import (
    Column,
    beside,
    columns_in,
    find_bare_text,
    find_free,
    find_round,
    is_round,
)
from discussions.transcripts.core.readers.tables import Table, sample_rows

# How often words of messages come back that say what a row is.
_LEAST_REPEATED = 3


def suggest_by_phase(table: Table, fields: dict[str, str]) -> dict[str, str]:
    """The fields, with further columns of players and texts where these are filled in other phases."""
    columns, every = {column.name: column for column in columns_in(table)}, suggest_all(table)
    phase = columns.get(fields.get("phase", ""))
    texts = [columns[name] for name in recipes.split_columns(every.get(recipes.TEXT, ""), columns)]
    filled = [{when for when, said in zip(phase.all, one.all, strict=True) if said} for one in texts if phase]
    return every if filled and sum(map(len, filled)) == len(set().union(*filled)) else fields


def suggest_known(table: Table) -> dict[str, str]:
    """The known fields; texts are no numbers alone."""
    fields = recipes.suggest_fields(table.columns)
    texts = [name for name in table.columns if recipes.field_of(name) == recipes.TEXT]
    if len(texts) > 1 and (said := _without_numbers(table, texts)) != texts:
        fields[recipes.TEXT] = recipes.OR.join(said if "type" in fields else said[:1])
    columns = columns_in(table)
    words = [one for one in columns if one.name in texts and not any(map(count_gaps, one.different))]
    is_repeated = len(words) == 1 and _LEAST_REPEATED * len(words[0].different) <= len(words[0].cells)
    if is_repeated and len(texts) > 1 and "type" not in fields:
        # "msg=whisper text=..." in a log.
        fields[recipes.TEXT] = next(name for name in texts if name != words[0].name)
        return fields | {"type": words[0].name}
    types = [one for one in columns if recipes.field_of(one.name) == "type"]
    if len(types) > 1:
        ordered = sorted(types, key=partial(_count_wrapped, types))
        fields["type"] = recipes.OR.join(one.name for one in ordered)
    return fields


def _count_wrapped(types: list[Column], own: Column) -> int:
    """How many other columns of types tell rows apart for which this one says the same: {"type": "event", ...}."""
    return sum(
        len({kind for kind, inner in zip(own.all, one.all, strict=True) if inner}) == 1 < len(one.different)
        for one in types
        if one is not own
    )


def _without_numbers(table: Table, names: list[str]) -> list[str]:
    """The columns that hold anything else than numbers; all of them if none does."""
    numbers = {one.name for one in columns_in(table) if all(map(str.isdecimal, one.different))}
    return [name for name in names if name not in numbers] or names


def suggest_all(table: Table) -> dict[str, str]:
    """The known fields; rows with other names of players and texts fill other columns: "speaker|agent"."""
    fields, columns = suggest_known(table), table.columns
    for field in set(recipes.NEEDED) & fields.keys():
        own = recipes.split_columns(fields[field], columns)
        own += [name for name in columns if name not in own and recipes.field_of(name) == field]
        own = _without_numbers(table, own) if field == recipes.TEXT else own
        # What is filled where the first one is does not stand in for it.
        first, *others = map(columns.index, own)
        together = {at for at in others for cells in sample_rows(table) if cells[first] and cells[at]}
        fields[field] = recipes.OR.join(name for name in own if columns.index(name) not in together)
    return fields


def lacks_columns(table: Table, fields: Mapping[str, str], rows: list[dict[str, str]]) -> bool:
    """Whether unknown columns may name who speaks, hold what was said, or count the rounds; `rows` have the fields."""
    free = find_free(table, fields)
    named = {column.name: column for column in columns_in(table)}
    texts = [named[name] for name in recipes.split_columns(fields.get(recipes.TEXT, ""), named)]
    counted = [*free, *(named[name] for name in [fields.get("turn", "")] if name in named)]
    beside_texts = [beside(texts[0], one) for one in counted] if texts else []
    numbers = [one.name for one in beside_texts if is_round(one) and 2 * len(one.different) <= len(one.cells)]
    is_named = any(recipes.PLAYER in cells for cells in rows)
    return (
        not is_named
        or bool(find_round(fields, named, numbers))
        or find_bare_text(table, fields, free) is not None
    )
