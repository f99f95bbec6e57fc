"""The evaluator's page, and the part of it that the answer to one act draws anew."""

from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.core import kinds
from discussions.core.moves import WHY_BARRED, state_after
from discussions.models import Revision
from discussions.models.leading import why_barred
from discussions.models.slots import CALIBRATION
from discussions.models.standings import Work
from discussions.pages import rating_items, rating_review, rating_steps, rating_transcript
from discussions.pages.rating_changes import Done, changed_by, position_of
from discussions.pages.rating_desk import Desk, desk_of, remarks_of
from discussions.pages.rating_item_records import OpenRoles
from discussions.pages.rating_lease import Lease
from discussions.pages.rating_records import AnswerPage, Changed, RatingPage
from discussions.pages.rating_window import MOST_ITEMS, window_of

LISTS = {
    "references": ("references",),
    "depth": ("depth",),
    "coherence": ("coherence",),
    "repetition": ("phrases",),
    "identify": ("identify", "identify_note", "manual"),
    "engagement": ("questions", "rating"),
    "roles": ("roles",),
    "review": ("review",),
}
_BUILD = {
    "references": rating_items.references,
    "depth": lambda desk: rating_items.samples(desk, kinds.STRATEGIC_DEPTH),
    "coherence": lambda desk: rating_items.samples(desk, kinds.COHERENCE),
    "phrases": rating_steps.phrases,
    "identify": rating_steps.identify,
    "identify_note": rating_steps.identify_note,
    "manual": rating_steps.manual,
    "questions": rating_steps.questions,
    "rating": rating_steps.rating,
    "roles": rating_steps.roles,
}


MORE = {"references": kinds.REFERENCE, "roles": kinds.ROLE_CONSISTENCY}


class Wanted(Struct, frozen=True):
    """What the address asks for, and the page's own nonce: the part of every key that is new with every load."""

    nonce: str
    step: str = ""
    at: int = 0
    player: int = 0
    page: int = 0


def rating_page(*, work: Work, wanted: Wanted, lease: Lease) -> RatingPage:
    """The whole page, in a fixed number of queries whatever the game."""
    evaluation = work.evaluation
    barred = why_barred(evaluation.evaluator, evaluation.game_id) if work.is_open else ""
    desk = _turned(desk_of(work, remarks_of(evaluation.pk), is_barred=bool(barred)), wanted, wanted.at)
    newest = Revision.objects.filter(judgement__evaluation=evaluation).order_by("-pk").first()
    return RatingPage(
        **_shared(desk, work, wanted, newest.created_at if newest else None),
        **_lists(desk, work, tuple(LISTS)),
        game_number=evaluation.game_number,
        place=_("Calibration") if evaluation.purpose == CALIBRATION else "",
        closed_because=WHY_BARRED.get(barred, work.why_closed),
        lease=lease,
        may_leave=state_after(evaluation.state, "skip") is not None,
        may_return=lease is not None and lease.is_free,
        returned_comment=evaluation.returned_comment if evaluation.state == "returned" else "",
        messages=rating_transcript.messages(desk),
        rounds=rating_transcript.rounds(desk),
        players=rating_transcript.players(desk),
        votes=rating_transcript.votes(desk),
        at=rating_transcript.at_message(desk, wanted.at),
        single_keys=evaluation.evaluator.has_single_keys,
        player=wanted.player,
    )


def rating_answer(*, work: Work, wanted: Wanted, done: Done) -> tuple[AnswerPage, Changed]:
    """What one act changed, from the rows as they are after it."""
    # What was refused may be about nothing that exists; its subject is not read.
    position = 0 if done.refusal else position_of(done.kind, done.subject)
    desk = desk_of(work, remarks_of(work.evaluation.pk) if position or done.revealed else [])
    desk = _turned(desk, wanted, position)
    changed = changed_by(desk, done)
    has_forms = done.kind in ("comment", "flag", kinds.MISSED) and not changed.refusal
    page = AnswerPage(
        **_shared(desk, work, wanted, done.saved_at, is_undoable=done.is_undoable),
        **_lists(desk, work, tuple(changed.steps)),
        rounds=rating_transcript.rounds(desk) if changed.is_map_changed else [],
        players=rating_transcript.players(desk) if changed.is_map_changed else [],
        votes=rating_transcript.votes(desk) if changed.is_map_changed else [],
        at=rating_transcript.at_message(desk, position) if has_forms and position else None,
    )
    return page, changed


def _turned(desk: Desk, wanted: Wanted, position: int) -> Desk:
    """The desk at the page of the transcript that is wanted, else that of the message, else where the step goes on."""
    window = window_of(desk.seen.messages)
    page = wanted.page or (window.page_of(position) if position else 0)
    desk = replace(desk, window=window)
    page = page or rating_review.first_page(desk, rating_review.open_step(desk, wanted.step))
    return replace(desk, window=window.moved(page)) if window.is_paged else desk


def _shared(
    desk: Desk, work: Work, wanted: Wanted, saved_at: datetime | None, *, is_undoable: bool | None = None
) -> dict:
    if is_undoable is None:
        is_undoable = desk.is_open and Revision.objects.undoable(work.evaluation).exists()
    judged, needed = rating_review.progress(desk)
    return {
        "evaluation_id": work.evaluation.pk,
        "nonce": wanted.nonce,
        "step": rating_review.open_step(desk, wanted.step),
        "is_open": desk.is_open,
        "saved_at": saved_at,
        "judged": judged,
        "needed": needed,
        "steps": rating_review.steps(desk),
        "figures": rating_review.figures(desk, work),
        "window": desk.window,
        "missing": rating_review.missing(desk),
        "more_missing": max(len(desk.sight.missing) - rating_review.MOST_MISSING, 0),
        "can_undo": is_undoable,
        "undo_key": f"{wanted.nonce}:undo:{work.evaluation.version}",
    }


def _lists(desk: Desk, work: Work, steps: tuple[str, ...]) -> dict:
    names = [name for step in steps for name in LISTS[step]]
    lists: dict[str, object] = {name: _BUILD[name](desk) for name in names if name in _BUILD}
    for name, kind in MORE.items():
        listed = lists.get(name)
        items = listed.items if isinstance(listed, OpenRoles) else listed
        if isinstance(items, list) and (desk.window.is_paged or len(items) >= MOST_ITEMS):
            lists[f"more_{name}"] = rating_items.more_of(desk, kind, items)
    if "review" in steps and not desk.sight.missing:
        lists["review"] = rating_review.review(desk, work)
    return lists
