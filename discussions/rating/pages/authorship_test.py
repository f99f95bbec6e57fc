"""The page before the transcript opens: samples of every agent, and unseen messages to be given to them.

It is built from the `Paper` alone: neither the game nor who wrote the unseen messages is read here, so that what the
evaluator must not see cannot slip onto the page.
"""

from datetime import datetime

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.access.queries import reason_unblinded
from discussions.adjudication.core.authorship_test import Paper
from discussions.core import judgement_kinds
from discussions.core.evaluation_states import WHY_BARRED, state_after
from discussions.core.judgement_kinds import item_id
from discussions.models import Revision
from discussions.rating.core.concealed import SeenGame
from discussions.rating.core.visibility import TRANSCRIPT, test_count
from discussions.rating.pages.desk import Desk, build_desk
from discussions.rating.pages.evaluation import CompletedAct, EvaluationQuery
from discussions.rating.pages.lease import Lease
from discussions.rating.pages.records import Changed, Item, MissingStep
from discussions.rating.queries import EvaluationState

STEP = "identify"


LAST_KEY = 9


class SampledAgent(Struct, frozen=True):
    """An agent who takes part, with how it writes."""

    number: int
    name: str
    is_confusable: bool
    texts: tuple[str, ...]


class AttributionAnswer(Struct, frozen=True):
    """One answer to give, with its key; "" where there is none."""

    value: str
    label: str
    key: str


class AttributionItem(Item, frozen=True, kw_only=True):
    """An unseen message without names, by its number in the test, never by its place in the transcript."""

    number: int
    of: int
    text: str
    answers: list[AttributionAnswer]


class IdentificationPage(Struct, frozen=True, kw_only=True):
    """The whole page; `opening` opens the transcript once everything is answered. The rest is as on `RatingPage`."""

    evaluation_id: int
    game_number: int
    nonce: str
    is_open: bool
    lease: Lease | None
    closed_because: str
    may_leave: bool
    may_return: bool
    returned_comment: str
    single_keys: bool
    saved_at: datetime | None
    judged: int
    needed: int
    missing: list[MissingStep]
    can_undo: bool
    undo_key: str
    agents: list[SampledAgent]
    left_out: list[str]
    items: list[AttributionItem]
    opening: Item
    step: str = STEP
    player: int = 0
    place: str = ""


def identification_page(
    *, work: EvaluationState, wanted: EvaluationQuery, lease: Lease | None
) -> IdentificationPage:
    """The page as it stands; an evaluation that was skipped shows it too, with nothing to press but to take it up."""
    paper, evaluation = _paper(work), work.evaluation
    barred = reason_unblinded(evaluation.evaluator, evaluation.game_id) if work.is_open else ""
    desk = build_desk(work, [], is_barred=bool(barred))
    newest = Revision.objects.filter(judgement__evaluation=evaluation).order_by("-pk").first()
    asked = [step for step in desk.visibility.missing if step.step == STEP]
    needed = test_count(desk.progress)
    return IdentificationPage(
        evaluation_id=evaluation.pk,
        game_number=evaluation.game_number,
        nonce=wanted.nonce,
        is_open=desk.is_open,
        closed_because=WHY_BARRED.get(barred, work.why_closed),
        lease=lease,
        may_leave=state_after(evaluation.state, "skip") is not None,
        may_return=lease is not None and lease.is_free,
        returned_comment=evaluation.returned_comment if evaluation.state == "returned" else "",
        single_keys=evaluation.evaluator.has_single_keys,
        saved_at=newest.created_at if newest else None,
        judged=needed - len(asked),
        needed=needed,
        missing=[MissingStep(item_id(step.kind, step.subject), step.says, step.step) for step in asked],
        can_undo=desk.is_open and Revision.objects.undoable(evaluation).exists(),
        undo_key=f"{wanted.nonce}:undo:{evaluation.version}",
        agents=_agents(paper, work.seen),
        left_out=[work.seen.name(player) for player in paper.left_out],
        items=[_item(desk, paper, number) for number in range(1, len(paper.unseen) + 1)],
        opening=_opening(desk),
    )


def identification_answer(
    *, work: EvaluationState, wanted: EvaluationQuery, done: CompletedAct
) -> tuple[IdentificationPage, Changed]:
    """What one act changed: its message, and what opens the transcript; or why nothing was saved."""
    page = identification_page(work=work, wanted=wanted, lease=None)
    judged = [item for item in page.items if (item.kind, item.subject) == (done.kind, done.subject)]
    if done.refusal:
        return page, Changed(refusal=done.refusal)
    if done.conflict:
        return page, Changed(conflict=done.conflict, items=[*judged])
    # The judged message last: that is where the focus goes after an undo.
    return page, Changed(items=[page.opening, *judged])


def _paper(work: EvaluationState) -> Paper:
    paper = work.paper
    assert paper is not None
    return paper


def _agents(paper: Paper, seen: SeenGame) -> list[SampledAgent]:
    return [
        SampledAgent(player, seen.name(player), seen.players[player - 1].is_confusable, texts)
        for player, texts in zip(paper.agents, paper.samples, strict=True)
    ]


def _item(desk: Desk, paper: Paper, number: int) -> AttributionItem:
    answers = [
        AttributionAnswer(str(player), desk.seen.name(player), str(player) if player <= LAST_KEY else "")
        for player in paper.agents
    ]
    return AttributionItem(
        **desk.item(judgement_kinds.ATTRIBUTION, str(number)),
        number=number,
        of=len(paper.unseen),
        text=paper.unseen[number - 1],
        answers=[*answers, AttributionAnswer(judgement_kinds.CANNOT_TELL, _("Cannot tell"), "x")],
    )


def _opening(desk: Desk) -> Item:
    """What opens the transcript; it asks once nothing else of the test does."""
    asked = [step for step in desk.visibility.missing if step.kind == judgement_kinds.ATTRIBUTION]
    return Item(id=item_id("reveal", TRANSCRIPT), kind="reveal", subject=TRANSCRIPT, needs=not asked)
