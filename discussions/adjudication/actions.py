"""Adjudication: a lead decides on a disagreement with a reason; a later decision supersedes it.

Showing the names of evaluators is a separate action, because leads decide without names.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.adjudication.core.disagreements import CAN_BE_NO, Disagreement, Side
from discussions.adjudication.core.effective import Key
from discussions.adjudication.labels import TIE_ENDED
from discussions.adjudication.permissions import (
    check_adjudicate,
    check_answer_tie,
    check_send_ties,
    check_third,
)
from discussions.adjudication.queries import (
    NAMES_SHOWN,
    disagreements_in,
    has_seen_names,
    load_judgeable_subjects,
)
from discussions.core.judgement_kinds import find_judgement_fault
from discussions.models import Adjudication, Evaluation, Game, TieRequest
from discussions.slots.permissions import check_see_games
from workspace.audit.actions import key_reused, record_event, short_key, single_act
from workspace.core.canonical import canonical_hash
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import clean_text
from workspace.models import Person


class _Posted(Struct, frozen=True):
    """What a lead sent: the lead's own `value` if no evaluation is `adopted`."""

    game: int
    kind: str
    subject: str
    value: str
    reason: str
    adopted: int | None
    sides_sha256: str
    key: str

    def sha256(self) -> str:
        return canonical_hash([getattr(self, name) for name in self.__struct_fields__ if name != "key"])


def adjudicate(
    *,
    game: Game,
    kind: str,
    subject: str,
    value: str,
    reason: str,
    adopted: Evaluation | None,
    sides_sha256: str,
    key: str,
    by: Person,
    now: datetime,
) -> Adjudication:
    """Decide on a disagreement: adopt the answer of the `adopted` evaluation, or set `value`; once per key.

    `sides_sha256` is the `page_sha256` of the disagreement that the page showed. A later decision supersedes this one.
    Raises NotAllowed, Unacceptable (no reason, no such answer, a kind that leads do not decide on, a key used for
    another decision), and Conflict when the answers changed or another lead decided meanwhile; its `detail` holds
    what was sent and, as `difference`, the current disagreement.
    """
    chosen = adopted.pk if adopted else None
    posted = _Posted(game.pk, kind, subject, value, reason.strip(), chosen, sides_sha256, short_key(key))
    with single_act():
        locked = _lock_game(game)
        stored = Adjudication.objects.filter(created_by=by, key=posted.key).first()
        if stored is not None:
            if stored.body_sha256 != posted.sha256():
                raise key_reused()
            return stored
        check_adjudicate(by, locked)
        _refuse_faults(locked, posted)
        found = _difference(locked, posted)
        side = _side(found, posted)
        return _insert(locked, found, posted, side, by, now)


def adjudicate_group(
    *, game: Game, value: str, reason: str, shown: Mapping[Key, str], key: str, by: Person, now: datetime
) -> list[str]:
    """Decide on several ties with one value and one reason; return why some of them were not decided.

    `shown` holds the `page_sha256` of each. Raises what `adjudicate` raises but Conflict: an answer that changed
    leaves the others as they are.
    """
    refused = []
    for (kind, subject), sides_sha256 in shown.items():
        try:
            adjudicate(
                game=game, kind=kind, subject=subject, value=value, reason=reason, adopted=None,
                sides_sha256=sides_sha256, key=f"{key}:{kind}:{subject}", by=by, now=now,
            )  # fmt: skip
        except Conflict as conflict:
            refused.append(conflict.sentence)
    return refused


def send_ties(
    *, game: Game, keys: Collection[Key], evaluator: Person, by: Person, now: datetime
) -> list[TieRequest]:
    """Let one more evaluator answer these open ties of a game, or all of them without `keys`; each tie once.

    Raises NotAllowed, and Unacceptable where that person cannot, or where no such tie is open.
    """
    with transaction.atomic():
        locked = _lock_game(game)
        check_send_ties(by, locked)
        check_third(evaluator, locked)
        sent = set(TieRequest.objects.filter(game=locked, ended_at=None).values_list("kind", "subject"))
        ties = [found.key for found in disagreements_in(locked) if found.is_tie and found.key not in sent]
        wanted = [tie for tie in ties if not keys or tie in keys]
        if not wanted:
            raise Unacceptable(_("No open tie is left to send. Reload the page."), field="group")
        rows = TieRequest.objects.bulk_create(
            TieRequest(
                game=locked, kind=kind, subject=subject, evaluator=evaluator, created_at=now, created_by=by
            )
            for kind, subject in wanted
        )
        detail = {"game": locked.number, "person": evaluator.pk, "count": len(rows)}
        record_event("game:ties_sent", locked, by=by, now=now, detail=detail)
    return rows


def answer_tie(*, request: TieRequest, value: str, reason: str = "", by: Person, now: datetime) -> bool:
    """Answer a tie as its third evaluator; return whether that made a majority, which then decides it.

    Raises NotAllowed for other people, Unacceptable for what is no answer, and Conflict for a second answer.
    """
    with transaction.atomic():
        game = _lock_game(request.game)
        row = TieRequest.objects.select_for_update().get(pk=request.pk)
        check_answer_tie(by, row)
        if row.answered_at is not None:
            raise Conflict(_("You answered this already; the first answer stands."), code="answered")
        if row.ended_at is not None:
            raise Conflict(str(TIE_ENDED), code="ended")
        fault = find_judgement_fault(row.kind, row.subject, value, load_judgeable_subjects(game))
        if fault or (not value and row.kind not in CAN_BE_NO):
            raise Unacceptable(fault or _("Choose one of the answers."), field="value")
        row.value, row.reason, row.answered_at = value, clean_text(reason), now
        row.save(update_fields=["value", "reason", "answered_at"])
        found = next((one for one in disagreements_in(game) if one.key == (row.kind, row.subject)), None)
        is_resolved = found is not None and found.is_tie and _has_majority(found, value)
        if found is not None and is_resolved:
            why = row.reason or _("The third evaluator's answer makes the majority.")
            key = short_key(f"tie:{row.pk}")
            posted = _Posted(game.pk, row.kind, row.subject, value, why, None, found.page_sha256, key)
            _insert(game, found, posted, None, by, now)
        record_event("game:tie_answered", game, by=by, now=now, detail={"game": game.number, "person": by.pk})
    return is_resolved


def _has_majority(found: Disagreement, value: str) -> bool:
    """Whether one more answer of that value makes it the most frequent one alone."""
    counts = Counter(side.value for side in found.sides)
    counts[value] += 1
    return all(count < counts[value] for other, count in counts.items() if other != value)


def _lock_game(game: Game) -> Game:
    """Lock the game, so that adjudications and the recording of its verdict do not overlap."""
    rows = Game.objects.select_related("iteration__rubric_version", "project")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=game.pk)


def _refuse_faults(game: Game, posted: _Posted) -> None:
    fault = find_judgement_fault(posted.kind, posted.subject, posted.value, load_judgeable_subjects(game))
    if not fault and not posted.value and posted.adopted is None and posted.kind not in CAN_BE_NO:
        fault = _("Choose one of the sides, or another answer.")
    if fault:
        raise Unacceptable(fault, field="value")
    clean_text(posted.reason, ask=_("Give a reason: evaluators and later readers rely on it."))


def _difference(game: Game, posted: _Posted) -> Disagreement:
    listed = {disagreement.key: disagreement for disagreement in disagreements_in(game)}
    found = listed.get((posted.kind, posted.subject))
    if found is not None and not found.can_be_adjudicated:
        raise Unacceptable(
            _("The verdict does not depend on this, so it needs no decision; everyone's answer is kept."),
            field="value",
        )
    if found is not None and found.page_sha256 == posted.sides_sha256:
        return found
    detail = {"yours": posted.value, "adopted": posted.adopted, "difference": found}
    if found is None:
        says = _("The evaluators do not differ on this any more, so nothing was resolved.")
    elif found.resolved and found.is_changed_since is False:
        says = _(
            "%(name)s resolved this since the page was loaded. Nothing was overwritten; look at it first."
        )
        says %= {"name": found.resolved.by_name}
    else:
        says = _(
            "The evaluators say something else since the page was loaded. Nothing was resolved; look again."
        )
    raise Conflict(says, code="sides_changed", detail=detail)


def _side(found: Disagreement, posted: _Posted) -> Side | None:
    if posted.adopted is None:
        return None
    for side in found.sides:
        if side.evaluation == posted.adopted:
            return side
    raise Unacceptable(_("That evaluation says nothing about this. Choose another side."), field="value")


def _insert(
    game: Game, found: Disagreement, posted: _Posted, side: Side | None, by: Person, now: datetime
) -> Adjudication:
    before = found.resolved
    # Nobody is asked any more; if the sides change, the tie can be sent again.
    TieRequest.objects.waiting().filter(game=game, kind=found.kind, subject=found.subject).update(
        ended_at=now
    )
    made = Adjudication.objects.create(
        game=game,
        kind=found.kind,
        subject=found.subject,
        number=before.number + 1 if before else 1,
        value=side.value if side else posted.value,
        reason=posted.reason,
        adopted_id=side.evaluation if side else None,
        sides_sha256=found.sides_sha256,
        supersedes_id=before.id if before else None,
        key=posted.key,
        body_sha256=posted.sha256(),
        created_at=now,
        created_by=by,
    )
    detail = {
        "game": game.number,
        "kind": made.kind,
        "number": made.number,
        "adopted": made.adopted_id,
        "supersedes": made.supersedes_id,
    }
    record_event("difference:settled", made, by=by, now=now, detail=detail)
    return made


def unmask_evaluators(*, game: Game, by: Person, now: datetime) -> bool:
    """Let this person see the names of the game's evaluators. Records the event once; returns True if it did so now."""
    with transaction.atomic():
        check_see_games(by, game.project)
        if has_seen_names(by, game):
            return False
        record_event(NAMES_SHOWN, game, by=by, now=now)
    return True
