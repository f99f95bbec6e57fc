"""The decision on a change, for programs."""

from typing import Literal

from django.utils import timezone
from pydantic import Field

from discussions.comparison.actions import record_decision
from discussions.comparison.core.comparison import MetricCompared, RubricRule
from discussions.comparison.permissions import check_decide
from discussions.comparison.views.compare import DecisionPart, build_decision_part
from discussions.core.iteration_states import DECISIONS
from discussions.iterations.core.history import DecisionLine
from discussions.iterations.queries import count_erased, load_history
from discussions.iterations.views import iteration_or_404
from discussions.models import Iteration
from workspace.core.limits import LONGEST_REASON
from workspace.models import Person
from workspace.web.endpoints import Answer, Given, Operations
from workspace.web.views import SignedIn

router = Operations()
PATH = "/projects/{slug:slug}/iterations/{int:iteration}/decision/"


class DecidedAnswer(Answer, of=DecisionLine, fields="number choice reason by"):
    """A decision that was recorded."""


class RuleAnswer(Answer, of=RubricRule, fields="keeps says"):
    """The rubric's own rule: whether it keeps the change (null while an average is not known), and its words."""


class ComparedAnswer(
    Answer,
    of=MetricCompared,
    fields="key label threshold answer by_people control_mean:difference.control_mean "
    "change_mean:difference.change_mean verdict_means control_count:difference.control_count "
    "change_count:difference.change_count pair_count:difference.pair_count difference:difference.raw "
    "rebound:difference.rebound interval:difference.interval material:difference.material is_harmed",
):
    """One metric of a change against its reference, unrounded, over the games to which it applies.

    The means are those of people's estimates where `by_people` is true; `verdict_means` are those of the verdicts.
    `difference` is change minus reference as played, or in `pair_count` pairs; of it, `rebound` is regression to the
    mean, and `interval` is about the rest: improved above 0, worse below; null while games do not differ. `material` is
    the difference that matters. `is_harmed` marks a guardrail that fell by more than that and than chance explains.
    """


class DecisionAnswer(
    Answer,
    of=DecisionPart,
    fields="against says:found.says answer:found.answer proposal:found.proposal act:found.act action:found.action "
    "reason:found.reason chance:found.chance checks:found.checks gains:found.gains batches:found.batches look "
    "basis_sha256 refusal decided target difference:target.difference.raw interval:target.difference.interval "
    "rule:target.rule guardrails helped",
):
    """What the figures of a change say against its reference, and the decisions on it, newest first.

    `proposal` is "" while nothing is proposed. `act` is "keep", "revert", "play more", "play the reference", "drop",
    "switch" (to the first of `gains`) or "wait", `action` its sentence, `reason` why and `chance` that more games give
    an answer, null before it is known. `target` is the metric to improve, null if none was named; `difference`,
    `interval` and `rule` are the target's.
    `guardrails` are the other metrics, `checks` what fell and `gains` what improved among them; `batches` says what
    differs besides the prompt. `helped` says by metric which judges helped with people's estimates. Of `erased_count`
    games of the stage only the figures of their verdicts are left. `basis_sha256` goes back with the decision;
    `refusal` says why none can be made now.
    """

    says: str
    answer: str
    proposal: str
    act: str
    action: str
    reason: str
    chance: float | None
    checks: list[str]
    gains: list[str]
    batches: str
    erased_count: int
    target: ComparedAnswer | None
    difference: float | None
    interval: tuple[float, float] | None
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
    erased = sum(count_erased(iteration__stage=iteration.stage).values())
    return DecisionAnswer.read(part, erased_count=erased)
