"""Recipes as small files: how files of one kind are read, under a name, to be kept and given on."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from discussions.transcripts.core.decoding import ENCODINGS
from discussions.transcripts.core.readers.aliases import is_pair
from discussions.transcripts.core.readers.columns import FIELDS, OR, MappingRecord, has_needed, split_columns
from workspace.core.strict_json import read_json
from workspace.core.words import mark, say

VERSION, MOST_BYTES = 1, 256 * 1024
Path = Annotated[str, Meta(min_length=1, max_length=200)]
Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^\S(.*\S)?$")]
_FORM = mark("This is no recipe: {reason}. Download a recipe to see how one is written.")


class RecipeFile(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A recipe: for each field its paths; what rows of a type are; other names; which paths nobody reads."""

    version: Literal[1]
    name: Name
    paths: dict[str, Annotated[list[Path], Meta(min_length=1, max_length=50)]] = {}
    kinds: dict[Path, Literal["speech", "vote", "elimination", "private", "thought", "ignore", "round"]] = {}
    aliases: dict[Path, Path] = {}
    settings: dict[Literal["encoding", "list", "rounds"], Path] = {}
    ignored: Annotated[list[Path], Meta(max_length=200)] = []


def write_recipe(name: str, mapping: MappingRecord) -> bytes:
    """The file of a recipe; equal recipes give equal bytes."""
    paths = {
        field: split_columns(mapping.fields[field], mapping.columns) or mapping.fields[field].split(OR)
        for field in FIELDS
        if field in mapping.fields
    }
    used = {path for own in paths.values() for path in own}
    parts = (mapping.kinds, mapping.aliases, mapping.settings)
    kinds, aliases, settings = (dict(sorted(part.items())) for part in parts)
    ignored = sorted(set(mapping.columns) - used)
    record = RecipeFile(VERSION, name, paths, kinds, aliases, settings, ignored)  # type: ignore[arg-type]
    return (
        msgspec.json.format(msgspec.json.encode({"version": VERSION} | msgspec.to_builtins(record)), indent=2)
        + b"\n"
    )


def read_recipe(data: bytes) -> tuple[str, MappingRecord]:
    """The name and the recipe of such a file. Raises ValueError with a sentence."""
    if len(data) > MOST_BYTES:
        raise ValueError(say(_FORM, reason=say("it has more than {most:,} bytes", most=MOST_BYTES)))
    document = read_json(data)
    if document.problems:
        problem = document.problems[0]
        raise ValueError(say("Line {line}: {message}", line=problem.line, message=problem.message))
    try:
        found = msgspec.convert(document.value, RecipeFile)
    except msgspec.ValidationError as error:
        raise ValueError(say(_FORM, reason=str(error))) from None
    fields = {field: OR.join(paths) for field, paths in found.paths.items()}
    columns = sorted({path for paths in found.paths.values() for path in paths} | set(found.ignored))
    kinds: dict[str, str] = {value.casefold(): kind for value, kind in found.kinds.items()}
    settings: dict[str, str] = dict(found.settings.items())
    mapping = MappingRecord(columns, fields, kinds, found.aliases, settings)
    if fault := find_fault(mapping):
        raise ValueError(fault)
    return found.name, mapping


def find_fault(mapping: MappingRecord) -> str:
    """What is wrong with a recipe, in a sentence; "" if nothing is."""
    unknown = next((field for field in mapping.fields if field not in FIELDS), None)
    if unknown is not None:
        known = ", ".join(FIELDS)
        return say('There is no field "{field}". Use one of: {known}.', field=unknown[:60], known=known)
    if mapping.fields and not has_needed(mapping.fields):
        return say("The paths of player and text are needed.")
    names = [
        name for own in mapping.fields.values() for name in (split_columns(own, mapping.columns) or [own])
    ]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        return say('The path "{name}" is used twice.', name=twice[:60])
    wrong = next((pair for pair in mapping.aliases.items() if not is_pair(*pair)), None)
    if wrong:
        sentence = '"{alias}" and "{name}" are no pair: both end with a *, or neither has one.'
        return say(sentence, alias=wrong[0][:60], name=wrong[1][:60])
    encoding = mapping.settings.get("encoding", "utf-8")
    if encoding not in ENCODINGS:
        known = ", ".join(ENCODINGS)
        return say(
            'There is no encoding "{encoding}". Use one of: {known}.', encoding=encoding[:60], known=known
        )
    return ""
