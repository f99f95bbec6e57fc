"""The scores of a verdict for other programs."""

from discussions.core.outcome import Outcome, OutcomeLine
from workspace.core.words import say
from workspace.exports.core.score_events import FAIL, PASS, PENDING, Score


def list_scores(outcome: Outcome) -> list[Score]:
    """A score for each metric of a verdict, then the verdict itself: 1 for PASS, 0 for FAIL, None if pending."""
    scores: list[Score] = [
        {
            "name": line.key,
            "value": line.score,
            "label": _label(None if line.is_open else line.passes),
            "explanation": _explain(line),
        }
        for line in outcome.lines
    ]
    says = " ".join([outcome.headline, *(reason.says for reason in outcome.reasons)])
    passes = None if outcome.passes is None else float(outcome.passes)
    return [
        *scores,
        {"name": "verdict", "value": passes, "label": _label(outcome.passes), "explanation": says},
    ]


def _explain(line: OutcomeLine) -> str:
    says = say(
        "{numerator} of {denominator}; the threshold is {threshold:g}.",
        numerator=line.numerator,
        denominator=line.denominator,
        threshold=line.threshold,
    )
    return f"{says} {line.people.helped}." if line.people and line.people.helped else says


def _label(passes: bool | None) -> str:
    return PENDING if passes is None else PASS if passes else FAIL
