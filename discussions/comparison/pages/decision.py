"""The region for deciding on a change: the proposal, the form, and earlier decisions."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.comparison.core.comparison import MOST_LOOKS, IterationComparison
from discussions.comparison.labels import describe_verdict
from discussions.comparison.permissions import check_decide
from discussions.comparison.queries import DecisionPreview, decision_preview, why_undecidable
from discussions.core.iteration_states import INCONCLUSIVE, KEEP, REVERT
from discussions.iterations.core.history import DecisionLine, History
from discussions.iterations.queries import get_sentence
from discussions.metrics.core.registry import METRICS
from discussions.models import Iteration
from workspace.access.permissions import get_refusal
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person

CHOICES = (KEEP, REVERT, INCONCLUSIVE)


TONES = {KEEP: "pass", REVERT: "fail", INCONCLUSIVE: "pending"}


class ChoiceLine(Struct, frozen=True):
    """One of the three choices; `refusal` disables it, `is_proposed` marks what the figures propose."""

    value: str
    label: str
    means: str
    refusal: str
    is_proposed: bool


class DecisionPart(Struct, frozen=True):
    """Everything in the region. `found` is None while nothing is proposed; `says` is the first line of the comparison,
    `says_with` what it would be with withdrawn games, `rule_says` the rubric's own rule.

    `words` and `tones` name choices. `refusal` disables the button. `differs` says that the current decision is not
    what the figures propose now. `look` counts the looks at the pair, including this one.
    """

    number: int
    against: int
    found: IterationComparison | None
    says: str
    says_with: str
    rule_says: str
    words: dict[str, str]
    tones: dict[str, str]
    look: int
    most_looks: int
    basis_sha256: str
    refusal: str
    choices: list[ChoiceLine]
    decided: list[DecisionLine]
    differs: bool


def build_decision_part(
    *, iteration: Iteration, history: History, person: Person, preview: DecisionPreview | None = None
) -> DecisionPart | None:
    """The region for an iteration fetched with its project; None unless it is a change. One query without `preview`."""
    preview = preview or decision_preview(history, iteration.pk)
    row = history.find(iteration.pk)
    if preview is None or row is None:
        return None
    against = history.find(row.compared_with)
    found = preview.compared if row.is_known else None
    target = found.metric(found.target) if found and found.target else None
    refusal = _refusal(person, iteration, preview)
    return DecisionPart(
        number=iteration.number,
        against=against.number if against else 0,
        found=found,
        says=describe_comparison(found),
        says_with=describe_withdrawn(found, preview),
        rule_says=target.rule.says if target else "",
        words=choice_words(),
        tones=TONES,
        look=min(preview.basis.look, MOST_LOOKS),
        most_looks=MOST_LOOKS,
        basis_sha256=preview.basis_sha256,
        refusal=refusal,
        choices=_choices(refusal or _refusal(person, iteration, preview, KEEP), refusal, found),
        decided=row.decisions[::-1],
        differs=bool(row.decision and found and row.decision.choice != found.proposal),
    )


def describe_comparison(found: IterationComparison | None) -> str:
    """The first line of a comparison; "" without one."""
    if found is None or found.target is None:
        return found.says if found else ""
    return describe_verdict(found.metric(found.target), METRICS[found.target].scale.span)


def describe_withdrawn(found: IterationComparison | None, preview: DecisionPreview) -> str:
    """What the answer would be with games that were withdrawn after their figures were known; "" without any."""
    if found is None or preview.with_withdrawn is None:
        return ""
    says = ngettext(
        "With %(games)s, withdrawn after its figures were known: %(answer)s A withdrawal counts as a look.",
        "With %(games)s, withdrawn after their figures were known: %(answer)s Each withdrawal counts as a look.",
        len(found.withdrawn),
    )
    return says % {
        "games": format_numbers(found.withdrawn),
        "answer": describe_comparison(preview.with_withdrawn),
    }


def choice_words() -> dict[str, str]:
    return {KEEP: _("keep"), REVERT: _("revert"), INCONCLUSIVE: _("inconclusive")}


def _choices(keep_refusal: str, refusal: str, found: IterationComparison | None) -> list[ChoiceLine]:
    """The three choices; only keeping has further conditions."""
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
    refused = get_refusal(check_decide, person, iteration, choice)
    return refused or get_sentence(why_undecidable(preview, choice))
