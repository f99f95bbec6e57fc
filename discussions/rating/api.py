"""API of one's own evaluations: what there is to judge, judging, submitting.

An answer is built from the same visible part as the evaluator's page, so it cannot hold what is hidden.
"""

from datetime import datetime
from typing import Any

from django.utils import timezone
from pydantic import Field

from discussions.core.judgement_kinds import list_answers
from discussions.models import Evaluation
from discussions.rating.actions.acts import act
from discussions.rating.actions.finish import (
    reopen_evaluation,
    return_to_game,
    skip_game,
    submit_evaluation,
)
from discussions.rating.actions.judgements import undo
from discussions.rating.core.visibility import Missing
from discussions.rating.pages.own_work import mine_page
from discussions.rating.pages.visible_evaluation import build_visible_evaluation
from discussions.rating.queries import EvaluationState, load_state
from discussions.rating.views import evaluation_or_404
from workspace.revisions.core import Act
from workspace.web.endpoints import After, Answer, Given, Listed, Operations, next_part
from workspace.web.require import SignedIn

router = Operations()
PATH = "/evaluations/"
ONE = PATH + "{int:evaluation}/"
MOST_JUDGED = 200


class EvaluationAnswer(Answer):
    """One of your evaluations. `state` is draft, returned, submitted, skipped or lapsed."""

    id: int
    project: str
    game: int
    state: str
    started_at: datetime
    submitted_at: datetime | None


class MissingAnswer(Answer):
    """Something to judge before the evaluation can be submitted, and the values that it takes; none for a reveal."""

    kind: str
    subject: str
    says: str
    values: list[str]


class JudgementAnswer(Answer):
    """Your judgement of one subject; `version` counts your judgements of it, and the next one must send it back."""

    kind: str
    subject: str
    value: str
    reason: str
    version: int


class SeenMessageAnswer(Answer):
    """A message of the transcript, by position from 1."""

    position: int
    player: int
    round: int
    text: str


class SeenReferenceAnswer(Answer):
    """A memory reference.

    `check` and `says` are what the vote record says, "" until you have rated the game and labelled all references.
    """

    subject: str
    message: int
    text: str
    is_counted: bool
    check: str
    says: str


class TestAgentAnswer(Answer):
    """An agent of the blind test with samples of its messages."""

    number: int
    name: str
    texts: list[str]


class TestAnswer(Answer):
    """The blind test with which the evaluation begins: who of the agents wrote each message?"""

    agents: list[TestAgentAnswer]
    messages: list[str]


class WorkAnswer(Answer):
    """An evaluation as you may see it now. While the blind test is open there is no transcript, only `test`.

    `players` are names by number from 1. `roles` are null until you have revealed them.
    """

    id: int
    project: str
    game: int
    state: str
    why_closed: str
    returned_comment: str
    test: TestAnswer | None
    players: list[str]
    messages: list[SeenMessageAnswer]
    votes: list[dict[str, int]]
    references: list[SeenReferenceAnswer]
    questions: list[str]
    roles: list[dict[str, str]] | None
    judgements: list[JudgementAnswer]
    missing: list[MissingAnswer]


class SavedAnswer(Answer):
    """What was stored, what that revealed, and what is still missing before submitting."""

    judgements: list[JudgementAnswer]
    revealed: list[str]
    missing: list[MissingAnswer]


class JudgementGiven(Given):
    """A judgement of one thing. `version` is how often you judged it before, 0 at first; "" as value clears it.

    The kinds "reveal" (subject "roles", "transcript" or "suggestions", value "yes"), "comment" and "flag" (subject
    "message:19" or "game", the text as `reason`) are acts of the same form.
    """

    kind: str = Field(max_length=30)
    subject: str = Field(default="", max_length=200)
    value: str | None = Field(default=None, max_length=40)
    reason: str | None = Field(default=None, max_length=5000)
    version: int = Field(default=0, ge=0, le=10**7)


class JudgementsGiven(Given):
    """Judgements in the order in which they are made: all of them are stored, or none."""

    judgements: list[JudgementGiven] = Field(min_length=1, max_length=MOST_JUDGED)


class UndoGiven(Given):
    """The subject whose newest judgement is undone; without `kind`, the newest of all."""

    kind: str = Field(default="", max_length=30)
    subject: str = Field(default="", max_length=200)


class SubmissionGiven(Given):
    """Whether to submit a returned evaluation although nothing changed since a team lead returned it."""

    unchanged: bool = False


class SkipGiven(Given):
    """Why you give the game back."""

    reason: str = Field(max_length=2000)


@router.get(PATH, "api_evaluations", "sign_in")
def list_evaluations(request: SignedIn, after: After = 0) -> Listed[EvaluationAnswer]:
    """List your evaluations, newest first, 50 at a time."""
    page = mine_page(person=request.user, now=timezone.now(), before=after)
    return Listed[EvaluationAnswer](
        items=[short_answer(row) for row in page.evaluations], next=next_part(request, page.older)
    )


@router.get(ONE, "api_evaluation", "rate")
def show_evaluation(request: SignedIn, evaluation: int) -> WorkAnswer:
    """Read one of your evaluations.

    It holds the transcript, what you judged and what there is to judge, as far as you may see it now.
    """
    return _work(load_state(evaluation_or_404(request.user, evaluation)))


@router.post(ONE + "judgements/", "api_judgements", "rate", "rate")
def judge(request: SignedIn, evaluation: int, given: JudgementsGiven) -> SavedAnswer:
    """Judge.

    If a judgement was changed elsewhere since its version, the answer is a conflict (409) and none is stored.
    """
    found, key = evaluation_or_404(request.user, evaluation), request.headers["Idempotency-Key"]
    revealed: set[str] = set()
    for number, one in enumerate(given.judgements):
        posted = Act(**one.model_dump(), key=f"api:{number}:{key}")
        revealed |= act(evaluation=found, posted=posted, by=request.user, now=timezone.now()).revealed
        found = evaluation_or_404(request.user, evaluation)
    work = load_state(found)
    things = {(one.kind, one.subject) for one in given.judgements}
    return SavedAnswer(
        judgements=[line for line in _judgements(work) if (line.kind, line.subject) in things],
        revealed=sorted(revealed),
        missing=_missing(work),
    )


@router.post(ONE + "undo/", "api_undo", "rate", "rate")
def take_back(request: SignedIn, evaluation: int, given: UndoGiven) -> SavedAnswer:
    """Take your newest judgement back. What it revealed stays visible."""
    found, key = evaluation_or_404(request.user, evaluation), request.headers["Idempotency-Key"]
    saved = undo(
        evaluation=found, key=f"api:{key}", **given.model_dump(), by=request.user, now=timezone.now()
    )
    work = load_state(evaluation_or_404(request.user, evaluation))
    lines = [line for line in _judgements(work) if (line.kind, line.subject) == (saved.kind, saved.subject)]
    return SavedAnswer(judgements=lines, revealed=[], missing=_missing(work))


@router.post(ONE + "submit/", "api_submit", "submit", "rate")
def submit(request: SignedIn, evaluation: int, given: SubmissionGiven | None = None) -> EvaluationAnswer:
    """Submit an evaluation. It is final unless you reopen it in time, or a team lead returns it.

    A returned evaluation in which nothing changed is refused (422) with the code "unchanged". To submit it all the
    same, send {"unchanged": true}.
    """
    found = evaluation_or_404(request.user, evaluation)
    unchanged = given is not None and given.unchanged
    submit_evaluation(evaluation=found, unchanged=unchanged, by=request.user, now=timezone.now())
    return _again(request, evaluation)


@router.post(ONE + "reopen/", "api_reopen", "reopen_evaluation", "rate")
def reopen(request: SignedIn, evaluation: int) -> EvaluationAnswer:
    """Reopen an evaluation that you submitted, for as long as the project allows and no team lead has used it.

    It is a draft again and does not count until you submit it again.
    """
    found = evaluation_or_404(request.user, evaluation)
    reopen_evaluation(evaluation=found, by=request.user, now=timezone.now())
    return _again(request, evaluation)


@router.post(ONE + "skip/", "api_skip", "rate", "rate")
def skip(request: SignedIn, evaluation: int, given: SkipGiven) -> EvaluationAnswer:
    """Give a game back. What you judged is kept."""
    found = evaluation_or_404(request.user, evaluation)
    skip_game(evaluation=found, reason=given.reason, by=request.user, now=timezone.now())
    return _again(request, evaluation)


@router.post(ONE + "return/", "api_return", "return_to_game", "rate")
def take_up(request: SignedIn, evaluation: int) -> EvaluationAnswer:
    """Take a game up again that you skipped or whose time ended."""
    found = evaluation_or_404(request.user, evaluation)
    return_to_game(evaluation=found, by=request.user, now=timezone.now())
    return _again(request, evaluation)


def short_answer(evaluation: Evaluation) -> EvaluationAnswer:
    """An evaluation in a list; its game has the number that its evaluator knows."""
    return EvaluationAnswer(
        id=evaluation.pk,
        project=evaluation.game.project.slug,
        game=evaluation.game_number,
        state=evaluation.state,
        started_at=evaluation.created_at,
        submitted_at=evaluation.submitted_at,
    )


def _again(request: SignedIn, evaluation: int) -> EvaluationAnswer:
    return short_answer(evaluation_or_404(request.user, evaluation))


def _work(work: EvaluationState) -> WorkAnswer:
    evaluation, visible = work.evaluation, build_visible_evaluation(work, [])
    is_open = work.visibility.transcript
    seen, shown = visible.seen, visible.shown
    return WorkAnswer(
        id=evaluation.pk,
        project=evaluation.game.project.slug,
        game=evaluation.game_number,
        state=evaluation.state,
        why_closed=work.why_closed,
        returned_comment=evaluation.returned_comment if evaluation.is_returned else "",
        test=None if is_open else _test(work),
        players=[player.name for player in seen.players],
        messages=[SeenMessageAnswer.model_validate(message) for message in seen.messages] if is_open else [],
        votes=[
            {"round": vote.round, "voter": vote.voter, "target": vote.target}
            for vote in (seen.votes if is_open else [])
        ],
        references=[SeenReferenceAnswer.model_validate(row) for row in shown.references] if is_open else [],
        questions=list(visible.rubric.criterion("engagement").guiding_questions) if is_open else [],
        roles=[_part(part) for part in shown.parts] if is_open and shown.parts is not None else None,
        judgements=_judgements(work),
        missing=_missing(work),
    )


def _part(part: Any) -> dict[str, str]:
    return {"role": part.role, "side": part.side, "personality": part.personality}


def _test(work: EvaluationState) -> TestAnswer | None:
    shown_test = work.shown_test
    if shown_test is None:
        return None
    agents = [
        TestAgentAnswer(number=number, name=work.seen.name(number), texts=list(texts))
        for number, texts in zip(shown_test.agents, shown_test.samples, strict=True)
    ]
    return TestAnswer(agents=agents, messages=list(shown_test.unseen))


def _judgements(work: EvaluationState) -> list[JudgementAnswer]:
    return [
        JudgementAnswer.model_validate(said)
        for _thing, said in sorted(work.judgements.items())
        if said.version
    ]


def _missing(work: EvaluationState) -> list[MissingAnswer]:
    return [_asked(missing, work) for missing in work.visibility.missing]


def _asked(missing: Missing, work: EvaluationState) -> MissingAnswer:
    values = ("yes",) if missing.kind == "reveal" else list_answers(missing.kind, work.judgeable)
    return MissingAnswer(kind=missing.kind, subject=missing.subject, says=missing.says, values=list(values))
