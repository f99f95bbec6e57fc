"""The evaluator's page, and the parts of it that the answer to an act renders again."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils.translation import gettext as _
from msgspec import Struct, structs

from discussions.adjudication.labels import answer_label
from discussions.core import judgement_kinds
from discussions.core.evaluation_states import WHY_BARRED, state_after
from discussions.core.judgement_kinds import item_id
from discussions.models import Evaluation, Remark, Reveal, Revision
from discussions.models.slots import CALIBRATION
from discussions.rating.core.visibility import (
    MORE_MESSAGES,
    ROLES,
    STEP_BY_KIND,
    THOUGHTS,
    count_judged,
    is_dismissal,
    is_value,
)
from discussions.rating.pages import items as rating_items
from discussions.rating.pages import manual_check, review, transcript
from discussions.rating.pages.lease import Lease
from discussions.rating.pages.records import AnswerPage, BothVersions, Changed, Item, OpenRoles, RatingPage
from discussions.rating.pages.review import find_returned_place
from discussions.rating.pages.visible_evaluation import (
    MOST_ITEMS,
    VisibleEvaluation,
    build_visible_evaluation,
    build_window,
    list_round_starts,
    search,
)
from discussions.rating.queries import EvaluationState
from discussions.slots.permissions import reason_unblinded
from workspace.core.words import say
from workspace.database.prepared_queries import prepared
from workspace.people.labels import keys_of

LISTS = {
    "engagement": ("questions", "rating"),
    "references": ("references",),
    "depth": ("depth",),
    "coherence": ("coherence",),
    "identify": ("identify", "identify_note", "manual"),
    "repetition": ("phrases",),
    "roles": ("roles",),
    "statements": ("statements",),
    "review": ("review",),
}


_BUILD = {
    "references": rating_items.references,
    "depth": lambda visible: rating_items.samples(visible, judgement_kinds.STRATEGIC_DEPTH),
    "coherence": lambda visible: rating_items.samples(visible, judgement_kinds.COHERENCE),
    "phrases": rating_items.phrases,
    "identify": manual_check.identify,
    "identify_note": manual_check.identify_note,
    "manual": manual_check.manual,
    "questions": rating_items.questions,
    "rating": rating_items.rating,
    "roles": rating_items.roles,
    "statements": rating_items.statements,
}


MORE = {"references": judgement_kinds.REFERENCE, "roles": judgement_kinds.ROLE_CONSISTENCY}


class EvaluationQuery(Struct, frozen=True):
    """The parameters of the address, and the page's nonce: the part of every key that changes with every load."""

    nonce: str
    step: str = ""
    at: int = 0
    player: int = 0
    page: int = 0
    find: str = ""


def rating_page(*, work: EvaluationState, wanted: EvaluationQuery, lease: Lease | None) -> RatingPage:
    head, is_barred = page_head(work, lease)
    visible = build_visible_evaluation(work, is_barred=is_barred)
    place = None
    is_new = not (
        wanted.step
        or wanted.at
        or any(kind != judgement_kinds.ATTRIBUTION for kind, _subject in visible.judgements)
    )
    if comment := head["returned_comment"]:
        whole = replace(visible, window=build_window(visible.seen.messages))
        place = find_returned_place(whole, comment)
        if not (wanted.step or wanted.page or wanted.at or wanted.find):
            wanted = structs.replace(wanted, step=place.step, page=place.page)
    visible = _turn_page(visible, wanted, wanted.at)
    return RatingPage(
        **head,
        **_shared(visible, work, wanted),
        **_lists(visible, work, tuple(LISTS)),
        is_new=is_new and visible.is_open,
        place=_("Calibration") if work.evaluation.purpose == CALIBRATION else "",
        messages=transcript.messages(visible),
        rounds=transcript.rounds(visible),
        players=visible.seen.players,
        parts=visible.shown.parts,
        votes=transcript.votes(visible),
        at=transcript.at_message(visible, wanted.at),
        player=wanted.player,
        returned=place,
        search=search(visible, wanted.find),
        round_starts=list_round_starts(visible.seen.messages, visible.window),
    )


def page_head(work: EvaluationState, lease: Lease | None) -> tuple[dict[str, Any], bool]:
    """The fields of an `EvaluationPage` that only a full page has, and whether the evaluator is barred."""
    evaluation = work.evaluation
    is_stored = bool(evaluation.pk)  # practice is not
    barred = reason_unblinded(evaluation.evaluator, evaluation.game_id) if work.is_open and is_stored else ""
    saved_at, is_undoable = find_newest(evaluation.pk)
    head = {
        "game_number": evaluation.game_number,
        "project_slug": evaluation.game.project.slug,
        "project_name": evaluation.game.project.name,
        "lease": lease,
        "closed_because": say(WHY_BARRED[barred]) if barred in WHY_BARRED else work.why_closed,
        "may_leave": state_after(evaluation.state, "skip") is not None,
        "may_return": lease is not None and lease.is_free,
        "returned_comment": evaluation.returned_comment if evaluation.is_returned else "",
        "single_keys": evaluation.evaluator.has_single_keys,
        "saved_at": saved_at,
        "can_undo": work.is_open and not barred and is_undoable,
    }
    return head, bool(barred)


def find_newest(evaluation: int) -> tuple[datetime | None, bool]:
    """When the newest judgement, comment, flag or reveal was stored; whether a judgement can be undone."""
    rows = _list_newest(evaluation)  # none of practice
    *moments, is_undoable = rows[0] if rows else (False,)
    return max(filter(None, moments), default=None), bool(is_undoable)


@prepared
def _list_newest(evaluation: int) -> "QuerySet[Evaluation, Any]":
    own = OuterRef("pk")
    # Reveals of references and metrics follow from a judgement and are stored with it.
    shown = Q(what=ROLES) | Q(what__startswith="suggestions")
    rows = (
        Revision.objects.filter(judgement__evaluation=own),
        Remark.objects.filter(evaluation=own),
        Reveal.objects.filter(shown, evaluation=own),
    )
    moments = (Subquery(some.order_by("-pk").values("created_at")[:1]) for some in rows)
    undoable = Exists(Revision.objects.undoable(own))
    return Evaluation.objects.filter(pk=evaluation).values_list(*moments, undoable)


class CompletedAct(Struct, frozen=True):
    """The result of an act, for its answer. With `is_undoable` None the answer looks it up.

    With `is_unchanged` a submission was refused because nothing changed since a lead returned the evaluation.
    """

    kind: str = ""
    subject: str = ""
    revealed: frozenset[str] = frozenset()
    saved_at: datetime | None = None
    refusal: str = ""
    conflict: BothVersions | None = None
    is_undoable: bool | None = None
    is_unchanged: bool = False


def rating_answer(
    *, work: EvaluationState, wanted: EvaluationQuery, done: CompletedAct
) -> tuple[AnswerPage, Changed]:
    """The answer to an act, built from the rows as they are after it."""
    # The subject of a refused act may not exist, so it is not read.
    position = 0 if done.refusal else get_message_position(done.kind, done.subject)
    visible = _turn_page(build_visible_evaluation(work), wanted, position)
    changed = changed_by(visible, done)
    has_forms = done.kind in ("comment", "flag", judgement_kinds.MISSED) and not changed.refusal
    saved_at, is_undoable = done.saved_at, done.is_undoable
    if saved_at is None or is_undoable is None:
        newest_at, is_undoable = find_newest(work.evaluation.pk)
        saved_at = saved_at or newest_at
    page = AnswerPage(
        saved_at=saved_at,
        can_undo=visible.is_open and is_undoable,
        **_shared(visible, work, wanted),
        **_lists(visible, work, tuple(changed.steps)),
        rounds=transcript.rounds(visible) if changed.is_map_changed else [],
        players=visible.seen.players if changed.is_map_changed else [],
        parts=visible.shown.parts,
        at=transcript.at_message(visible, position) if has_forms and position else None,
    )
    return page, changed


def _turn_page(visible: VisibleEvaluation, wanted: EvaluationQuery, position: int) -> VisibleEvaluation:
    """The evaluation at the requested transcript page, else at the message's page, else where the step continues."""
    window = build_window(visible.seen.messages)
    page = wanted.page or (window.find_page_number(position) if position else 0)
    visible = replace(visible, window=window)
    page = page or review.first_page(visible, review.open_step(visible, wanted.step))
    return replace(visible, window=window.moved(page)) if window.is_paged else visible


def _shared(visible: VisibleEvaluation, work: EvaluationState, wanted: EvaluationQuery) -> dict:
    judged, needed = count_judged(visible.progress, visible.visibility.missing)
    return {
        "evaluation_id": work.evaluation.pk,
        "here": reverse("rate", args=[work.evaluation.pk]),
        "leads_to": work.evaluation.leads_to,
        "key": keys_of(work.evaluation.evaluator.keys),
        "nonce": wanted.nonce,
        "step": review.open_step(visible, wanted.step),
        "is_open": visible.is_open,
        "judged": judged,
        "needed": needed,
        "has_later": not visible.visibility.roles,
        "steps": review.steps(visible),
        "has_chips": bool(visible.shown.findings),
        "is_rated": visible.visibility.rated,
        "guides": review.build_guides(visible.rubric),
        "figures": review.figures(visible, work),
        "window": visible.window,
        "missing": review.missing(visible),
        "more_missing": max(len(visible.visibility.missing) - review.MOST_MISSING, 0),
        "undo_key": f"{wanted.nonce}:undo:{work.evaluation.version}",
    }


def _lists(visible: VisibleEvaluation, work: EvaluationState, steps: tuple[str, ...]) -> dict:
    names = [name for step in steps for name in LISTS[step]]
    lists: dict[str, object] = {name: _BUILD[name](visible) for name in names if name in _BUILD}
    for name, kind in MORE.items():
        listed = lists.get(name)
        items = listed.items if isinstance(listed, OpenRoles) else listed
        if isinstance(items, list) and (visible.window.is_paged or len(items) >= MOST_ITEMS):
            lists[f"more_{name}"] = rating_items.build_more(visible, kind, items)
    if isinstance(listed := lists.get("references"), list):
        lists["suggested"] = rating_items.build_suggested(visible, listed)
    lists["why_more"] = {
        STEP_BY_KIND[kind]: rating_items.describe_more(visible, kind)
        for kind in judgement_kinds.MESSAGE_KINDS
    }
    if "review" in steps:
        lists["review"] = review.review(visible, work)
    return lists


REMARKS = ("comment", "flag")


ON_A_MESSAGE = (*judgement_kinds.MESSAGE_KINDS, judgement_kinds.MISSED, *REMARKS)


def changed_by(visible: VisibleEvaluation, done: CompletedAct) -> Changed:
    """What to render again: the judged item in place, and whole steps where lists or visibility changed."""
    if done.conflict:
        stored = _item(visible, done)
        return Changed(conflict=done.conflict, items=[stored] if stored else [])
    if done.refusal:
        return Changed(refusal=done.refusal, is_unchanged=done.is_unchanged)
    steps = _steps(visible, done)
    item = None if STEP_BY_KIND.get(done.kind) in steps else _item(visible, done)
    is_opened = any(name.startswith("metric:") or name == THOUGHTS for name in done.revealed)
    position = get_message_position(done.kind, done.subject)
    messages = []
    if is_opened:
        messages = transcript.messages(visible)
    elif position and done.kind in ON_A_MESSAGE:
        messages = [transcript.message_row(visible, position, transcript.locate_references(visible))]
    return Changed(
        # The bound of the rating depends on the answers. The script focuses the item that is rendered last.
        items=[
            *([rating_items.rating(visible)] if done.kind == judgement_kinds.QUESTION else []),
            *([item] if item else []),
        ],
        steps=steps,
        messages=messages,
        rounds=transcript.rounds(visible, None if is_opened else {position}) if position else [],
        # The legend of the chips comes with the first of them.
        is_map_changed=ROLES in done.revealed or is_opened,
    )


def build_conflict(detail: dict[str, object]) -> BothVersions:
    kind, subject = str(detail["kind"]), str(detail["subject"])
    yours, stored = str(detail["yours"] or ""), str(detail["stored"] or "")
    stored_at = detail["stored_at"]
    return BothVersions(
        item_id=item_id(kind, subject),
        kind=kind,
        subject=subject,
        version=int(str(detail["version"])),
        yours=answer_label(kind, yours),
        theirs=answer_label(kind, stored),
        theirs_by=str(detail["stored_by"]),
        theirs_at=stored_at if isinstance(stored_at, datetime) else None,
        yours_value=yours,
    )


def _steps(visible: VisibleEvaluation, done: CompletedAct) -> list[str]:
    steps = [
        STEP_BY_KIND[kind] for kind in judgement_kinds.MESSAGE_KINDS if f"metric:{kind}" in done.revealed
    ]
    is_listed_anew = done.kind == judgement_kinds.MISSED or any(map(is_dismissal, done.revealed))
    possible = visible.progress.judgeable.possible
    is_listed_anew |= done.kind == judgement_kinds.REFERENCE and (not possible or done.subject in possible)
    checks = {what for what in done.revealed if what.startswith("reference:")}
    if is_listed_anew or checks - {f"reference:{done.subject}"}:
        steps.append("references")
    if done.kind in (judgement_kinds.QUESTION, judgement_kinds.RATING) and visible.visibility.rated:
        # With the rating, what waited for it alone is shown; later nothing of it changes.
        is_first = not any(map(is_value, visible.progress.revealed - done.revealed))
        steps += ["references", "repetition", "identify"] if is_first else []
    if done.kind in (judgement_kinds.IDENTIFY, judgement_kinds.IDENTIFY_DECIDES):
        steps.append("identify")
    if ROLES in done.revealed:
        steps += ["references", "roles"]
    if visible.progress.wants_more(done.kind):
        steps.append(STEP_BY_KIND[done.kind])
    elif any(name.startswith(f"{MORE_MESSAGES}:") for name in done.revealed):
        steps += [STEP_BY_KIND[kind] for kind in judgement_kinds.MESSAGE_KINDS]
    # Shortly before the reveal, every act may open or close the step of the roles.
    if not visible.visibility.roles and len(visible.visibility.missing) <= 2 and done.kind not in REMARKS:
        steps += ["identify", "roles"] if visible.drawn_test else ["roles"]
        steps += [] if done.kind == judgement_kinds.PHRASE else ["repetition"]
    if THOUGHTS in done.revealed:
        steps.append("statements")
    return steps if done.kind in REMARKS else [*dict.fromkeys(steps), "review"]


def _item(visible: VisibleEvaluation, done: CompletedAct) -> Item | None:
    kind, subject = done.kind, done.subject
    if kind in (judgement_kinds.REFERENCE, judgement_kinds.DELIBERATE):
        return rating_items.build_reference_item(visible, subject)
    if kind in (judgement_kinds.STRATEGIC_DEPTH, judgement_kinds.COHERENCE):
        return rating_items.build_sample_item(visible, kind, int(subject))
    if kind == judgement_kinds.ROLE_CONSISTENCY:
        return rating_items.build_role_item(visible, int(subject))
    if kind == judgement_kinds.STATEMENT:
        return rating_items.build_statement_item(visible, subject)
    if kind == judgement_kinds.PHRASE:
        return rating_items.build_phrase_item(visible, subject)
    if kind == judgement_kinds.QUESTION:
        return rating_items.question(visible, int(subject))
    return rating_items.rating(visible) if kind == judgement_kinds.RATING else None


def get_message_position(kind: str, subject: str) -> int:
    """The message that an act is about, 0 for none."""
    if kind in judgement_kinds.PLACED_KINDS:
        return judgement_kinds.parse_subject(subject)[0]
    if kind in REMARKS and subject.startswith("message:"):
        return int(subject.partition(":")[2])
    return 0
