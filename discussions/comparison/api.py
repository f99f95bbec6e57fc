"""The decision on a change, for programs."""

from typing import Literal

from django.utils import timezone
from pydantic import Field

from discussions.comparison.actions import record_decision
from discussions.comparison.core.comparison import MetricCompared, RubricRule
from discussions.comparison.permissions import check_decide
from discussions.comparison.views.decision import DecisionPart, build_decision_part
from discussions.core.iteration_states import DECISIONS
from discussions.iterations.core.history import DecisionLine
from discussions.iterations.queries import load_history
from discussions.iterations.views import iteration_or_404
from discussions.models import Iteration
from workspace.core.limits import LONGEST_REASON
from workspace.models import Person
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.require import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/iterations/{int:iteration}/decision/"


class DecidedAnswer(Answer, of=DecisionLine, fields="number choice reason by"):
    """A decision that was recorded."""


class RuleAnswer(Answer, of=RubricRule, fields="keeps says"):
    """The rubric's own rule: whether it keeps the change (null while an average is not known), and its words."""


class ComparedAnswer(
    Answer,
    of=MetricCompared,
    fields="key label threshold answer control_mean:difference.control_mean change_mean:difference.change_mean "
    "control_count:difference.control_count change_count:difference.change_count difference:difference.raw "
    "rebound:difference.rebound interval:difference.posterior.interval "
    "probability:difference.posterior.higher material:difference.material is_harmed",
):
    """One metric of a change against its reference, unrounded, over the games to which it applies.

    `difference` is change minus reference as played; of it, `rebound` is regression to the mean. `interval` (95 %) and
    `probability`, that the true difference is above 0, are about the rest; null while games do not differ. `material`
    is the difference that matters. `is_harmed` marks a guardrail that fell by more than that.
    """


class DecisionAnswer(
    Answer,
    of=DecisionPart,
    fields="against says answer:found.answer proposal:found.proposal action:found.action checks:found.checks look "
    "basis_sha256 refusal decided target difference:target.difference.raw "
    "interval:target.difference.posterior.interval probability:target.difference.posterior.higher rule:target.rule "
    "guardrails",
):
    """What the figures of a change say against its reference, and the decisions on it, newest first.

    `proposal` is "" while nothing is proposed. `target` is the metric that the change should improve, null if none was
    named; `difference`, `interval`, `probability` and `rule` are the target's. `guardrails` are the other metrics.
    `basis_sha256` goes back with the decision; `refusal` says why none can be made now.
    """

    answer: str
    proposal: str
    action: str
    checks: list[str]
    target: ComparedAnswer | None
    difference: float | None
    interval: tuple[float, float] | None
    probability: float | None
    rule: RuleAnswer | None
    guardrails: list[ComparedAnswer]
    decided: list[DecidedAnswer]


class DecisionGiven(Given):
    """The choice, the reason, and the basis as it was read."""

    choice: Literal[DECISIONS]  # type: ignore[valid-type]
    reason: str = Field(max_length=LONGEST_REASON)
    basis_sha256: str


@router.get(PATH, "api_decision", "decide")
def show_decision(request: SignedIn, slug: str, iteration: int) -> DecisionAnswer:
    """Read what a change shows against its reference, and what was decided."""
    found = iteration_or_404(request.user, slug, iteration)
    check_decide(request.user, found)
    return _read_decision(found, request.user)


@router.post(PATH, "api_decision", "decide", "admin", status=201)
def decide(request: SignedIn, slug: str, iteration: int, given: DecisionGiven) -> DecisionAnswer:
    """Decide on a change: keep, revert or inconclusive.

    Nothing is recorded when a figure changed since the basis was read (409).
    """
    found = iteration_or_404(request.user, slug, iteration)
    check_decide(request.user, found)
    record_decision(iteration=found, **given.model_dump(), by=request.user, now=timezone.now())
    return _read_decision(iteration_or_404(request.user, slug, iteration), request.user)


def _read_decision(iteration: Iteration, person: Person) -> DecisionAnswer:
    assert iteration.stage is not None  # only a change gets here, and every change has its stage
    part = build_decision_part(iteration=iteration, history=load_history(iteration.stage), person=person)
    assert part is not None
    return DecisionAnswer.read(part)
