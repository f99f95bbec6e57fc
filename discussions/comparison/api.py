"""The decision on a change, for programs."""

from typing import Literal

from django.utils import timezone
from pydantic import Field

from discussions.comparison.actions import record_decision
from discussions.comparison.core.comparison import MetricCompared
from discussions.comparison.pages.decision import build_decision_part
from discussions.comparison.permissions import check_decide
from discussions.core.iteration_states import DECISIONS
from discussions.iterations.queries import load_history
from discussions.iterations.views import iteration_or_404
from discussions.models import Iteration
from workspace.core.limits import LONGEST_REASON
from workspace.models import Person
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.require import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/iterations/{int:iteration}/decision/"


class DecidedAnswer(Answer):
    """A decision that was recorded."""

    number: int
    choice: str
    reason: str
    by: str


class RuleAnswer(Answer):
    """The rubric's own rule: whether it keeps the change (null while an average is not known), and its words."""

    keeps: bool | None
    says: str


class ComparedAnswer(Answer):
    """One metric of a change against its reference, unrounded, over the games to which it applies.

    `difference` is change minus reference as played; of it, `rebound` is regression to the mean. `interval` (95 %) and
    `probability`, that the true difference is above 0, are about the rest; null while games do not differ. `material`
    is the difference that matters. `is_harmed` marks a guardrail that fell by more than that.
    """

    key: str
    label: str
    threshold: float
    answer: str
    control_mean: float | None
    change_mean: float | None
    control_count: int
    change_count: int
    difference: float | None
    rebound: float
    interval: tuple[float, float] | None
    probability: float | None
    material: float
    is_harmed: bool


class DecisionAnswer(Answer):
    """What the figures of a change say against its reference, and the decisions on it, newest first.

    `proposal` is "" while nothing is proposed. `target` is the metric that the change should improve, null if none was
    named; `difference`, `interval`, `probability` and `rule` are the target's. `guardrails` are the other metrics.
    `basis_sha256` goes back with the decision; `refusal` says why none can be made now.
    """

    against: int
    says: str
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
    look: int
    basis_sha256: str
    refusal: str
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
    return _answer(found, request.user)


@router.post(PATH, "api_decision", "decide", "admin", status=201)
def decide(request: SignedIn, slug: str, iteration: int, given: DecisionGiven) -> DecisionAnswer:
    """Decide on a change: keep, revert or inconclusive.

    Nothing is recorded when a figure changed since the basis was read (409).
    """
    found = iteration_or_404(request.user, slug, iteration)
    check_decide(request.user, found)
    record_decision(iteration=found, **given.model_dump(), by=request.user, now=timezone.now())
    return _answer(iteration_or_404(request.user, slug, iteration), request.user)


def _answer(iteration: Iteration, person: Person) -> DecisionAnswer:
    assert iteration.stage is not None  # only a change gets here, and every change has its stage
    part = build_decision_part(iteration=iteration, history=load_history(iteration.stage), person=person)
    assert part is not None
    found = part.found
    target = found.metric(found.target) if found and found.target else None
    shown = _compared(target) if target else None
    return DecisionAnswer(
        against=part.against,
        says=part.says,
        answer=found.answer if found else "",
        proposal=found.proposal if found else "",
        action=found.action if found else "",
        checks=found.checks if found else [],
        target=shown,
        difference=shown.difference if shown else None,
        interval=shown.interval if shown else None,
        probability=shown.probability if shown else None,
        rule=RuleAnswer(keeps=target.rule.keeps, says=target.rule.says) if target else None,
        guardrails=[_compared(metric) for metric in found.metrics if metric != target] if found else [],
        look=part.look,
        basis_sha256=part.basis_sha256,
        refusal=part.refusal,
        decided=[
            DecidedAnswer(number=line.number, choice=line.choice, reason=line.reason, by=line.by)
            for line in part.decided
        ],
    )


def _compared(metric: MetricCompared) -> ComparedAnswer:
    found, posterior = metric.difference, metric.difference.posterior
    return ComparedAnswer(
        key=metric.key,
        label=metric.label,
        threshold=metric.threshold,
        answer=metric.answer,
        control_mean=found.control_mean,
        change_mean=found.change_mean,
        control_count=found.control_count,
        change_count=found.change_count,
        difference=found.raw,
        rebound=found.rebound,
        interval=posterior.interval if posterior else None,
        probability=posterior.higher if posterior else None,
        material=found.material,
        is_harmed=metric.is_harmed,
    )
