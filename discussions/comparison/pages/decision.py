"""The region in which a change is decided on: the proposal, the form, and what was decided before."""

from datetime import datetime

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.comparison.core.comparison import MOST_LOOKS, IterationComparison
from discussions.comparison.permissions import check_decide
from discussions.comparison.queries import DecisionPreview, decision_preview, why_undecidable
from discussions.core.iteration_states import INCONCLUSIVE, KEEP, REVERT
from discussions.iterations.core.history import DecisionLine, History
from discussions.models import Iteration
from workspace.access.permissions import get_refusal
from workspace.models import Person

CHOICES = (KEEP, REVERT, INCONCLUSIVE)


TONES = {KEEP: "pass", REVERT: "fail", INCONCLUSIVE: "pending"}


class ChoiceLine(Struct, frozen=True):
    """One of the three choices; `refusal` greys it, `is_proposed` marks what the figures propose."""

    value: str
    label: str
    means: str
    refusal: str
    is_proposed: bool


class DecidedLine(Struct, frozen=True):
    """One recorded decision, as the region lists it."""

    number: int
    choice: str
    tone: str
    look: int
    reason: str
    by: str
    at: datetime
    is_current: bool


class DecisionPart(Struct, frozen=True):
    """Everything in the region. `basis_sha256` goes back with the form; `refusal` greys its button, "" if it does not.

    `rule_says` is the rubric's own rule on the target, "" without one; `differs` says that the standing decision is not
    what the figures propose now.
    """

    slug: str
    number: int
    against: int
    proposal: str
    proposal_tone: str
    proposal_says: str
    answer_says: str
    rule_says: str
    look: int
    most_looks: int
    basis_sha256: str
    refusal: str
    choices: list[ChoiceLine]
    decided: list[DecidedLine]
    differs: bool


def build_decision_part(*, iteration: Iteration, history: History, person: Person) -> DecisionPart | None:
    """The region for an iteration fetched with its project; None for what is no change. One query."""
    preview = decision_preview(history, iteration.pk)
    row = history.find(iteration.pk)
    if preview is None or row is None:
        return None
    against = history.find(row.compared_with)
    found = preview.compared if row.is_known else None
    target = found.metric(found.target) if found and found.target else None
    standing = row.decision
    refusal = _refusal(person, iteration, preview)
    return DecisionPart(
        slug=iteration.project.slug,
        number=iteration.number,
        against=against.number if against else 0,
        proposal=choice_words()[found.proposal] if found else "",
        proposal_tone=TONES[found.proposal] if found else "",
        proposal_says=found.action if found else "",
        answer_says=found.says if found else "",
        rule_says=target.rule.says if target else "",
        look=min(preview.basis.look, MOST_LOOKS),
        most_looks=MOST_LOOKS,
        basis_sha256=preview.basis_sha256,
        refusal=refusal,
        choices=_choices(refusal or _refusal(person, iteration, preview, KEEP), refusal, found),
        decided=[_decided(line, is_current=line is standing) for line in reversed(row.decisions)],
        differs=standing is not None and found is not None and standing.choice != found.proposal,
    )


def choice_words() -> dict[str, str]:
    """The three choices in words."""
    return {KEEP: _("keep"), REVERT: _("revert"), INCONCLUSIVE: _("inconclusive")}


def _choices(keep_refusal: str, refusal: str, found: IterationComparison | None) -> list[ChoiceLine]:
    """The three choices; only keeping asks for more than the others do."""
    means = {
        KEEP: _("the next change builds on this prompt"),
        REVERT: _("the next change builds on the earlier prompt"),
        INCONCLUSIVE: _("nobody can tell; the next change builds on the earlier prompt"),
    }
    words = choice_words()
    return [
        ChoiceLine(
            value=choice,
            label=words[choice].capitalize(),
            means=means[choice],
            refusal=keep_refusal if choice == KEEP else refusal,
            is_proposed=found is not None and found.proposal == choice,
        )
        for choice in CHOICES
    ]


def _refusal(person: Person, iteration: Iteration, preview: DecisionPreview, choice: str = "") -> str:
    if refused := get_refusal(check_decide, person, iteration, choice):
        return refused
    why = why_undecidable(preview, choice)
    return why.says if why else ""


def _decided(line: DecisionLine, *, is_current: bool) -> DecidedLine:
    return DecidedLine(
        number=line.number,
        choice=choice_words()[line.choice],
        tone=TONES[line.choice],
        look=line.look,
        reason=line.reason,
        by=line.by,
        at=line.created_at,
        is_current=is_current,
    )
