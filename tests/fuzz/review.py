"""The answer reader: no score, overall or place that is not written, nothing lost when it reads its own words again."""

import json
from typing import Any

from msgspec.structs import replace

from rubric.core.records import ABSTAINED, HOLISTIC, PARTIAL, RUBRIC, UNREADABLE, ResponseReview, ReviewRecord
from rubric.core.scores import compute_overall, get_weights
from rubric.reviews.core.answer_json import bare_name, list_spellings
from rubric.reviews.core.answer_record import MOST_FLAGS, read_review
from tests.factories.reviews import EXAMPLE, LABELS, VERSION, evaluations, fenced
from tests.fuzz.promises import check_sentences, check_storable, in_time, longer, numbers_in, unescaped
from workspace.core.strict_json import normalise_text

# The first byte of an input chooses the labels and the version, so that both vary without a second input.
LABEL_SETS = (
    LABELS,
    ["Response 1", "Response 10", "Response 2"],
    ["A", "a", "B"],
    ["ß", "İ", "Ǆ b"],
    ["overall", "notes", "accuracy"],
    ["Response A", "Response A = B"],
    ["x"],
)
_ACCURACY_ALONE = [
    replace(criterion, weight=float(criterion.key == "accuracy")) for criterion in VERSION.criteria
]
VERSIONS = (VERSION, replace(VERSION, criteria=_ACCURACY_ALONE))
FIRST_BYTES = bytes(range(ord("0"), ord("0") + len(LABEL_SETS) * len(VERSIONS)))


def check(data: bytes, read: Any = read_review) -> None:
    """Everything that holds of every review. Raises when it does not."""
    chosen = data[0] - FIRST_BYTES[0] if data else 0
    labels = LABEL_SETS[chosen % len(LABEL_SETS)]
    version = VERSIONS[chosen // len(LABEL_SETS) % len(VERSIONS)]
    text = data[1:].decode("utf-8", "surrogateescape")
    review = in_time(lambda given: read(given, labels, version), text)
    check_storable(review)
    _check_shape(review, labels, version)
    _check_written(review, text)
    assert review == read(normalise_text(text)[0], labels, version), "read twice, it says something else"
    _check_read_back(review, read(_as_answer(review), labels, version))


def check_long(data: bytes) -> None:
    """The same many times over is read in time."""
    for case in longer(data[1:]):
        in_time(lambda given: read_review(given, LABELS, VERSION), case.decode("utf-8", "surrogateescape"))


def seeds() -> list[bytes]:
    """Answers of every kind, under the first labels; and one under each of the others."""
    whole = f"Thoughts {{on}} it.\n{fenced(EXAMPLE)}\nFINAL RANKING:\n1. Response A\n2. Response B\n"
    holistic = {"ranking": ["Response B", ["Response A", "Response C"]], "scores": dict.fromkeys(LABELS, 7.5)}
    texts = [
        whole,
        fenced(EXAMPLE) + fenced({"evaluations": evaluations(A={"accuracy": 2, "clarity": ...})}),
        fenced(holistic),
        json.dumps(
            {
                "evaluations": evaluations(
                    B={"accuracy": "8", "notes": "“so”", "holistic": 3}, C={"clarity": None}
                )
            }
        ),
        '{"evaluations": {"Response A": {"accuracy": 11, "accuracy": 5, "overall": 1e1}, "response b": 4}}',
        "I prefer B.\n**FINAL RANKING:**\n1. Response B = Response A\n- (3) Response C\n",
        "FINAL RANKING: Response C > Response A = Response B",
        "I cannot rank these responses.",
        whole[: len(whole) // 2],
        "",
    ]
    seeds = [FIRST_BYTES[:1] + text.encode() for text in texts]
    for first in FIRST_BYTES:
        labels = LABEL_SETS[(first - FIRST_BYTES[0]) % len(LABEL_SETS)]
        said = {"evaluations": {label: {"accuracy": 6, "clarity": 9.5, "overall": 7} for label in labels}}
        seeds.append(bytes([first]) + json.dumps({**said, "ranking": labels}, ensure_ascii=False).encode())
    return seeds


def _check_shape(review: ReviewRecord, labels: list[str], version: Any) -> None:
    """Modes, ranges, overalls, rankings and flags are what the record promises."""
    weights = get_weights(version)
    assert review.mode in (RUBRIC, PARTIAL, HOLISTIC, ABSTAINED, UNREADABLE)
    assert [response.label for response in review.responses] == labels
    for response in review.responses:
        assert set(response.scores) <= set(weights)
        assert response.overall == compute_overall(response.scores, weights).value
        assert all(_is_score(score) for score in _scores(response)), f"{response} has what is no score"
    complete = all(len(response.scores) == len(weights) for response in review.responses)
    assert (review.mode == RUBRIC) == complete
    assert (review.mode == PARTIAL) == (
        any(response.scores for response in review.responses) and not complete
    )
    for ranking in (review.ranking, review.reported_ranking or []):
        placed = [label for place in ranking for label in place]
        assert len(placed) == len(set(placed)) and set(placed) <= set(labels) and all(ranking)
    assert len(review.flags) <= MOST_FLAGS + 2 + len(labels)
    check_sentences(*(flag.message for flag in review.flags))
    assert all(len(flag.message) < 400 for flag in review.flags)


def _check_written(review: ReviewRecord, text: str) -> None:
    """Each number stands in the text, and so does the response that it is about."""
    written, says = numbers_in(text), unescaped(text).casefold()
    for response in review.responses:
        numbers = [
            *_scores(response),
            *([] if response.reported_overall is None else [response.reported_overall]),
        ]
        assert {float(number) for number in numbers} <= written, f"{response} has a number that nobody wrote"
        assert not numbers or _is_named(response.label, says), f"nobody wrote of {response.label}"
    for place in review.reported_ranking or []:
        assert all(_is_named(label, says) for label in place), f"nobody ranked {place}"


def _is_named(label: str, says: str) -> bool:
    """Whether the text names the response, be it in Markdown or by its letter alone."""
    bare = bare_name(says)
    return label.casefold() in says or any(spelling in bare for spelling in list_spellings(label))


def _check_read_back(review: ReviewRecord, again: ReviewRecord) -> None:
    """What was read, written as an answer, is read as the same."""
    assert [replace(response, overall=None) for response in again.responses] == [
        replace(response, overall=None) for response in review.responses
    ], "its own words are read as something else"
    assert again.reported_ranking == review.reported_ranking
    assert again.ranking == review.ranking
    if review.mode != ABSTAINED:
        assert again.mode == review.mode


def _as_answer(review: ReviewRecord) -> str:
    entries = {response.label: _entry(response) for response in review.responses}
    return json.dumps({"evaluations": entries, "ranking": review.reported_ranking})


def _entry(response: ResponseReview) -> dict[str, Any]:
    parts = {"holistic": response.holistic, "overall": response.reported_overall, "notes": response.notes}
    return {**response.scores, **{name: part for name, part in parts.items() if part is not None}}


def _scores(response: ResponseReview) -> list[int | float]:
    return [*response.scores.values(), *([] if response.holistic is None else [response.holistic])]


def _is_score(score: Any) -> bool:
    return not isinstance(score, bool) and isinstance(score, int | float) and 1 <= score <= 10
