"""The page before the transcript opens: samples of every agent, and unseen messages to assign to them.

Hides the game and the authors of the unseen messages: the page is built from the `ShownTest` alone.
"""

from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.authorship_test import ShownTest
from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import item_id
from discussions.rating.core.visibility import TRANSCRIPT, asked_in_test
from discussions.rating.pages.evaluation import CompletedAct, EvaluationQuery, page_head
from discussions.rating.pages.lease import Lease
from discussions.rating.pages.records import Changed, EvaluationPage, Item, MissingStep
from discussions.rating.pages.review import build_guides
from discussions.rating.pages.visible_evaluation import VisibleEvaluation, build_visible_evaluation
from discussions.rating.queries import EvaluationState
from workspace.people.labels import keys_of

STEP = "identify"


LAST_KEY = 9


class SampledAgent(Struct, frozen=True):
    """An agent who takes part, with samples of its messages."""

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
    """An unseen message without names, by its number in the test, never by its position in the transcript.

    `is_final` once the test is over and its answers can no longer change.
    """

    number: int
    of: int
    text: str
    answers: list[AttributionAnswer]
    is_final: bool


class IdentificationPage(EvaluationPage, frozen=True, kw_only=True):
    """The whole page; `opening` opens the transcript once everything is answered.

    `stops_at` is the number of agents at which the test ends, 0 if it ends with its last message. `may_skip` as long as
    such a test is not over.
    """

    agents: list[SampledAgent]
    left_out: list[str]
    items: list[AttributionItem]
    opening: Item
    stops_at: int
    may_skip: bool


def identification_page(
    *, work: EvaluationState, wanted: EvaluationQuery, lease: Lease | None
) -> IdentificationPage:
    """The whole page. A skipped evaluation has one too, but can only be resumed."""
    shown_test, evaluation = work.shown_test, work.evaluation
    assert shown_test is not None
    head, is_barred = page_head(work, lease)
    visible = build_visible_evaluation(work, is_barred=is_barred)
    open_judgements = [missing for missing in visible.visibility.missing if missing.step == STEP]
    needed, key = asked_in_test(visible.progress), keys_of(evaluation.evaluator.keys)
    return IdentificationPage(
        **head,
        evaluation_id=evaluation.pk,
        here=reverse("rate", args=[evaluation.pk]),
        step=STEP,
        nonce=wanted.nonce,
        key=key,
        is_open=visible.is_open,
        judged=needed - sum(missing.kind == judgement_kinds.ATTRIBUTION for missing in open_judgements),
        needed=needed,
        missing=[
            MissingStep(item_id(missing.kind, missing.subject), missing.says, missing.step)
            for missing in open_judgements
        ],
        undo_key=f"{wanted.nonce}:undo:{evaluation.version}",
        guides=build_guides(visible.rubric),
        agents=[
            SampledAgent(player, work.seen.name(player), work.seen.players[player - 1].is_confusable, texts)
            for player, texts in zip(shown_test.agents, shown_test.samples, strict=True)
        ],
        left_out=[work.seen.name(player) for player in shown_test.left_out],
        items=[
            _item(visible, shown_test, number, key["cannot_tell"])
            for number in range(1, len(shown_test.unseen) + 1)
        ],
        opening=_opening(visible),
        stops_at=work.drawn_test.needed if work.drawn_test else 0,
        may_skip=work.progress.may_skip_test and not work.is_test_over,
    )


def identification_answer(
    *, work: EvaluationState, wanted: EvaluationQuery, done: CompletedAct
) -> tuple[IdentificationPage, Changed]:
    """The changes of one act: its message, and the item that opens the transcript; or why nothing was saved."""
    page = identification_page(work=work, wanted=wanted, lease=None)
    judged = [item for item in page.items if (item.kind, item.subject) == (done.kind, done.subject)]
    if done.refusal:
        return page, Changed(refusal=done.refusal)
    if done.conflict:
        return page, Changed(conflict=done.conflict, items=[*judged])
    # The judged message is last, because the focus goes there after an undo. With the last answer, all are final.
    others = [item for item in page.items if item.is_final and item not in judged]
    return page, Changed(items=[page.opening, *others, *judged])


def _item(visible: VisibleEvaluation, shown_test: ShownTest, number: int, key: str) -> AttributionItem:
    answers = [
        AttributionAnswer(str(player), visible.seen.name(player), str(player) if player <= LAST_KEY else "")
        for player in shown_test.agents
    ]
    return AttributionItem(
        **visible.item(judgement_kinds.ATTRIBUTION, str(number)),
        number=number,
        of=len(shown_test.unseen),
        text=shown_test.unseen[number - 1],
        is_final=visible.progress.may_skip_test and visible.progress.is_test_over,
        answers=[*answers, AttributionAnswer(judgement_kinds.CANNOT_TELL, _("Can't tell"), key)],
    )


def _opening(visible: VisibleEvaluation) -> Item:
    """The item that opens the transcript; it is needed once the rest of the test is answered."""
    is_answered = all(missing.kind != judgement_kinds.ATTRIBUTION for missing in visible.visibility.missing)
    return Item(id=item_id("reveal", TRANSCRIPT), kind="reveal", subject=TRANSCRIPT, needs=is_answered)
