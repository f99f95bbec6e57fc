"""Turns a version into the texts of its editor, and back into a RubricRecord or all faults, field by field.

Fields are named `source`, `c0-label` (a criterion's, by its position), `p-pass_count` (a parameter's) and
`l-patterns.accuse` (a list's; a part of a list of lists after the point). A list has one entry a line. A weight is
typed in percent. If a text is unchanged, its field keeps the exact value, so opening and saving changes nothing:
14.2857 stays exactly one seventh.

A weight has a number field and a slider, which the server keeps in step. A browser also sends the number at which they
last agreed, so the control that was changed since then counts, and a hidden slider changes nothing.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from rubric.core.records import Criterion, RubricRecord
from rubric.core.scales import Scale, write_number
from rubric.core.weights import exact, percent_text, scale_others, weight_problems
from rubric.versions.core.game_specs import add_defaults, choices_for
from rubric.versions.core.version_json import find_scale_fault, publishing_problems, read_version
from workspace.core.canonical import canonical_bytes
from workspace.core.words import say

YES, NO = "yes", "no"
PARTS = ("key", "label", "description", "weight", "scale", "threshold", "is_mandatory", "question")
EXAMPLES = ("good_examples", "bad_examples")
LINES = ("guiding_questions", *EXAMPLES, "anchors", "advice")
CRITERION_FIELDS = (*PARTS, *LINES)
BETWEEN = " | "


def draft_texts(record: RubricRecord) -> dict[str, str]:
    """Field -> text, for everything that the editor shows of the version."""
    texts = {"source": record.source}
    for index, criterion in enumerate(record.criteria):
        texts |= {f"c{index}-{name}": text for name, text in criterion_texts(criterion).items()}
    texts |= {f"p-{name}": value_text(value) for name, value in add_defaults(record).items()}
    return texts | {f"l-{name}": "\n".join(entries) for name, entries in list_entries(record.lists).items()}


def criterion_texts(criterion: Criterion) -> dict[str, str]:
    return {
        "key": criterion.key,
        "label": criterion.label,
        "description": criterion.description,
        "weight": percent_text(criterion.weight),
        "scale": "" if criterion.scale is None else criterion.scale.plain_text,
        "threshold": "" if criterion.threshold is None else write_number(criterion.threshold),
        "is_mandatory": YES if criterion.is_mandatory else "",
        "question": criterion.question,
        "guiding_questions": "\n".join(criterion.guiding_questions),
        "good_examples": "\n".join(criterion.good_examples),
        "bad_examples": "\n".join(criterion.bad_examples),
        "anchors": "\n".join(f"{point}: {says}" for point, says in criterion.anchors.items()),
        "advice": "\n".join(criterion.advice),
    }


def list_entries(lists: Mapping[str, Any]) -> dict[str, list[str]]:
    """Name of a list, or of a part of it ("role_map.mafia"), -> its entries as texts."""
    found: dict[str, list[str]] = {}
    for name, value in lists.items():
        if isinstance(value, dict):
            found |= {f"{name}.{part}": _entries(entries) for part, entries in value.items()}
        else:
            found[name] = _entries(value)
    return found


def value_text(value: Any) -> str:
    if isinstance(value, bool):
        return YES if value else NO
    return write_number(value) if isinstance(value, float) else str(value)


def choice_texts(name: str, value: Any) -> list[str]:
    """The values that a parameter can have, as texts; [] when it is a number."""
    if choices := choices_for(name):
        return [value_text(choice) for choice in choices]
    return [YES, NO] if isinstance(value, bool) else []


def _entries(value: Any) -> list[str]:
    rows = value if isinstance(value, list) else [value]
    return [BETWEEN.join(map(str, row.values())) if isinstance(row, dict) else str(row) for row in rows]


MOST_CRITERIA = 40
_NUMBER = re.compile(r"[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,2})?")
_PERSONALITY = ("key", "label", "description")
Texts = Mapping[str, str]
# The field that a problem is about, "" if about several, and a sentence.
FieldFault = tuple[str, str]


class Unreadable(Exception):
    """A text that its field cannot take; the sentence says what to write."""


def read_draft(texts: Texts, base: RubricRecord) -> RubricRecord | list[FieldFault]:
    """The version that the texts describe, changed from `base`; or all problems.

    Never raises, whatever the texts. The texts must hold no lone surrogates; those of a form never do.
    """
    problems: list[FieldFault] = []
    indexes = used_indexes(texts)
    criteria = [_criterion(texts, index, base, problems) for index in indexes]
    was = draft_texts(base)
    record = replace(
        base,
        source=base.source if _says(texts, "source", was) else _plain(texts["source"]),
        criteria=criteria,
        parameters=_parameters(base, texts, was, problems),
        lists=_lists(base.lists, texts, was, problems),
    )
    if problems:
        return problems + [fault for fault in weight_faults(texts) if fault not in problems]
    found = read_version(canonical_bytes(record))
    faults = publishing_problems(found) if isinstance(found, RubricRecord) else found
    if isinstance(found, RubricRecord) and not faults:
        return found
    return [(find_field(problem.pointer, indexes), problem.message) for problem in faults]


def used_indexes(texts: Texts) -> list[int]:
    """The indexes of the criteria, without removed ones and the empty one at the end."""
    return [
        index
        for index in range(MOST_CRITERIA)
        if f"c{index}-key" in texts
        and not texts.get(f"c{index}-remove")
        and any(texts.get(f"c{index}-{name}", "").strip() for name in CRITERION_FIELDS)
    ]


def weight_sum(texts: Texts) -> Fraction | None:
    """The sum of the weights as typed, as a share; None while one of them is not a number."""
    weights = [texts.get(f"c{index}-weight", "") for index in used_indexes(texts)]
    return sum(map(_share, weights), Fraction()) if all(map(is_number, weights)) else None


def weight_changes(texts: Texts, before: RubricRecord | None) -> dict[int, tuple[str, str]]:
    """Index of a criterion -> its weight under `before` in percent, "" without it, and the signed change of it."""
    weights = {criterion.key: exact(criterion.weight) for criterion in before.criteria} if before else {}
    changes = {}
    for index in used_indexes(texts):
        was, text = weights.get(texts[f"c{index}-key"].strip()), texts.get(f"c{index}-weight", "")
        by = _share(text) - (was or 0) if is_number(text) else Fraction()
        sign, change = "+" if by > 0 else "\N{MINUS SIGN}", percent_text(abs(by))
        # 14.2857 as typed and one seventh differ by less than is shown.
        changes[index] = ("" if was is None else percent_text(was), "" if change == "0" else sign + change)
    return changes


def weight_faults(texts: Texts) -> list[FieldFault]:
    """What is wrong with the weights as typed, reported even while something else cannot be read."""
    indexes = used_indexes(texts)
    faults: list[FieldFault] = []
    for index in indexes:
        try:
            _part("weight", texts.get(f"c{index}-weight", ""), _name(texts, index))
        except Unreadable as fault:
            faults.append((f"c{index}-weight", str(fault)))
    fields = {_key(texts, index): f"c{index}-weight" for index in indexes}
    if faults or len(fields) < len(indexes):
        return faults
    labels = {_key(texts, index): _name(texts, index) for index in indexes}
    found = weight_problems({key: _share(texts[field]) for key, field in fields.items()}, labels)
    return [(fields.get(problem.pointer, ""), problem.message) for problem in found]


def is_number(text: str) -> bool:
    """Whether the text is a number of reasonable length: with an exponent of nine digits, the exact sum never ends."""
    return _NUMBER.fullmatch(text.strip()) is not None


def scale_weights(texts: Texts, index: int) -> dict[str, str]:
    """The weight fields with the one at `index` kept and the others scaled so that all sum to 100.

    Raises Unreadable if a weight is not a number, the kept one is not a share, or no other criterion can take the rest.
    """
    fields = {_key(texts, number): f"c{number}-weight" for number in used_indexes(texts)}
    typed = {key: _share(texts[field]) for key, field in fields.items() if is_number(texts.get(field, ""))}
    kept = _key(texts, index)
    if len(fields) < len(used_indexes(texts)):
        raise Unreadable(say("Two criteria have the same key. Give one of them another before scaling."))
    if len(typed) < len(fields) or kept not in typed:
        raise Unreadable(
            say("Every weight must be a number before the others can be scaled. Fill in those missing.")
        )
    try:
        weights = scale_others(typed, kept, typed[kept], _name(texts, index))
    except ValueError as error:
        raise Unreadable(say("{error} Change it first.", error=error)) from error
    return {fields[key]: percent_text(weight) for key, weight in weights.items()}


def find_field(pointer: str, indexes: list[int]) -> str:
    """The field that a JSON pointer into the version refers to; "" if it refers to several fields."""
    parts = pointer.strip("/").split("/")
    if parts[0] == "criteria" and len(parts) >= 3 and parts[2] in CRITERION_FIELDS:
        return f"c{indexes[int(parts[1])]}-{parts[2]}"
    if parts[0] == "parameters" and len(parts) > 1:
        return f"p-{parts[1]}"
    if parts[0] == "lists" and len(parts) > 1:
        return "l-" + ".".join(parts[1:3])
    return "source" if parts == ["source"] else ""


def _key(texts: Texts, index: int) -> str:
    return texts.get(f"c{index}-key", "").strip() or say("criterion {number}", number=index + 1)


def _name(texts: Texts, index: int) -> str:
    """What its faults call a criterion; two can have the same label."""
    return texts.get(f"c{index}-label", "").strip() or _key(texts, index)


def _criterion(texts: Texts, index: int, base: RubricRecord, problems: list[FieldFault]) -> Criterion:
    """One criterion; its faults go to `problems`, and unreadable parts become 0 or empty."""
    key = texts.get(f"c{index}-key", "").strip()
    before = next((criterion for criterion in base.criteria if criterion.key == key), None)
    was = criterion_texts(before) if before else {}
    typed = {name: _plain(texts.get(f"c{index}-{name}", "")) for name in CRITERION_FIELDS}
    built: dict[str, Any] = {}
    for name, text in typed.items():
        if before is not None and text == _plain(was[name]):
            built[name] = getattr(before, name)
            continue
        try:
            built[name] = _part(name, text, _name(texts, index))
        except Unreadable as fault:
            problems.append((f"c{index}-{name}", str(fault)))
            built[name] = _UNREAD.get(name, 0)
    return Criterion(**built)


def _part(name: str, text: str, title: str) -> Any:
    if name == "weight":
        return _number(
            text,
            say("The weight of {key}", key=title),
            say("one from 0 to 100, such as 25"),
            100,
        )
    if name == "threshold":
        if not text.strip():
            return None
        return _number(
            text,
            say("The threshold of {key}", key=title),
            say("one such as 80, or leave it empty"),
        )
    if name == "scale":
        return _scale(text, title)
    if name == "is_mandatory":
        return text == YES
    if name == "anchors":
        return _anchors(text)
    return _rows(text) if name in LINES else text.strip()


_UNREAD: dict[str, Any] = {"anchors": {}, "scale": None}
_SCALE = re.compile(
    rf"({_NUMBER.pattern})\s*(?:to|-|–|or)\s*({_NUMBER.pattern})(?:,?\s*(?:in\s+)?steps?\s+(?:of\s+)?({_NUMBER.pattern}))?",
    re.IGNORECASE,
)


def _scale(text: str, key: str) -> Scale | None:
    """The scale that "1 to 5", "0 or 1" or "0 to 3 in steps of 0.5" names; None, the common scale, if empty."""
    if not text.strip():
        return None
    found = _SCALE.fullmatch(text.strip())
    if found is None:
        said = say('The scale of {key} is "{text}", which is none.', key=key, text=text.strip()[:40])
        raise Unreadable(
            say(
                "{said} Write one such as 1 to 5, 0 or 1, or 0 to 3 in steps of 0.5; or leave it empty.",
                said=said,
            )
        )
    low, high = _short_number(found[1]), _short_number(found[2])
    is_pair = " or " in text.lower()
    scale = Scale(low, high, _short_number(found[3]) if found[3] else high - low if is_pair else 1)
    fault = find_scale_fault(key, scale)
    if fault:
        raise Unreadable(fault)
    return scale


def _short_number(text: str) -> int | float:
    """A typed number, as an int if it is whole, so that the same scale is stored the same way."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _anchors(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for row in _rows(text):
        point, colon, says = row.partition(":")
        if not colon or not point.strip() or not says.strip():
            raise Unreadable(
                say(
                    'The line "{row}" is no anchor. Write the points, a colon and what they mean.',
                    row=row[:60],
                )
            )
        if point.strip() in found:
            raise Unreadable(
                say(
                    'The points "{point}" are there twice. Keep one of the two lines.',
                    point=point.strip()[:60],
                )
            )
        found[point.strip()] = says.strip()
    return found


def _parameters(base: RubricRecord, texts: Texts, was: Texts, problems: list[FieldFault]) -> dict[str, Any]:
    """The parameters; one that the version lacks is not added as long as its text is the default."""
    return {
        name: _parameter(name, value, texts.get(f"p-{name}", was[f"p-{name}"]), problems)
        for name, value in add_defaults(base).items()
        if name in base.parameters or not _says(texts, f"p-{name}", was)
    }


def _parameter(name: str, before: Any, text: str, problems: list[FieldFault]) -> Any:
    text = text.strip()
    if text == value_text(before):
        return before
    if isinstance(before, bool):
        choices: tuple[object, ...] = (True, False)
    else:
        choices = choices_for(name)
    if choices:
        return next((choice for choice in choices if value_text(choice) == text), text)
    try:
        return (
            int(text) if re.fullmatch(r"[+-]?\d{1,20}", text) else _number(text, name, say("one such as 5"))
        )
    except Unreadable as fault:
        problems.append((f"p-{name}", str(fault)))
        return before


def _lists(before: Mapping[str, Any], texts: Texts, was: Texts, problems: list[FieldFault]) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: dict(value) if isinstance(value, dict) else value for name, value in before.items()
    }
    for name in list_entries(before):
        field = f"l-{name}"
        if _says(texts, field, was):
            continue
        text = _plain(texts[field])
        whole, _point, part = name.partition(".")
        entries: list[Any] = _rows(text)
        if whole == "personalities":
            entries = [_personality(row, field, problems) for row in entries]
        if part and isinstance(before[whole], dict):
            found[whole][part] = entries
        else:
            found[name] = entries
    return found


def _personality(row: str, field: str, problems: list[FieldFault]) -> dict[str, str]:
    parts = [part.strip() for part in row.split(BETWEEN.strip(), 2)]
    if len(parts) != len(_PERSONALITY) or not all(parts):
        said = say(
            'The line "{row}" is no personality. Write a key, a label and a description with | between them.',
            row=row[:60],
        )
        problems.append((field, said))
    return dict(zip(_PERSONALITY, parts, strict=False))


def _number(text: str, what: str, such_as: str, below: int = 1) -> float:
    if not is_number(text):
        raise Unreadable(
            say(
                '{what} is "{text}", which is no number. Write {such_as}.',
                what=what,
                text=text.strip()[:40],
                such_as=such_as,
            )
        )
    return float(exact(text.strip()) / below)


def _share(percent: str) -> Fraction:
    return exact(percent.strip()) / 100


def _rows(text: str) -> list[str]:
    return [row.strip() for row in text.split("\n") if row.strip()]


def _says(texts: Texts, field: str, was: Texts) -> bool:
    """Whether a field is unchanged. Browsers do not send back the same line ends that were in the text."""
    return field not in texts or _plain(texts[field]) == _plain(was[field])


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


HIGHEST = 100


def slide_text(number: str) -> str:
    """The slider's position for a number: the nearest whole percent from 0 to 100, 0 if the text is not a number."""
    if not is_number(number):
        return "0"
    return str(min(max(round(exact(number.strip())), 0), HIGHEST))


def in_step(texts: Texts, *, active_field: str = "") -> dict[str, str]:
    """The fields of every weight (`c0-weight`, `c0-slide`, `c0-was`), set to the value of the control that was moved.

    If both were moved, the number counts, unless the slider is the field `active_field`. Never raises.
    """
    moved: dict[str, str] = {}
    for index in range(MOST_CRITERIA):
        weight, slide, was = (f"c{index}-{name}" for name in ("weight", "slide", "was"))
        if weight in texts:
            number = texts[weight]
            if _is_slid(texts, slide, was) and (number == texts[was] or active_field == slide):
                number = slide_text(texts[slide])
            moved |= {weight: number, slide: slide_text(number), was: number}
    return moved


def _is_slid(texts: Texts, slide: str, was: str) -> bool:
    """Whether the slider was moved since the page was made."""
    return (
        slide in texts
        and was in texts
        and is_number(texts[slide])
        and slide_text(texts[slide]) != slide_text(texts[was])
    )
