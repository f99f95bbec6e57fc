"""A reviewer's answer as a ReviewRecord: scores and ranking as stated; missing values are not made up.

A ranking is a list in the JSON, or the lines below FINAL RANKING.
"""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rubric.core import records
from rubric.core.scales import COMMON, Scales, bring_all
from rubric.core.scores import compute_overall, get_weights, rank_values, round_half_up
from rubric.core.weights import Number, exact
from rubric.reviews.core import answer_json
from rubric.reviews.core.answer_shapes import READ_WITHIN, read_loosely
from workspace.core.strict_json import normalise_text

_HEADING = re.compile(
    r"^[ \t#*_>-]*FINAL[ \t]+RANKING[*_ \t]*:?[*_ \t]*([^\n]*)$", re.MULTILINE | re.IGNORECASE
)

_ITEM = re.compile(r"[ \t>]*(?:[-*•+][ \t]+)?(?:\(?#?[0-9]{1,4}[.):][ \t]*)?(?:[-*•+][ \t]+)?")
_MARKS = " \t*_`\"'[]“”"
_CONNECTOR = re.compile(r"[\s*_`\"'\]]*([>=,])[\s*_`\"'\[]*")
Places = list[list[str]]


def listed_ranking(value: Any, labels: answer_json.Names) -> tuple[Places | None, list[records.Flag]]:
    """The ranking of a JSON value: labels, or lists of labels that share a place. None when it is not a ranking."""
    if value is None:
        return None, []
    if value is answer_json.REFUSED or not isinstance(value, list):
        return None, [_unreadable()]
    written = [item if isinstance(item, list) else [item] for item in value]
    if not all(isinstance(name, str) for place in written for name in place):
        return None, [_unreadable()]
    return _placed(written, labels)


def written_ranking(text: str, labels: answer_json.Names) -> tuple[Places | None, list[records.Flag]]:
    """The ranking below the last line that reads FINAL RANKING, one response a line or all in one line with > and =."""
    headings = deque(_HEADING.finditer(text), maxlen=1)
    if not headings:
        return None, []
    heading = headings[0]
    by_length = sorted(labels.all, key=len, reverse=True)
    written = _chain(heading[1], labels, by_length, connectors=">=,")
    if not written:
        written = _lines(text, heading.end(), labels, by_length)
    return _placed(written, labels) if written else (None, [])


def contradicts(ranking: Places, overalls: Mapping[str, Number]) -> bool:
    """Whether the ranking puts a response before another one with a higher overall. Equal overalls allow any order."""
    lowest = None
    for place in ranking:
        here = [exact(overalls[label]) for label in place if label in overalls]
        if here and lowest is not None and max(here) > lowest:
            return True
        if here:
            lowest = min(here) if lowest is None else min(lowest, *here)
    return False


def _unreadable() -> records.Flag:
    return records.Flag("unreadable_ranking", "The ranking is no list of responses, so it is left out.")


def _placed(
    written: Sequence[Sequence[str]], labels: answer_json.Names
) -> tuple[Places | None, list[records.Flag]]:
    """The places with known labels, each label once, and flags for what was left out."""
    places: Places = []
    flags = []
    seen: set[str] = set()
    for names in written:
        place = []
        for name in names:
            label = labels.match(name)
            if label is None:
                said = f'The ranking names "{answer_json.quote_name(name)}", which is none of the responses.'
                flags.append(records.Flag("unknown_label", said, answer_json.quote_name(name)))
            elif label in seen:
                said = f"The ranking names {label} more than once; the first place counts."
                flags.append(records.Flag("duplicate_label", said, label))
            else:
                if labels.is_loose(name):
                    said = f'The ranking\'s "{answer_json.quote_name(name)}" is read as {label}.'
                    flags.append(records.Flag("loose_label", said, label))
                seen.add(label)
                place.append(label)
        if place:
            places.append(place)
    if places and len(seen) < len(labels.all):
        flags.append(records.Flag("incomplete_ranking", "The ranking leaves responses out."))
    return places or None, flags


def _lines(text: str, at: int, labels: answer_json.Names, by_length: Sequence[str]) -> list[list[str]]:
    """The items below a heading, up to the first line that is not an item; blank lines do not end the list."""
    written: list[list[str]] = []
    while at < len(text):
        end = text.find("\n", at + 1)
        end = len(text) if end < 0 else end
        line = text[at:end].strip("\r\n")
        at = end
        if not line.strip():
            continue
        item = _ITEM.match(line)
        start = item.end() if item else 0
        places = _chain(line[start:], labels, by_length, connectors="=")
        if places:
            written += places
        elif item and item[0].strip():
            written.append([line[start:].strip(_MARKS)])
        else:
            break
    return written


def _chain(
    text: str, labels: answer_json.Names, by_length: Sequence[str], *, connectors: str
) -> list[list[str]]:
    """The labels at the start of the text: those joined by = share a place, after > or a comma the next is lower."""
    places: list[list[str]] = []
    at = len(text) - len(text.lstrip(_MARKS))
    joined = ">"
    while True:
        label = next((name for name in by_length if _begins(text, at, name)), None)
        if label is None:
            return places
        if joined == "=":
            places[-1].append(label)
        else:
            places.append([label])
        at += len(label)
        connector = _CONNECTOR.match(text, at)
        if connector is None or connector[1] not in connectors:
            return places
        joined, at = connector[1], connector.end()


def _begins(text: str, at: int, label: str) -> bool:
    """Whether the label is at that position, in any case and as a separate word."""
    end = at + len(label)
    return text[at:end].casefold() == label.casefold() and not text[end : end + 1].isalnum()


# The number of this reader. A review is stored with the number of its reader. Reader 1 reads only the shape that was
# asked for. Readers 1 and 2 kept the ranking and the notes of one of two answers although the scores given with them
# were left out. Python 3.11.0 to 3.11.4 read some answers wrongly under both, so their numbers do not tell what an
# answer gave.
STRICT_READER, MIXING_READER, READER = 1, 2, 3
MISMATCH = Fraction(5, 100)
# The codes of the flags that `assemble_record` raises itself: whoever assembles a record again drops the old ones.
OVERALL_MISMATCH, RANK_MISMATCH = "overall_mismatch", "rank_mismatch"
MISMATCHES = (OVERALL_MISMATCH, RANK_MISMATCH)
MOST_FLAGS = 200
_ANY_KEY = re.compile(r'"[^"\n]{0,80}+"\s*+:')
_WANTED = re.compile(r'"(?:evaluations|scores|ranking)"\s*+:')
_DOES = r"(?:evaluat|assess|rank|rat|scor|judg|review|compar|help|assist|comply|provid|complet|participat|do th|do so)"
_NOT = r"(?:cannot|can not|can['’]t|won['’]t|will not|unable|not able|not going)"

_REFUSAL = re.compile(
    rf"\b(?:I|we)\b[^.!?\n]{{0,40}}?\b(?:decline|abstain|refuse)\b"
    rf"|(?:\b(?:I|we)\b|\A)[^.!?\n]{{0,40}}?\b{_NOT}\b[^.!?\n]{{0,60}}?\b{_DOES}",
    re.IGNORECASE,
)

_REFUSAL_WITHIN = 600


def read_review(
    text: str, labels: Sequence[str], rubric: records.RubricRecord, *, reader: int = READER
) -> records.ReviewRecord:
    """The review of the responses with these labels, read from a text under the version. Never raises; linear in time.

    The last object of the right shape is read, as `docs/response-rubric.md` says; if it holds no score by criterion,
    the last object in another shape that is understood. Scores that are missing or refused stay missing; the overalls
    are computed. Labels must differ from one another. `reader` reads as an earlier reader did.
    """
    text, _replaced = normalise_text(text)
    is_strict = reader == STRICT_READER
    names = answer_json.Names(labels, is_loose=not is_strict)
    spaces = [] if is_strict else _space_flags(text, labels)
    text = text if is_strict else text.translate(_SPACES)
    value, chosen_flags = _choose(text, names)
    said, flags = answer_json.read_given_scores(value, names, _keys(rubric), rubric.scales)
    if not is_strict and not any(given.scores for given in said.values()):
        (value, chosen_flags), (said, flags) = _reread(
            text, names, rubric, (value, chosen_flags), (said, flags)
        )
    ranking, ranking_flags = listed_ranking(value.get("ranking"), names)
    if ranking is None:
        ranking, written_flags = written_ranking(text, names)
        ranking_flags = ranking_flags + written_flags
    flags = chosen_flags + spaces + flags + ranking_flags
    if not any(given_scores.scores for given_scores in said.values()):
        flags += _take_overalls(said)
    mode = _mode(said, ranking, rubric, text)
    if not is_strict:
        flags += _unread_flags(text, mode, value, ranking, ranking_flags)
    return assemble_record(said, ranking, rubric, mode, flags=flags)


# The object that is read, and what it gives each response; each with the flags that it raised.
_Chosen = tuple[dict[str, Any], list[records.Flag]]
_Said = tuple[dict[str, answer_json.GivenScores], list[records.Flag]]
_SPACES = str.maketrans("\u00a0\u2007\u202f", "   ")


def _keys(rubric: records.RubricRecord) -> answer_json.Names:
    return answer_json.Names(criterion.key for criterion in rubric.criteria)


def _reread(
    text: str, names: answer_json.Names, rubric: records.RubricRecord, chosen: _Chosen, strict: _Said
) -> tuple[_Chosen, _Said]:
    """The result of another shape if the asked shape has no score by criterion; else the result of the asked shape."""
    loose = read_loosely(text, names, _keys(rubric))
    if loose is not None:
        said, flags = answer_json.read_given_scores(loose[0], names, _keys(rubric), rubric.scales)
        gave_whole = any(given != answer_json.GivenScores() for given in strict[0].values())
        if any(given.scores or (given.holistic is not None and not gave_whole) for given in said.values()):
            return loose, (said, flags)
    return chosen, strict


def _space_flags(text: str, labels: Sequence[str]) -> list[records.Flag]:
    plain = text.translate(_SPACES)
    is_odd = plain != text and any(
        label in plain and plain.count(label) != text.count(label) for label in labels
    )
    said = "Labels are written with spaces that do not break; they are read as plain ones."
    return [records.Flag("odd_spaces", said)] if is_odd else []


def _unread_flags(
    text: str, mode: str, value: Mapping[str, Any], ranking: Places | None, told: Sequence[records.Flag]
) -> list[records.Flag]:
    """Flags for text in which nothing could be read: the whole answer, or what is below FINAL RANKING."""
    if mode == records.UNREADABLE:
        return [records.Flag("nothing_read", _stood_there(text, value))]
    if ranking is None and not told and _HEADING.search(text):
        said = "Below FINAL RANKING stands no response that is known, so no ranking is read."
        return [records.Flag("unreadable_ranking", said)]
    return []


def _stood_there(text: str, value: Mapping[str, Any]) -> str:
    """A sentence on what an answer holds in which nothing could be read."""
    start = answer_json.quote_name(" ".join(text[:400].split()))
    if not start:
        return "Nothing is read: the answer is empty."
    blocks = answer_json.find_blocks(text[-READ_WITHIN:], wanted=_ANY_KEY)
    found = answer_json.decode(blocks[-1][1]) if blocks else value
    if isinstance(found, dict) and found:
        keys = ", ".join(f'"{answer_json.quote_name(key)}"' for key in list(found)[:5])
        return f"Nothing is read: the last block has the keys {keys}, and no score of a known response."
    if _WANTED.search(text):
        return f'Nothing is read: what looks like scores is damaged. The answer begins "{start}".'
    return f'Nothing is read: there are no scores and no ranking. The answer begins "{start}".'


def assemble_record(
    said: Mapping[str, answer_json.GivenScores],
    ranking: Places | None,
    rubric: records.RubricRecord,
    mode: str,
    *,
    flags: Sequence[records.Flag] = (),
) -> records.ReviewRecord:
    """The record of what each label was given, with the computed overalls and ranking, and flags for contradictions."""
    weights, scales = get_weights(rubric), rubric.scales
    responses = [
        _response(label, given_scores, weights, scales, mode) for label, given_scores in said.items()
    ]
    return records.ReviewRecord(
        mode=mode,
        responses=responses,
        ranking=_our_ranking(responses, ranking, mode),
        reported_ranking=ranking,
        flags=_bounded(list(flags)) + _mismatches(responses, ranking),
    )


def given_mode(
    said: Mapping[str, answer_json.GivenScores], ranking: Places | None, rubric: records.RubricRecord
) -> str:
    """How the review was given: with every score, with some, with only a holistic score or a ranking, or abstained."""
    if any(given_scores.scores for given_scores in said.values()):
        return (
            records.RUBRIC
            if all(len(given_scores.scores) == len(rubric.criteria) for given_scores in said.values())
            else records.PARTIAL
        )
    is_whole = ranking or any(given_scores.holistic is not None for given_scores in said.values())
    return records.HOLISTIC if is_whole else records.ABSTAINED


def _choose(text: str, labels: answer_json.Names) -> _Chosen:
    """The last object that names a response, or else the last that has the shape of a review; {} when there is none."""
    blocks = answer_json.find_blocks(text, wanted=_WANTED)
    best, value = 0, {}
    is_superseding = is_broken = False
    seen: set[str] = set()
    for _start, source in reversed(blocks):
        if source in seen:
            continue
        seen.add(source)
        other = answer_json.decode(source)
        fit = answer_json.fitness(other, labels)
        if fit > best:
            best, value, is_superseding = fit, other, False
        elif fit == best and fit and _differ(other, value):
            is_superseding = True
            if best == 2:
                break
        is_broken = is_broken or (not isinstance(other, dict) and best < 2)
    flags = []
    if is_superseding:
        flags.append(
            records.Flag(
                "superseded_block", "An earlier, different block of scores is there; the last one counts."
            )
        )
    if is_broken or _is_cut(text, blocks):
        said = "A block of scores is cut off or is no JSON, so nothing of it is read."
        flags.append(records.Flag("broken_block", said))
    return value, flags


def _bounded(flags: list[records.Flag]) -> list[records.Flag]:
    """The first flags, and how many more there were; a text can name a hundred thousand unknown responses."""
    if len(flags) <= MOST_FLAGS:
        return flags
    return [
        *flags[:MOST_FLAGS],
        records.Flag("more_flags", f"There are {len(flags) - MOST_FLAGS:,} more things to note."),
    ]


def _differ(first: Any, other: Any) -> bool:
    try:
        return bool(first != other)
    except RecursionError:
        return True


def _is_cut(text: str, blocks: Sequence[tuple[int, str]]) -> bool:
    """Whether something that looks like the beginning of a block follows the last complete one."""
    start, source = blocks[-1] if blocks else (0, "")
    after = start + len(source)
    return _WANTED.search(text, after) is not None


def _take_overalls(said: dict[str, answer_json.GivenScores]) -> list[records.Flag]:
    """Read an overall without scores as a holistic score, with a flag."""
    flags = []
    for label, given_scores in said.items():
        if (
            given_scores.holistic is None
            and given_scores.overall is not None
            and COMMON.holds(given_scores.overall)
        ):
            given_scores.holistic = given_scores.overall
            text = f"{label} has an overall and no scores, so the overall is read as a holistic score."
            flags.append(records.Flag("overall_as_holistic", text, label))
    return flags


def _mode(
    said: dict[str, answer_json.GivenScores], ranking: Places | None, rubric: records.RubricRecord, text: str
) -> str:
    mode = given_mode(said, ranking, rubric)
    return records.UNREADABLE if mode == records.ABSTAINED and not _is_refusal(text) else mode


def _is_refusal(text: str) -> bool:
    """Whether the text begins by declining to review; a text that declines only a detail and holds JSON does not."""
    return not _WANTED.search(text) and _REFUSAL.search(text[:_REFUSAL_WITHIN]) is not None


def _response(
    label: str, said: answer_json.GivenScores, weights: Mapping[str, Fraction], scales: Scales, mode: str
) -> records.ResponseReview:
    overall = compute_overall(bring_all(said.scores, scales), weights)
    return records.ResponseReview(
        label=label,
        scores={key: said.scores[key] for key in weights if key in said.scores},
        overall=overall.value,
        holistic=said.holistic,
        reported_overall=said.overall,
        is_incomplete=mode == records.PARTIAL and overall.is_incomplete,
        notes=said.notes,
    )


def _our_ranking(responses: list[records.ResponseReview], reported: Places | None, mode: str) -> Places:
    """The ranking by computed overalls if there are scores; else the reviewer's own, or that of its holistic scores."""
    if mode in (records.RUBRIC, records.PARTIAL):
        return rank_values({response.label: response.overall for response in responses})
    return reported or rank_values({response.label: response.holistic for response in responses})


def _mismatches(responses: list[records.ResponseReview], ranking: Places | None) -> list[records.Flag]:
    """Flags if the reviewer's overall differs from the computed one, or its ranking contradicts its own overalls."""
    flags = [
        _mismatch(response.label, response.reported_overall, response.overall)
        for response in responses
        if response.overall is not None
        and response.reported_overall is not None
        and abs(exact(response.reported_overall) - response.overall) > MISMATCH
    ]
    for source in ("reported_overall", "overall", "holistic"):
        gave = {
            response.label: getattr(response, source)
            for response in responses
            if getattr(response, source) is not None
        }
        if ranking and sum(label in gave for place in ranking for label in place) > 1:
            if contradicts(ranking, gave):
                said = "The reviewer's ranking contradicts the overalls it gave."
                flags.append(records.Flag(RANK_MISMATCH, said))
            break
    return flags


def _mismatch(label: str, reported: int | float, ours: Fraction) -> records.Flag:
    said = f"{label}: the reviewer's overall is {reported}; its scores give {round_half_up(ours)}."
    return records.Flag(OVERALL_MISMATCH, said, label)
