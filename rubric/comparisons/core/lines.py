"""New comparisons, and files of comparisons and reviews: what a line holds, and everything that is wrong with it.

`docs/comparisons.md` shows the lines. A review gives an answer as text, or plain scores, which can be on a scale of
their own. Labels say in which order the reviewer saw the responses.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rubric.core.records import MOST_RESPONSES
from rubric.core.scales import Scale, is_number, is_scale
from rubric.reviews.core.review_lines import walk_lines
from workspace.core.json_faults import Problem, build_pointer
from workspace.core.words import say, say_many

LONGEST_TEXT = 100_000
LONGEST_KEY = 120
LONGEST_AUTHOR = 200


class NewResponse(Struct, frozen=True):
    """One response text. `author` is the name or e-mail address of the model or person that wrote it; "" for nobody."""

    text: str
    key: str = ""
    author: str = ""


class NewComparison(Struct, frozen=True):
    """A question with its responses; `key` is the name that its importer gives it."""

    question: str
    responses: list[NewResponse]
    key: str = ""


def comparison_faults(comparison: NewComparison) -> list[Problem]:
    """What is wrong with it; pointers are within the comparison."""
    found = [*_question_faults(comparison), *_response_faults(comparison.responses)]
    return [Problem("invalid", said, pointer=pointer) for pointer, said in found]


def word_count(text: str) -> int:
    """How many words a text has, split at white space."""
    return len(text.split())


def _question_faults(comparison: NewComparison) -> Iterator[tuple[str, str]]:
    if not comparison.question.strip():
        yield "/question", say("The question is empty. Say what the responses answer.")
    if len(comparison.question) > LONGEST_TEXT:
        yield "/question", say("The question has more than 100,000 characters. Shorten it.")
    if len(comparison.key) > LONGEST_KEY:
        yield "/id", say("The id has more than 120 characters. Shorten it.")


def _response_faults(responses: Sequence[NewResponse]) -> Iterator[tuple[str, str]]:
    if not 2 <= len(responses) <= MOST_RESPONSES:
        said = say_many(
            "There is {n} response; a comparison has 2 to {most}.",
            "There are {n} responses; a comparison has 2 to {most}.",
            len(responses),
            most=MOST_RESPONSES,
        )
        yield "/responses", said
    seen: set[str] = set()
    for place, response in enumerate(responses):
        pointer = f"/responses/{place}"
        if not response.text.strip():
            yield f"{pointer}/text", say("Response {place} is empty. Give its text.", place=place + 1)
        if len(response.text) > LONGEST_TEXT:
            said = say("Response {place} has more than 100,000 characters. Shorten it.", place=place + 1)
            yield f"{pointer}/text", said
        if len(response.key) > LONGEST_KEY:
            said = say(
                "The id of response {place} has more than 120 characters. Shorten it.", place=place + 1
            )
            yield f"{pointer}/id", said
        if len(response.author) > LONGEST_AUTHOR:
            said = say(
                "The author of response {place} has more than 200 characters. Shorten the name.",
                place=place + 1,
            )
            yield f"{pointer}/author", said
        key = response.key or str(place + 1)
        if key in seen:
            yield f"{pointer}/id", say('The id "{key}" is there twice. Give each response its own.', key=key)
        seen.add(key)


COMPARISON_KEYS = ("id", "question", "responses")
RESPONSE_KEYS = ("id", "text", "author")
SAID_OF_ALL = {"criteria_first"}
HOLISTIC_KEY, NOTES_KEY = "holistic", "notes"


class ReviewGiven(Struct, frozen=True):
    """One review before it is read; all ids come from the file.

    `labels` is label -> response; either `text` is the reviewer's answer under these labels, or `scores` is response ->
    its scores, and `ranking` lists places, the best first, each with the responses tied there. `criteria_first` says
    that the reviewer saw the criteria before giving holistic scores. `scale` applies to every score, None if the file
    gives none; `scales` apply to single criteria. If neither is given, scores are on the version's own scales.
    """

    line: int
    comparison: str
    reviewer: str
    labels: dict[str, str]
    text: str | None = None
    scores: dict[str, dict[str, Any]] = {}
    scale: Scale | None = None
    scales: dict[str, Scale] = {}
    ranking: list[list[str]] | None = None
    criteria_first: bool = False

    @property
    def named(self) -> list[str]:
        """The responses that it names, each once."""
        return list(dict.fromkeys([*self.scores, *(key for place in self.ranking or [] for key in place)]))

    def get_scale(self, name: str) -> Scale | None:
        """The scale that the file names for scores of that name; None if it names none."""
        return self.scales.get(name, self.scale)


class Lines(Struct, frozen=True):
    """Everything in a file, in its order. A file with faults is not stored; the first thousand faults are named.

    Comparisons come with their line, counted from 1.
    """

    comparisons: list[tuple[int, NewComparison]]
    reviews: list[ReviewGiven]
    faults: list[Problem]


def read_comparison_lines(data: bytes) -> Lines:
    """Every comparison and review of a JSONL file, and every fault. Blank lines are skipped. Never raises.

    A line of `criteria_first` alone holds for the reviews after it that do not say it themselves.
    """
    found = Lines([], [], [])
    ids: dict[str, int] = {}
    is_json, said_of_all = False, {}

    def find_problems(value: Any) -> list[Problem]:
        nonlocal is_json
        is_json = True
        return _problems(value)

    for number, value in walk_lines(data, find_problems, found.faults):
        if value.keys() == SAID_OF_ALL:
            said_of_all = value
            continue
        if "comparison" in value:
            found.reviews.append(_review(number, said_of_all | value))
            continue
        given = _comparison(value)
        found.faults.extend(replace(fault, line=number) for fault in comparison_faults(given))
        if (line := ids.setdefault(given.key, number)) != number:
            said = say(
                'Line {line} has the id "{key}", too. Give each comparison its own.', line=line, key=given.key
            )
            found.faults.append(Problem("duplicate_id", said, number, pointer="/id"))
        found.comparisons.append((number, given))
    if fault := _find_fault_of_file(found, is_json):
        found.faults[:] = [fault]
    return found


def _find_fault_of_file(found: Lines, is_json: bool) -> Problem | None:
    """The fault of a file without lines, or of one whose lines are not JSON, which makes their own faults useless."""
    if not (found.comparisons or found.reviews or found.faults):
        said = say("The file holds no comparison and no review. Write one JSON object a line.")
        return Problem("empty", said)
    if is_json or len({fault.line for fault in found.faults}) == 1:
        return None
    said = say(
        "The lines of this file are not JSON. Write one JSON object a line. First convert a table (CSV), or JSON that "
        "is spread over several lines."
    )
    return Problem("not_json_lines", said, found.faults[0].line)


def response_numbers(comparison: NewComparison) -> dict[str, int]:
    """Id -> number of the responses, as they will be stored: a response without an id has its number as id."""
    return {
        response.key or str(number): number for number, response in enumerate(comparison.responses, start=1)
    }


def _problems(value: Any) -> list[Problem]:
    if isinstance(value, dict) and value.keys() == SAID_OF_ALL:
        return list(_order_problems(value))
    if not isinstance(value, dict) or not ("comparison" in value or "question" in value):
        said = say(
            "The line is neither a comparison (an object with id, question and responses) nor a review (an object with "
            "comparison, reviewer, and text, scores or ranking)."
        )
        return [Problem("wrong_shape", said)]
    return list(_review_problems(value) if "comparison" in value else _comparison_problems(value))


def _comparison_problems(value: dict[str, Any]) -> Iterator[Problem]:
    yield from _text_problems(value, ("id", "question"), "")
    yield from _unknown(value, COMPARISON_KEYS, "")
    if not isinstance(value.get("responses"), list):
        said = say('"responses" is missing or is no list. Give 2 to 26 objects with id, text and author.')
        yield Problem("wrong_shape", said, pointer="/responses")
        return
    for place, response in enumerate(value["responses"]):
        pointer = f"/responses/{place}"
        if not isinstance(response, dict):
            said = say("A response is an object with id, text and author.")
            yield Problem("wrong_shape", said, pointer=pointer)
            continue
        yield from _text_problems(response, ("text",), pointer)
        yield from _text_problems({"id": "-", "author": "-"} | response, ("id", "author"), pointer)
        yield from _unknown(response, RESPONSE_KEYS, pointer)


def _text_problems(value: dict[str, Any], keys: tuple[str, ...], pointer: str) -> Iterator[Problem]:
    for key in keys:
        text = value.get(key)
        if not isinstance(text, str) or (key in ("id", "reviewer", "comparison") and not text.strip()):
            said = say('"{key}" is missing or is no text. Give it as text.', key=key)
            yield Problem("wrong_shape", said, pointer=f"{pointer}/{key}")


def _unknown(value: dict[str, Any], known: tuple[str, ...], pointer: str) -> Iterator[Problem]:
    """Refuse unknown keys: stored rows never change, so a misspelt key must not be ignored."""
    for key in value:
        if key not in known:
            said = say("The key is none of {known}. Correct it, or remove it.", known=", ".join(known))
            yield Problem("unknown_key", said, pointer=pointer + build_pointer([key]))


def _order_problems(value: dict[str, Any]) -> Iterator[Problem]:
    if not isinstance(value.get("criteria_first", False), bool):
        said = say(
            '"criteria_first" is neither true nor false. Say whether the criteria were seen before the whole.'
        )
        yield Problem("wrong_shape", said, pointer="/criteria_first")


def _review_problems(value: dict[str, Any]) -> Iterator[Problem]:
    """What is wrong with the keys of a review that are read; other keys are ignored."""
    yield from _text_problems(value, ("comparison", "reviewer"), "")
    if isinstance(value.get("reviewer"), str) and len(value["reviewer"].strip()) > LONGEST_AUTHOR:
        said = say("The reviewer has more than 200 characters. Shorten the name.")
        yield Problem("too_long", said, pointer="/reviewer")
    yield from _order_problems(value)
    given = value.get("labels", {})
    if not isinstance(given, dict) or not all(isinstance(label, str) for label in given.values()):
        said = say(
            '"labels" must say which response each label was, such as {"Response A": "the id of a response"}.'
        )
        yield Problem("wrong_shape", said, pointer="/labels")
    if ("text" in value) == ("scores" in value or "ranking" in value):
        said = say("A review has either text, or scores and a ranking (one or both). Give one of them.")
        yield Problem("wrong_shape", said)
    elif "text" in value:
        yield from _text_problems(value, ("text",), "")
        if not given:
            said = say('A text speaks of labels. Say in "labels" which response each of them was.')
            yield Problem("wrong_shape", said, pointer="/labels")
    else:
        yield from _scores_problems(value) if "scores" in value else ()
        yield from _ranking_problems(value["ranking"]) if "ranking" in value else ()


def _ranking_problems(ranking: Any) -> Iterator[Problem]:
    """What is wrong with the shape of a ranking: ids, the best first, or lists of ids that share a place."""
    places = (
        [place if isinstance(place, list) else [place] for place in ranking]
        if isinstance(ranking, list)
        else []
    )
    if not places or not all(place and all(isinstance(key, str) for key in place) for place in places):
        said = say(
            '"ranking" must list the ids of responses, best first, and those that are equal in one list.'
        )
        yield Problem("wrong_shape", said, pointer="/ranking")


def _scores_problems(value: dict[str, Any]) -> Iterator[Problem]:
    given = value.get("scale", {})
    if not (all(map(is_scale, given.values())) if isinstance(given, dict) else is_scale(given)):
        said = say(
            '"scale" must be the lowest and the highest score that could be given, such as [0, 100], or an object of '
            "these by criterion."
        )
        yield Problem("wrong_shape", said, pointer="/scale")
        return
    if not isinstance(value["scores"], dict) or not value["scores"]:
        said = say('"scores" must hold an object of scores for each response, by its id.')
        yield Problem("wrong_shape", said, pointer="/scores")
        return
    for response, scores in value["scores"].items():
        if not isinstance(scores, dict):
            said = say(
                'The scores of a response are an object, such as {{"{holistic_key}": 7}}.',
                holistic_key=HOLISTIC_KEY,
            )
            yield Problem("wrong_shape", said, pointer=build_pointer(["scores", response]))
            continue
        for name, score in scores.items():
            message = _score_fault(name, score)
            if message:
                yield Problem("bad_score", message, pointer=build_pointer(["scores", response, name]))


def _score_fault(name: str, score: Any) -> str:
    """What is wrong with a score or the notes; null means that no score was given."""
    if name == NOTES_KEY:
        return "" if isinstance(score, str) else say('"notes" is no text. Give it as text.')
    is_right = score is None or is_number(score)
    return "" if is_right else say('"{name}" is no number. Give one, or null where there is none.', name=name)


def _comparison(value: dict[str, Any]) -> NewComparison:
    responses = [
        NewResponse(
            text=response["text"],
            key=response.get("id", "").strip(),
            author=response.get("author", "").strip(),
        )
        for response in value["responses"]
    ]
    return NewComparison(question=value["question"], responses=responses, key=value["id"].strip())


def _review(line: int, value: dict[str, Any]) -> ReviewGiven:
    scale = value.get("scale", {})
    by_key = scale if isinstance(scale, dict) else {}
    return ReviewGiven(
        line=line,
        comparison=value["comparison"].strip(),
        reviewer=value["reviewer"].strip(),
        labels={label: text.strip() for label, text in value.get("labels", {}).items()},
        text=value.get("text"),
        scores={key.strip(): score for key, score in value.get("scores", {}).items()},
        scale=None if isinstance(scale, dict) else Scale(*scale),
        scales={key: Scale(*ends) for key, ends in by_key.items()},
        ranking=_places(value["ranking"]) if "ranking" in value else None,
        criteria_first=value.get("criteria_first", False),
    )


def _places(ranking: list[Any]) -> list[list[str]]:
    return [[key.strip() for key in (place if isinstance(place, list) else [place])] for place in ranking]
