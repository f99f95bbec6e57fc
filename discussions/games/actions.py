"""Actions on a game: withdraw or restore it, enter its cost, return an evaluation, answer a flag."""

from collections.abc import Collection
from datetime import datetime
from decimal import Decimal

from django.db import IntegrityError, transaction
from django.db.models import Exists
from django.utils.translation import gettext as _

from discussions.core.evaluation_states import RETURNED, state_after
from discussions.games.permissions import (
    check_answer_flag,
    check_drop_repeats,
    check_enter_figure,
    check_return_evaluation,
    check_set_round_offset,
    check_withdraw_game,
)
from discussions.imports.actions.storing import store_without_repeats
from discussions.metrics.actions import ask_to_measure
from discussions.metrics.core.references.round_names import OFFSETS
from discussions.models import (
    Evaluation,
    FlagReply,
    Game,
    ManualFigure,
    Remark,
    RoundOffset,
    Slot,
    Withdrawal,
)
from discussions.models.manual_figures import COST, KINDS
from discussions.queries import measured_for, newest_measured
from discussions.slots.actions import changed_elsewhere, open_slots
from workspace.audit.actions import record_event
from workspace.core.limits import LONGEST_COMMENT
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import check_length, clean_text
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person, Project


def return_evaluation(*, evaluation: Evaluation, comment: str, by: Person, now: datetime) -> Evaluation:
    """Return the evaluation: it does not count until it is submitted again, and its evaluator keeps the slot.

    No lease runs before the evaluator opens it. Returning it again with the same comment changes nothing. Raises
    Unacceptable without a comment, NotAllowed (not a lead, not submitted, a verdict rests on it, nobody could work on
    it), Conflict when it was changed concurrently.
    """
    ask = _("Say what to look at again: the evaluator sees this comment.")
    comment = clean_text(comment, field="comment", ask=ask)
    with transaction.atomic():
        rows = Evaluation.objects.select_related("game__project", "evaluator").select_for_update(of=("self",))
        locked = rows.get(pk=evaluation.pk)
        # Recording a verdict and returning an evaluation in its basis wait for each other. Both lock in the same order,
        # the evaluation before its game.
        Game.objects.select_for_update(no_key=True).get(pk=locked.game_id)
        if locked.state == RETURNED and locked.returned_comment == comment:
            return locked
        check_return_evaluation(by, locked)
        state = state_after(locked.state, "return")
        assert state is not None
        changes = {"state": state, "returned_comment": comment, "version": locked.version + 1}
        # It is judged again on newer measurements, if there are any.
        if newest := newest_measured(Game.objects.select_related("iteration").get(pk=locked.game_id)):
            changes["measured_id"] = newest.pk
        stored = Evaluation.objects.filter(pk=locked.pk, state=locked.state, version=locked.version)
        slot = Slot.objects.filter(pk=locked.slot_id, evaluator=locked.evaluator_id, is_closed=True)
        reopened = {"is_closed": False, "lease_until": None, "awaiting_since": None}
        if stored.update(**changes) != 1 or slot.update(**reopened) != 1:
            raise changed_elsewhere()
        for name, value in changes.items():
            setattr(locked, name, value)
        detail = {"game": locked.game.number, "version": locked.version}
        record_event("evaluation:returned", locked, by=by, now=now, detail=detail)
    return locked


def withdraw_game(*, game: Game, reason: str, by: Person, now: datetime) -> Withdrawal:
    """Take a game out of averages, comparisons and the gate; the game and its evaluations stay.

    Decisions based on its figures do not change. Raises NotAllowed; Unacceptable without a reason; Conflict when it is
    withdrawn already.
    """
    return _change(game, reason, by, now, is_withdrawn=True)


def withdraw_games(
    *, project: Project, numbers: Collection[int], reason: str, by: Person, now: datetime
) -> list[Withdrawal]:
    """Withdraw several games of a project, given by number: all of them, or none.

    Raises what `withdraw_game` raises, and Unacceptable for no games or an unknown one.
    """
    if not numbers:
        raise Unacceptable(_("Choose at least one game."), field="games", code="required")
    with transaction.atomic():
        # All games are locked before the first event, in one order, because an event locks the audit chain.
        rows = Game.objects.filter(project=project, number__in=numbers).order_by("pk")
        keys = list(rows.select_for_update(no_key=True).values_list("pk", flat=True))
        games = list(Game.objects.filter(pk__in=keys).select_related("project").order_by("number"))
        if missing := sorted(set(numbers) - {game.number for game in games}):
            says = _("The project has no %(games)s.") % {"games": format_numbers(missing)}
            raise Unacceptable(says, field="games", code="unknown")
        return [withdraw_game(game=game, reason=reason, by=by, now=now) for game in games]


def restore_game(*, game: Game, reason: str, by: Person, now: datetime) -> Withdrawal:
    """Let a withdrawn game count again; slots open if its iteration is open for rating.

    Raises NotAllowed, Unacceptable without a reason, Conflict when it counts already.
    """
    return _change(game, reason, by, now, is_withdrawn=False)


def _change(game: Game, reason: str, by: Person, now: datetime, *, is_withdrawn: bool) -> Withdrawal:
    check_withdraw_game(by, game)
    reason = clean_text(reason, ask=_("Say why: the reason is kept with the game."))
    with transaction.atomic():
        # The conditional update is the lock: of two concurrent calls, the second changes no row.
        rows = Game.objects.filter(pk=game.pk, withdrawn_at__isnull=is_withdrawn)
        who: dict[str, object] = (
            {"withdrawn_at": now, "withdrawn_by": by, "withdrawn_reason": reason}
            if is_withdrawn
            else {"withdrawn_at": None, "withdrawn_by": None, "withdrawn_reason": ""}
        )
        if not rows.update(**who):
            says = (
                _("Somebody withdrew game %(number)d first; that reason counts.")
                if is_withdrawn
                else _("Game %(number)d counts again already; somebody was faster.")
            )
            raise Conflict(says % {"number": game.number}, code="turned_first")
        made = Withdrawal.objects.create(
            game=game,
            number=Withdrawal.objects.filter(game=game).count() + 1,
            is_withdrawn=is_withdrawn,
            reason=reason,
            created_at=now,
            created_by=by,
        )
        if not is_withdrawn:
            open_slots(
                games=Game.objects.filter(Exists(measured_for(game.iteration)), pk=game.pk), by=by, now=now
            )
        detail = {"game": game.number, "number": made.number}
        record_event(
            "game:withdrawn" if is_withdrawn else "game:restored", made, by=by, now=now, detail=detail
        )
    return made


def drop_repeats(*, game: Game, by: Person, now: datetime) -> Game:
    """Make a new game without the repeated messages of this one and withdraw this one, which is otherwise unchanged.

    Raises NotAllowed; Conflict when the game is withdrawn, has no repeated messages, or has a copy already.
    """
    check_drop_repeats(by, game)
    with transaction.atomic():
        made = store_without_repeats(game=game, by=by, now=now)
        reason = _("Its repeated messages were dropped: game %(number)d replaces it.")
        withdraw_game(game=game, reason=reason % {"number": made.number}, by=by, now=now)
        if last := RoundOffset.objects.filter(game=game).order_by("-number").first():
            RoundOffset.objects.create(
                game=made, number=1, offset=last.offset, created_at=now, created_by=last.created_by
            )
        detail = {
            "game": made.number,
            "first": game.number,
            "messages": game.message_count - made.message_count,
        }
        record_event("game:repeats_dropped", made, by=by, now=now, detail=detail)
    return made


def set_round_offset(*, game: Game, offset: int, by: Person, now: datetime) -> RoundOffset | None:
    """Set the game's round offset (round number in the texts + offset = number in the file), and measure it again.

    Setting the same offset again changes nothing and returns None; the offset of a game without one is 0. Raises
    NotAllowed; Conflict when the version reads no offset, the game is withdrawn, or somebody has started to rate it.
    """
    assert offset in OFFSETS
    with transaction.atomic():
        # Concurrent acts run one after the other, so that each gets a number.
        locked = Game.objects.select_for_update(of=("self",), no_key=True)
        game = locked.select_related("project", "iteration__rubric_version").get(pk=game.pk)
        check_set_round_offset(by, game)
        last = RoundOffset.objects.filter(game=game).order_by("-number").first()
        if offset == (last.offset if last else 0):
            return None
        made = RoundOffset.objects.create(
            game=game,
            number=last.number + 1 if last else 1,
            offset=offset,
            created_at=now,
            created_by=by,
        )
        ask_to_measure(iteration=game.iteration, by=by, now=now)
        detail = {"game": game.number, "number": made.number, "offset": offset}
        record_event("game:rounds_set", game, by=by, now=now, detail=detail)
    return made


HIGHEST_COST, SMALLEST = Decimal(100_000), Decimal("0.000001")


def enter_figure(
    *, game: Game, kind: str, value: Decimal, reason: str, by: Person, now: datetime
) -> ManualFigure:
    """Enter the cost of a game in dollars, or its cache hit rate from 0 to 1; it counts from now on, marked as such.

    Earlier entries are kept. Raises NotAllowed; Unacceptable for an invalid value or without a reason; Conflict when
    another figure was entered at the same moment.
    """
    check_enter_figure(by, game)
    _check(kind, value)
    reason = clean_text(reason, ask=_("Say where the figure comes from: the reason is kept with it."))
    with transaction.atomic():
        last = ManualFigure.objects.filter(game=game, kind=kind).order_by("-number").first()
        figure = ManualFigure(
            game=game,
            kind=kind,
            number=last.number + 1 if last else 1,
            value=value.quantize(SMALLEST),
            reason=reason,
            supersedes=last,
            created_at=now,
            created_by=by,
        )
        try:
            with transaction.atomic():
                figure.save(force_insert=True)
        except IntegrityError:
            raise Conflict(
                _("Somebody entered this figure first. Look at it, then enter yours."), code="entered_first"
            ) from None
        if kind == COST:
            Game.objects.filter(pk=game.pk).update(paid_usd=figure.value)
        detail = {"game": game.number, "kind": kind, "value": str(figure.value), "number": figure.number}
        record_event("figure:entered", figure, by=by, now=now, detail=detail)
    return figure


def _check(kind: str, value: Decimal) -> None:
    if kind not in dict(KINDS):
        raise Unacceptable(_("Choose the cost or the cache hit rate."), field="kind")
    most, outside = (
        (HIGHEST_COST, _("A cost is a number of dollars from 0 to 100,000."))
        if kind == COST
        else (Decimal(1), _("A cache hit rate lies between 0 and 100\u00a0%."))
    )
    if not value.is_finite() or not 0 <= value <= most:
        raise Unacceptable(outside, field="value", code="range")


def answer_flag(*, flag: Remark, text: str, is_resolved: bool, by: Person, now: datetime) -> None:
    """Write below an open flag, resolve it, or both. The same text sent twice in a row is stored once.

    Raises NotAllowed; Conflict when the flag is resolved already; Unacceptable when there is nothing to do.
    """
    text = text.strip()
    check_length(text, field="text", most=LONGEST_COMMENT)
    with transaction.atomic():
        locked = Remark.objects.select_for_update(of=("self",)).select_related("evaluation__game__project")
        row = locked.get(pk=flag.pk)
        check_answer_flag(by, row)
        if row.resolved_at is not None:
            raise Conflict(
                _("This flag is resolved already. Load the page again to see by whom."), code="resolved"
            )
        if not text and not is_resolved:
            raise Unacceptable(_("The answer is empty. Write something, or resolve the flag."), field="text")
        last = row.replies.order_by("-pk").first()
        if text and not (last is not None and (last.created_by_id, last.text) == (by.pk, text)):
            FlagReply.objects.create(flag=row, text=text, created_at=now, created_by=by)
            _record_flag(row, "remark:answered", by, now)
        if is_resolved:
            row.resolved_at, row.resolved_by = now, by
            row.save(update_fields=["resolved_at", "resolved_by"])
            _record_flag(row, "remark:resolved", by, now)


def _record_flag(flag: Remark, verb: str, by: Person, now: datetime) -> None:
    detail = {"kind": flag.kind, "target": flag.target}
    record_event(verb, flag, by=by, now=now, project=flag.evaluation.game.project, detail=detail)
