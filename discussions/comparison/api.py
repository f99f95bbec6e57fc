"""The decision on a change, for programs."""

from typing import Literal

from django.utils import timezone
from ninja import Router
from pydantic import Field

from discussions.comparison.actions import record_decision
from discussions.comparison.pages.decision import build_decision_part
from discussions.comparison.permissions import check_decide
from discussions.core.iteration_states import DECISIONS
from discussions.iterations.queries import load_history
from discussions.iterations.views import iteration_or_404
from discussions.models import Iteration
from workspace.core.limits import LONGEST_REASON
from workspace.models import Person
from workspace.web.endpoints import Answer, Given, endpoint
from workspace.web.require import SignedIn

router = Router()
PATH = "/projects/{slug:slug}/iterations/{int:iteration}/decision/"


class DecidedAnswer(Answer):
    """A decision that was recorded."""

    number: int
    choice: str
    reason: str
    by: str


class DecisionAnswer(Answer):
    """What the figures of a change say against its reference, and the decisions on it, newest first.

    `proposal` is "" while nothing is proposed. `basis_sha256` goes back with the decision; `refusal` says why none can
    be made now.
    """

    against: int
    says: str
    proposal: str
    look: int
    basis_sha256: str
    refusal: str
    decided: list[DecidedAnswer]


class DecisionGiven(Given):
    """The choice, the reason, and the basis as it was read."""

    choice: Literal[DECISIONS]  # type: ignore[valid-type]
    reason: str = Field(max_length=LONGEST_REASON)
    basis_sha256: str


@endpoint(
    router,
    "GET",
    PATH,
    name="api_decision",
    permission="decide",
    scope="read",
    answer=DecisionAnswer,
)
def show_decision(request: SignedIn, slug: str, iteration: int) -> DecisionAnswer:
    """Read what a change shows against its reference, and what was decided."""
    found = iteration_or_404(request.user, slug, iteration)
    check_decide(request.user, found)
    return _answer(found, request.user)


@endpoint(
    router,
    "POST",
    PATH,
    name="api_decision",
    permission="decide",
    scope="admin",
    answer=DecisionAnswer,
    status=201,
)
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
    return DecisionAnswer(
        against=part.against,
        says=part.says,
        proposal=part.found.proposal if part.found else "",
        look=part.look,
        basis_sha256=part.basis_sha256,
        refusal=part.refusal,
        decided=[
            DecidedAnswer(number=line.number, choice=line.choice, reason=line.reason, by=line.by)
            for line in part.decided
        ],
    )
