"""Reads the JSON of a rubric version strictly: a RubricRecord, or everything that is wrong; and version numbers."""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from itertools import accumulate
from typing import Any

import msgspec
from msgspec.structs import replace

from rubric.core.records import DISCUSSION, RESPONSE, Criterion, RubricRecord
from rubric.core.scales import Scale, write_number
from rubric.core.weights import exact, weight_problems
from rubric.versions.core import pattern_growth
from rubric.versions.core.game_specs import ParameterSpecs, game_specs
from rubric.versions.core.hidden_texts import list_hidden_texts
from workspace.core.json_faults import Problem
from workspace.core.strict_json import MOST_PROBLEMS, read_json
from workspace.core.words import mark, say

RESPONSE_CHOICES = ("ask_overall", "shuffle_criteria")
MOST_POINTS, FARTHEST = 101, 1000
_ANCHOR = re.compile(r"(-?\d+(?:\.\d+)?)(?:\s*[-–]\s*(-?\d+(?:\.\d+)?))?")
RESERVED_KEYS = ("overall", "notes", "holistic")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,59}")
_LONGEST_PATTERN, _DEEPEST_PATTERN = 600, 50
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_IN_SET = re.compile(r"\[(?:\[|\^?\]?[^\]]*(?:--|&&|~~|\|\|))")


def read_version(data: bytes, *, is_stored: bool = False) -> RubricRecord | list[Problem]:
    """The version that the JSON describes, or its problems (the first thousand). Never raises, whatever the data.

    A version that `is_stored` already may have slow patterns and hidden characters, which are refused otherwise.
    """
    document = read_json(data)
    if document.problems or not document.is_readable:
        return document.problems
    try:
        record = msgspec.convert(document.value, RubricRecord, strict=True)
    except msgspec.ValidationError as error:
        return [_shape_problem(str(error))]
    problems = _problems(record)
    if not (problems or is_stored):
        hidden = [Problem("hidden", says, pointer=pointer) for pointer, says in list_hidden_texts(record)]
        problems = [*_slow_patterns(record), *hidden]
    return problems[:MOST_PROBLEMS] or record


def publishing_problems(record: RubricRecord) -> list[Problem]:
    """What keeps a version from being published; older files and versions can still be read.

    Each criterion needs a meaning and a question. No pattern may match differently in another version of Python.
    """
    wanted = {
        "description": say("no description. Say what it means"),
        "question": say("no question. Write what reviewers are asked"),
    }
    problems = [
        Problem(
            "empty",
            say('The criterion "{key}" has {says}.', key=criterion.key, says=says),
            pointer=f"/criteria/{index}/{part}",
        )
        for index, criterion in enumerate(record.criteria)
        for part, says in wanted.items()
        if not getattr(criterion, part).strip()
    ]
    said = say(
        "The pattern has *+, ++ or ?+ after a group with a choice or a repetition, which Python before 3.11.5 matches "
        "wrongly. Write an atomic group instead, such as (?>(?:ab?c){{0,{most}}}).",
        most=pattern_growth.MOST_REPEATED,
    )
    return problems + _bad_patterns(record, pattern_growth.repeats_possessively, said)


def _slow_patterns(record: RubricRecord) -> list[Problem]:
    said = say(
        "The pattern has three or more long repetitions that can match the same text and what is between them, such as "
        ".*.*.* or .*a.*b.*c, which takes very long on some texts. Join them into one, write between them what they "
        "cannot match, as in [a-z]+-[a-z]+-[a-z]+, or limit them to a few letters, as in .{{0,{long}}}.",
        long=pattern_growth.LONG,
    )
    return _bad_patterns(record, pattern_growth.repeats_beside, said)


def _bad_patterns(record: RubricRecord, is_bad: Callable[[str], bool], said: str) -> list[Problem]:
    return [
        Problem("bad_pattern", said, pointer=f"/lists/patterns/{name}/{index}")
        for name, group in record.lists.get("patterns", {}).items()
        for index, source in enumerate(group)
        if is_bad(_filled_in(source))
    ]


def _shape_problem(text: str) -> Problem:
    """msgspec's message as a problem: "Expected ... - at `$.a[0].b`" becomes the pointer /a/0/b."""
    said, _, path = text.partition(" - at ")
    pointer = re.sub(r"[.\[]", "/", path.strip("`").removeprefix("$")).replace("]", "")
    return Problem(
        "wrong_shape",
        say("{said}. The keys are name, version, kind, criteria, parameters and lists.", said=said),
        pointer=pointer,
    )


def _problems(record: RubricRecord) -> list[Problem]:
    problems = [
        Problem("empty", say("The version's {key} is empty. Give it one.", key=key), pointer=f"/{key}")
        for key in ("name", "version")
        if not getattr(record, key).strip()
    ]
    if record.kind not in (DISCUSSION, RESPONSE):
        said = say(
            'The kind is "{kind}"; it must be "{discussion}" or "{response}".',
            kind=record.kind,
            discussion=DISCUSSION,
            response=RESPONSE,
        )
        return [*problems, Problem("unknown_kind", said, pointer="/kind")]
    problems += _criteria_problems(record.criteria)
    return problems + (_discussion_problems if record.kind == DISCUSSION else _response_problems)(record)


def _criteria_problems(criteria: list[Criterion]) -> list[Problem]:
    """Keys that occur more than once, and what is wrong with the weights."""
    problems = []
    keys = [criterion.key for criterion in criteria]
    counts = Counter(keys)
    for index, criterion in enumerate(criteria):
        if counts[criterion.key] > 1:
            said = say('The criterion "{key}" is there more than once. Keep one of them.', key=criterion.key)
            problems.append(Problem("twice", said, pointer=f"/criteria/{index}/key"))
    if problems:
        return problems
    places = {key: f"/criteria/{index}/weight" for index, key in enumerate(keys)}
    labels = {criterion.key: criterion.label for criterion in criteria}
    weights = weight_problems({criterion.key: criterion.weight for criterion in criteria}, labels)
    return [replace(problem, pointer=places.get(problem.pointer, "/criteria")) for problem in weights]


def _response_problems(record: RubricRecord) -> list[Problem]:
    """What a response version lacks for its reviews to be asked for and read."""
    problems = []
    if not record.criteria:
        problems.append(Problem("missing", say("The rubric has no criterion. Add one."), pointer="/criteria"))
    for index, criterion in enumerate(record.criteria):
        if criterion.key.casefold() in RESERVED_KEYS or not _KEY.fullmatch(criterion.key):
            said = say(
                '"{key}" cannot be the key of a criterion: write lower-case letters, digits and _, '
                "and none of {reserved_keys}, which name other parts of a review.",
                key=criterion.key,
                reserved_keys=", ".join(RESERVED_KEYS),
            )
            problems.append(Problem("bad_key", said, pointer=f"/criteria/{index}/key"))
        if criterion.scale is not None:
            problems += _scale_problems(index, criterion, criterion.scale)
    problems += [
        Problem(
            "unknown",
            say('There is no parameter "{name}". Remove it, or correct its name.', name=name),
            pointer=f"/parameters/{name}",
        )
        for name in sorted(record.parameters.keys() - set(RESPONSE_CHOICES))
    ]
    problems += [
        Problem(
            "illegal", say("{name} must be there, true or false.", name=name), pointer=f"/parameters/{name}"
        )
        for name in RESPONSE_CHOICES
        if not isinstance(record.parameters.get(name), bool)
    ]
    return problems


def _scale_problems(index: int, criterion: Criterion, scale: Scale) -> list[Problem]:
    """Why scores cannot be given on a scale, and the anchors that lie outside it."""
    said = find_scale_fault(criterion.key, scale)
    if said:
        return [Problem("bad_scale", said, pointer=f"/criteria/{index}/scale")]
    beyond = [points for points in criterion.anchors if not _is_on(points, scale)]
    return [
        Problem(
            "beyond_scale",
            say(
                'The points "{points}" of {key} lie beyond its scale, {scale}. Change one of the two.',
                points=points[:60],
                key=criterion.key,
                scale=scale.text,
            ),
            pointer=f"/criteria/{index}/anchors",
        )
        for points in beyond
    ]


def find_scale_fault(key: str, scale: Scale) -> str:
    """Why no score can be given on a scale; "" when it can."""
    numbers = (scale.lowest, scale.highest, scale.step)
    if not all(abs(number) <= FARTHEST for number in numbers):
        return say(
            "The scale of {key} has a number beyond {farthest}. Take smaller ones.",
            key=key,
            farthest=FARTHEST,
        )
    low, high, step = map(write_number, numbers)
    if not scale.lowest < scale.highest:
        return say(
            "The scale of {key} goes from {low} to {high}; the lowest must be below the highest. "
            "Change them.",
            key=key,
            low=low,
            high=high,
        )
    if not scale.step > 0:
        said = mark("The steps of the scale of {key} are {step}; they must be above 0. Change them.")
        return say(said, key=key, step=step)
    if not scale.is_step(scale.highest):
        return say(
            "The scale of {key} does not reach {high} from {low} in steps of {step}. Change one "
            "of the three.",
            key=key,
            high=high,
            low=low,
            step=step,
        )
    count = 1 + int((exact(scale.highest) - exact(scale.lowest)) / exact(scale.step))
    if count > MOST_POINTS:
        return say(
            "The scale of {key} has {count:,} points; {most_points} are the most. Take larger steps.",
            key=key,
            count=count,
            most_points=MOST_POINTS,
        )
    return ""


def _is_on(points: str, scale: Scale) -> bool:
    """Whether the points of an anchor ("3", "1-2") lie on the scale; words are not checked."""
    found = _ANCHOR.fullmatch(points.strip())
    return found is None or all(scale.holds(float(number)) for number in found.groups() if number)


def _discussion_problems(record: RubricRecord) -> list[Problem]:
    """What a discussion version lacks for its games to be measured."""
    problems = [
        Problem(
            "unknown", say("Criteria of games have no scale. Remove it."), pointer=f"/criteria/{index}/scale"
        )
        for index, criterion in enumerate(record.criteria)
        if criterion.scale is not None
    ]
    specs = game_specs()
    thresholds = {criterion.key: criterion.threshold for criterion in record.criteria}
    for key, spec in specs.wanted(thresholds).items():
        if key not in thresholds:
            problems.append(
                Problem(
                    "missing", say('The criterion "{key}" is missing. Add it.', key=key), pointer="/criteria"
                )
            )
            continue
        threshold = thresholds[key]
        if threshold is None or not spec.low <= threshold <= spec.high:
            said = say(
                "The threshold of {key} is {threshold}; it must lie between {low:g} and {high:g}.",
                key=key,
                threshold=threshold,
                low=spec.low,
                high=spec.high,
            )
            problems.append(Problem("out_of_range", said, pointer="/criteria"))
    for key in thresholds.keys() - specs.metrics.keys():
        problems.append(
            Problem(
                "unknown",
                say('No metric is called "{key}". Remove the criterion.', key=key),
                pointer="/criteria",
            )
        )
    wanted = specs.parameters_for(thresholds)
    return problems + _parameter_problems(record.parameters, wanted) + _list_problems(record.lists, wanted)


def _parameter_problems(parameters: Mapping[str, Any], specs: ParameterSpecs) -> list[Problem]:
    """Parameters that are missing and have no default, are unknown, of the wrong type, out of range or not legal."""
    problems = []
    for name in sorted(parameters.keys() - specs.names):
        said = say('There is no parameter "{name}". Remove it, or correct its name.', name=name)
        problems.append(Problem("unknown", said, pointer=f"/parameters/{name}"))
    for name in sorted(specs.names):
        said = _parameter_fault(name, parameters, specs)
        if said:
            problems.append(Problem("illegal", said, pointer=f"/parameters/{name}"))
    if not problems and parameters.get("sample_min", 0) > parameters.get("sample_max", 0):
        said = say("sample_min is above sample_max. Lower the one or raise the other.")
        problems.append(Problem("illegal", said, pointer="/parameters/sample_min"))
    return problems


def _parameter_fault(name: str, parameters: Mapping[str, Any], specs: ParameterSpecs) -> str:
    if name not in parameters:
        if name in specs.defaults:
            return ""
        return say('The parameter "{name}" is missing. Add it.', name=name)
    value = parameters[name]
    if name in specs.choices:
        legal = specs.choices[name]
        if any(value is choice or (isinstance(value, str) and value == choice) for choice in legal):
            return ""
        choices = " or ".join(json.dumps(choice) for choice in legal)
        return say(
            "{name} is {value}; it must be {choices}.", name=name, value=json.dumps(value), choices=choices
        )
    is_count = name in specs.counts
    low, high = specs.counts[name] if is_count else specs.amounts[name]
    kinds: tuple[type, ...] = (int,) if is_count else (int, float)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isinstance(value, kinds):
        wanted = say("a whole number") if is_count else say("a number")
        return say(
            "{name} is {value}; it must be {wanted} from {low} to {high}.",
            name=name,
            value=json.dumps(value),
            wanted=wanted,
            low=low,
            high=high,
        )
    return (
        ""
        if low <= value <= high
        else say(
            "{name} is {value}; it must lie between {low} and {high}.",
            name=name,
            value=value,
            low=low,
            high=high,
        )
    )


def _list_problems(lists: Mapping[str, Any], specs: ParameterSpecs) -> list[Problem]:
    """What is wrong with lists: word lists must hold words, patterns must compile, the role map needs both sides."""
    problems = []
    wanted = (*specs.word_lists, "patterns", "role_map", "personalities")
    problems += [
        Problem(
            "unknown",
            say('There is no list "{name}". Remove it, or correct its name.', name=name),
            pointer=f"/lists/{name}",
        )
        for name in sorted(lists.keys() - set(wanted))
    ]
    for name in specs.word_lists:
        if not _is_words(lists.get(name)):
            said = say(
                'The list "{name}" is missing or is not a list of words. Give it as ["one", "two"].',
                name=name,
            )
            problems.append(Problem("wrong_shape", said, pointer=f"/lists/{name}"))
    if not _is_role_map(lists.get("role_map")):
        said = say('The role map must give a list of roles for "mafia" and one for "village".')
        problems.append(Problem("wrong_shape", said, pointer="/lists/role_map"))
    personalities = lists.get("personalities")
    if not isinstance(personalities, list) or not all(map(_is_personality, personalities)):
        said = say("Each personality needs a key, a label and a description.")
        problems.append(Problem("wrong_shape", said, pointer="/lists/personalities"))
    return problems + _pattern_problems(lists.get("patterns"), specs)


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word.strip() for word in value)


def _is_role_map(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"mafia", "village"}
        and all(map(_is_words, value.values()))
    )


def _is_personality(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"key", "label", "description"}
        and all(isinstance(text, str) for text in value.values())
    )


def _pattern_problems(patterns: object, specs: ParameterSpecs) -> list[Problem]:
    """Required groups that are missing, and patterns that are not regular expressions or can take exponential time."""
    if not isinstance(patterns, dict):
        return [
            Problem(
                "missing",
                say("The patterns are missing. Copy them from the first version."),
                pointer="/lists/patterns",
            )
        ]
    names = (*specs.patterns, *(name for name in specs.optional_patterns if name in patterns))
    problems = [
        Problem(
            "unknown",
            say('No rule uses the patterns "{name}". Remove them.', name=name),
            pointer=f"/lists/patterns/{name}",
        )
        for name in sorted(patterns.keys() - set(names))
    ]
    for name in names:
        group = patterns.get(name)
        if not _is_words(group):
            said = say(
                'The patterns "{name}" are missing or are not a list of regular expressions.', name=name
            )
            problems.append(Problem("wrong_shape", said, pointer=f"/lists/patterns/{name}"))
            continue
        for index, source in enumerate(group or []):
            said = _pattern_fault(source)
            if said:
                problems.append(Problem("bad_pattern", said, pointer=f"/lists/patterns/{name}/{index}"))
    return problems


def _pattern_fault(source: str) -> str:
    if len(source) > _LONGEST_PATTERN:
        return say(
            "The pattern has {source_count} characters; {longest_pattern} are the most. Split it in two.",
            source_count=len(source),
            longest_pattern=_LONGEST_PATTERN,
        )
    bare = _ESCAPED.sub("x", source)
    depths = accumulate(1 if text == "(" else -1 for text in bare if text in "()")
    if max(depths, default=0) > _DEEPEST_PATTERN:
        return say(
            "The pattern has more than {deepest_pattern} brackets within each other. Write it flatter.",
            deepest_pattern=_DEEPEST_PATTERN,
        )
    if _IN_SET.search(bare):
        said = say(
            'The pattern has "[[" or a doubled -, &, ~ or | in square brackets, which Python will read otherwise.'
        )
        return say("{said} Put a backslash before it.", said=said)
    whole = _filled_in(source)
    try:
        re.compile(whole)
        runs_away = pattern_growth.repeats_choice(whole)
    except (re.error, OverflowError, RecursionError) as error:
        return say("The pattern is no regular expression: {error}. Correct it.", error=error)
    if runs_away:
        return say(
            "The pattern repeats a choice or a repetition more than {most} times, which can run for ever on some "
            "texts. Write a number of times such as {{0,{most}}} instead of * or +, or repeat one thing alone.",
            most=pattern_growth.MOST_REPEATED,
        )
    return ""


def _filled_in(source: str) -> str:
    # A word for the mafia is a pattern that may itself repeat choices, so it must not be repeated.
    whole = source.replace("{mafia_word}", f"(?:xx|yy){{0,{pattern_growth.MOST_REPEATED}}}")
    return whole.replace("{name}", "(?:x)").replace("{owner}", "(?:x)")


LONGEST_NUMBER = 20
_VERSION_NUMBER = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z._-]*[0-9A-Za-z])?")


def is_number(text: str) -> bool:
    """Whether this can be a version number: letters, digits, points and hyphens, since it is part of URLs."""
    return len(text) <= LONGEST_NUMBER and _VERSION_NUMBER.fullmatch(text) is not None


def next_number(taken: Collection[str]) -> str:
    """The number after the highest one: 1.0, 1.1 ... 1.9, 1.10; "1.0" when there is none yet."""
    counted = [
        tuple(map(int, evaluation.split(".")))
        for evaluation in taken
        if re.fullmatch(r"\d{1,6}(?:\.\d{1,6}){0,2}", evaluation)
    ]
    if not counted:
        highest: tuple[int, ...] = (1, -1)
    else:
        highest = max(counted)
        highest = highest if len(highest) > 1 else (*highest, 0)
    found = (*highest[:-1], highest[-1] + 1)
    while (text := ".".join(map(str, found))) in taken:
        found = (*found[:-1], found[-1] + 1)
    return text
