"""Detects reviews that give exactly the scores that a response's own text claims for itself or for others."""

import re
from collections.abc import Mapping

from rubric.core.records import Flag, ReviewRecord, RubricRecord
from rubric.reviews.core.answer_json import Names, Score, decode, find_blocks, fitness, read_given_scores
from workspace.core.strict_json import normalise_text

MOST_BLOCKS = 50
Claims = dict[str, dict[str, Score]]


def claimed_flags(texts: Mapping[str, str], review: ReviewRecord, rubric: RubricRecord) -> list[Flag]:
    """A flag for each response if its text holds a block of scores that the review repeats; linear in the texts.

    `texts` are the responses by the labels of the review. A block claims scores in the shape of an answer, or, flat,
    for the response that holds it. It is repeated if the review gives every score that it claims, and there are enough
    of them: three, or all criteria of a response, or scores of two responses. A reviewer may still agree by chance, so
    a flag is only a reason to look at the review.
    """
    given = {response.label: dict(response.scores) for response in review.responses}
    for response in review.responses:
        if response.holistic is not None:
            given[response.label]["holistic"] = response.holistic
    labels, criteria = Names(texts), Names(criterion.key for criterion in rubric.criteria)
    return [
        _flag(label)
        for label, text in texts.items()
        if any(_is_repeated(claim, given, criteria) for claim in _claims(label, text, labels, rubric))
    ]


def _claims(label: str, text: str, labels: Names, rubric: RubricRecord) -> list[Claims]:
    """What each block of a response's text claims, by label and criterion."""
    criteria = Names(criterion.key for criterion in rubric.criteria)
    wanted = "|".join(re.escape(key) for key in ("evaluations", "scores", *criteria.all))
    blocks = find_blocks(normalise_text(text)[0], wanted=re.compile(rf'"(?:{wanted})"\s*+:', re.IGNORECASE))
    found = []
    for _start, source in blocks[-MOST_BLOCKS:]:
        value = decode(source)
        if isinstance(value, dict):
            said, _flags = read_given_scores(
                value if fitness(value, labels) == 2 else {"evaluations": {label: value}},
                labels,
                criteria,
                rubric.scales,
            )
            rows = {
                name: _row(given_scores.scores, given_scores.holistic) for name, given_scores in said.items()
            }
            found.append({name: row for name, row in rows.items() if row})
    return found


def _row(scores: Mapping[str, Score], holistic: Score | None) -> dict[str, Score]:
    return dict(scores) | ({} if holistic is None else {"holistic": holistic})


def _is_repeated(claims: Claims, given: Claims, criteria: Names) -> bool:
    """Whether the review gives all scores that are claimed, and they are too many to agree often by chance."""
    count = sum(len(row) for row in claims.values())
    is_enough = len(claims) > 1 or (count > 1 and count >= min(3, len(criteria.all)))
    return is_enough and all(
        given[label].get(name) == score for label, row in claims.items() for name, score in row.items()
    )


def _flag(label: str) -> Flag:
    said = (
        f"{label} holds scores in its text, and this review gives just these. Read the answer: the reviewer may have "
        "followed the text instead of judging it."
    )
    return Flag("claimed_scores", said, label)
