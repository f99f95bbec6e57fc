"""Verdicts, for programs."""

from datetime import datetime

from django.utils import timezone
from ninja import Router

from discussions.core.outcome import Outcome
from discussions.models import Verdict
from discussions.verdicts.actions import record_verdict
from discussions.verdicts.pages.verdict import build_verdict_page
from discussions.verdicts.permissions import check_record_verdict
from discussions.verdicts.views import judged_game_or_404
from workspace.web.endpoints import Answer, Given, endpoint
from workspace.web.require import SignedIn

router = Router()


class LineAnswer(Answer):
    """A metric's line. `passes` is null while it is pending; `flip` is how many judgements would turn it."""

    key: str
    label: str
    threshold: float
    numerator: int
    denominator: int
    score: float | None
    passes: bool | None
    is_applicable: bool
    flip: int | None


class OutcomeAnswer(Answer):
    """A verdict, or what is known of it: `passes` is null while `missing` names pending metrics."""

    passes: bool | None
    headline: str
    passed_count: int
    needed_count: int
    composite: float | None
    flip_distance: int | None
    cost_state: str
    missing: list[str]
    reasons: list[str]
    lines: list[LineAnswer]


class VerdictAnswer(Answer):
    """A recorded verdict. With a `reason` it supersedes the one before."""

    number: int
    passes: bool
    basis_sha256: str
    reason: str
    recorded_at: datetime
    recorded_by: str


class VerdictsAnswer(Answer):
    """The recorded verdicts of a game, newest first, and the outcome that stands or would be recorded now.

    `basis_sha256` goes back when the verdict is recorded, "" when it would show the work of others. `refusal` says why
    the verdict cannot be recorded, `hidden_because` why there is no outcome.
    """

    outcome: OutcomeAnswer | None
    hidden_because: str
    basis_sha256: str
    refusal: str
    recorded: list[VerdictAnswer]


class RecordGiven(Given):
    """Which basis the verdict rests on, as it was read; with a `reason` it supersedes the present verdict."""

    basis_sha256: str
    reason: str = ""


PATH = "/projects/{slug:slug}/games/{int:number}/verdict/"


@endpoint(
    router, "GET", PATH, name="api_verdict", permission="see_verdict", scope="read", answer=VerdictsAnswer
)
def show_verdicts(request: SignedIn, slug: str, number: int) -> VerdictsAnswer:
    """Read the verdict of a game.

    Leads, admins and the evaluators who submitted an evaluation of the game read it.
    """
    page = build_verdict_page(game=judged_game_or_404(request.user, slug, number), person=request.user)
    return VerdictsAnswer(
        outcome=None if page.outcome is None else _outcome(page.outcome.outcome),
        hidden_because=page.hidden_because,
        basis_sha256=page.basis_sha256,
        refusal=page.record_refusal,
        recorded=[_verdict(row) for row, _outcome in page.history],
    )


@endpoint(
    router,
    "POST",
    PATH,
    name="api_verdict",
    permission="record_verdict",
    scope="admin",
    answer=VerdictAnswer,
    status=201,
)
def record(request: SignedIn, slug: str, number: int, given: RecordGiven) -> VerdictAnswer:
    """Record the verdict of a game.

    Nothing is recorded when its basis changed since it was read (409).
    """
    game = judged_game_or_404(request.user, slug, number)
    check_record_verdict(request.user, game)
    row = record_verdict(
        game=game,
        basis_sha256=given.basis_sha256,
        reason=given.reason,
        by=request.user,
        now=timezone.now(),
    )
    return _verdict(row)


def _outcome(outcome: Outcome) -> OutcomeAnswer:
    names = [name for name in OutcomeAnswer.model_fields if name not in ("reasons", "lines")]
    return OutcomeAnswer(
        **{name: getattr(outcome, name) for name in names},
        reasons=[reason.says for reason in outcome.reasons],
        lines=[LineAnswer.model_validate(line) for line in outcome.lines],
    )


def _verdict(row: Verdict) -> VerdictAnswer:
    return VerdictAnswer(
        number=row.number,
        passes=row.passes,
        basis_sha256=row.basis_sha256,
        reason=row.reason,
        recorded_at=row.created_at,
        recorded_by=row.created_by.name,
    )
