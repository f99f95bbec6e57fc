"""API of one's own evaluations: what there is to judge, judging, submitting.

An answer is built from the same visible part as the evaluator's page, so it cannot hold what is hidden.
"""

from typing import Any

from django.utils import timezone
from msgspec.structs import asdict
from pydantic import Field

from discussions.core.judgement_kinds import list_answers
from discussions.core.records import Message
from discussions.core.unsaid import Unsaid
from discussions.models import Evaluation
from discussions.rating.actions import (
    act,
    reopen_evaluation,
    return_to_game,
    skip_game,
    submit_evaluation,
    undo,
)
from discussions.rating.core.concealed import SeenReference
from discussions.rating.core.visibility import Missing
from discussions.rating.pages.items import statements
from discussions.rating.pages.own_work import mine_page
from discussions.rating.pages.records import StatementItem
from discussions.rating.pages.visible_evaluation import build_visible_evaluation
from discussions.rating.queries import AnswerRecord, EvaluationState, load_state
from discussions.rating.views import evaluation_or_404
from workspace.audit.core import Act
from workspace.web.endpoints import After, Answer, Given, Listed, Operations, next_part
from workspace.web.views import SignedIn

router = Operations()
PATH = "/evaluations/"
ONE = PATH + "{int:evaluation}/"
MOST_JUDGED = 200


class EvaluationAnswer(
    Answer,
    of=Evaluation,
    fields="id project:game.project.slug game:game_number state started_at:created_at submitted_at",
):
    """One of your evaluations. `state` is draft, returned, submitted, skipped or lapsed."""


class MissingAnswer(Answer, of=Missing, fields="kind subject says"):
    """Something to judge before the evaluation can be submitted, and the values that it takes; none for a reveal."""

    values: list[str]


class JudgementAnswer(Answer, of=AnswerRecord, fields="kind subject value reason version"):
    """Your judgement of one subject; `version` counts your judgements of it, and the next one must send it back."""


class SeenMessageAnswer(Answer, of=Message, fields="position player round text"):
    """A message of the transcript, by position from 1."""


class SeenReferenceAnswer(Answer, of=SeenReference, fields="subject message text is_counted check says"):
    """A memory reference.

    `check` and `says` are what the vote record says, "" until you have rated the game and labelled all references.
    """


class ThoughtsAnswer(Answer, of=Unsaid, fields="message:position thoughts"):
    """What the author of a message thought at it."""


class StatementAnswer(Answer, of=StatementItem, fields="subject message text"):
    """A sentence of the optional sample: did its author believe it? Judged as the kind "statement"."""


class TestAgentAnswer(Answer, of=tuple[int, str, tuple[str, ...]], fields="number:0 name:1 texts:2"):
    """An agent of the blind test with samples of its messages."""


class TestAnswer(Answer):
    """The blind test with which the evaluation begins: who of the agents wrote each message?"""

    agents: list[TestAgentAnswer]
    messages: list[str]


class WorkAnswer(
    Answer,
    of=EvaluationState,
    fields="id:evaluation.id project:evaluation.game.project.slug game:evaluation.game_number "
    "state:evaluation.state why_closed players:seen.players.name",
):
    """An evaluation as you may see it now. While the blind test is open there is no transcript, only `test`.

    `players` are names by number from 1. `roles` are null until you have revealed them. `thoughts` and `statements` are
    empty until you have stored every answer on the roles, and in games without thoughts.
    """

    returned_comment: str
    test: TestAnswer | None
    messages: list[SeenMessageAnswer]
    votes: list[dict[str, int]]
    references: list[SeenReferenceAnswer]
    questions: list[str]
    roles: list[dict[str, str]] | None
    thoughts: list[ThoughtsAnswer]
    statements: list[StatementAnswer]
    judgements: list[JudgementAnswer]
    missing: list[MissingAnswer]


class SavedAnswer(Answer):
    """What was stored, what that revealed, and what is still missing before submitting."""

    judgements: list[JudgementAnswer]
    revealed: list[str]
    missing: list[MissingAnswer]


class JudgementGiven(Given):
    """A judgement of one thing. `version` is how often you judged it before, 0 at first; "" as value clears it.

    The kinds "reveal" (subject "roles", "transcript" or "suggestions", value "yes"; "skip" opens the transcript without
    a result of the test), "comment" and "flag" (subject "message:19" or "game", the text as `reason`) are acts of the
    same form.
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
    return Listed[EvaluationAnswer].read_all(page["evaluations"], next=next_part(request, page["older"]))


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
    things = {(one.kind, one.subject) for one in given.judgements}
    return _saved(load_state(found), things, sorted(revealed))


@router.post(ONE + "undo/", "api_undo", "rate", "rate")
def take_back(request: SignedIn, evaluation: int, given: UndoGiven) -> SavedAnswer:
    """Take your newest judgement back. What it revealed stays visible."""
    found, key = evaluation_or_404(request.user, evaluation), request.headers["Idempotency-Key"]
    told, now = given.model_dump(), timezone.now()
    saved = undo(evaluation=found, key=f"api:{key}", **told, by=request.user, now=now)
    work = load_state(evaluation_or_404(request.user, evaluation))
    return _saved(work, {(saved.kind, saved.subject)}, [])


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


def _again(request: SignedIn, evaluation: int) -> EvaluationAnswer:
    return EvaluationAnswer.read(evaluation_or_404(request.user, evaluation))


def _work(work: EvaluationState) -> WorkAnswer:
    evaluation, visible = work.evaluation, build_visible_evaluation(work)
    parts: dict[str, Any] = {"messages": [], "votes": [], "references": [], "questions": [], "roles": None}
    if work.visibility.transcript:
        roles = visible.shown.parts
        parts = {
            "messages": visible.seen.messages,
            "votes": [asdict(vote) for vote in visible.seen.votes],
            "references": visible.shown.references,
            "questions": visible.rubric.criterion("engagement").guiding_questions,
            "roles": None if roles is None else [asdict(part) for part in roles],
        }
    return WorkAnswer.read(
        work,
        **parts,
        returned_comment=evaluation.returned_comment if evaluation.is_returned else "",
        test=None if work.visibility.transcript else _test(work),
        judgements=_judgements(work),
        missing=_missing(work),
        thoughts=[unsaid for unsaid in visible.unsaid.values() if unsaid.thoughts],
        statements=statements(visible),
    )


def _test(work: EvaluationState) -> TestAnswer | None:
    shown = work.shown_test
    if shown is None:
        return None
    agents = list(zip(shown.agents, map(work.seen.name, shown.agents), shown.samples, strict=True))
    return TestAnswer.read(shown, agents=agents, messages=shown.unseen)


def _saved(work: EvaluationState, things: set[tuple[str, str]], revealed: list[str]) -> SavedAnswer:
    lines = [said for said in _judgements(work) if (said.kind, said.subject) in things]
    return SavedAnswer.read(work, judgements=lines, revealed=revealed, missing=_missing(work))


def _judgements(work: EvaluationState) -> list[AnswerRecord]:
    return [said for _thing, said in sorted(work.judgements.items()) if said.version]


def _missing(work: EvaluationState) -> list[MissingAnswer]:
    return [
        MissingAnswer.read(
            missing,
            values=["yes"] if missing.kind == "reveal" else list_answers(missing.kind, work.judgeable),
        )
        for missing in work.visibility.missing
    ]
