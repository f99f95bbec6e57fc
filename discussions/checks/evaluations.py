"""Invariants of slots, evaluations, judgements and adjudications: part of `manage.py verify`."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
from django.db.models import Count, Exists, F, OuterRef, Q

from discussions.adjudication.core.disagreements import CAN_BE_NO
from discussions.adjudication.core.effective import ADJUDICATED_KINDS, AdjudicatedAnswer
from discussions.checks.chains import broken_links
from discussions.core.evaluation_states import LAPSED, OPEN, SKIPPED, SUBMITTED
from discussions.core.judgement_kinds import VALUES
from discussions.models import (
    Adjudication,
    Evaluation,
    FillRules,
    Game,
    Judgement,
    QueueDraw,
    Revision,
    Slot,
    Verdict,
)
from discussions.models.games import NEEDED_OF_GAME
from discussions.models.slots import RATING
from discussions.verdicts.core.basis import Basis
from rubric.checks.actions import WRONG_VALUE, WRONG_VERSION, add_newest, compare_acts
from workspace.checks.actions import list_told, missing_events, read_details
from workspace.checks.core import Checks
from workspace.models import Event

EVALUATION_CHECKS = Checks()
ADJUDICATION_CHECKS = Checks()


@EVALUATION_CHECKS.add("I2", "Every judgement is the newest of all its revisions")
def _versions_count(_now: datetime) -> Iterator[str]:
    rows = add_newest(Judgement.objects.all(), Revision.objects.filter(judgement=OuterRef("pk")))
    for row in rows.filter(WRONG_VERSION):
        yield f"{_judgement(row)} is at version {row.version}, with {row.count} revisions up to version {row.top}."
    for row in rows.filter(WRONG_VALUE):
        yield f"{_judgement(row)} holds another value than its newest revision."


@EVALUATION_CHECKS.add("I3", "Nobody judges one thing twice, or one game twice")
def _no_duplicates(_now: datetime) -> Iterator[str]:
    twice = Judgement.objects.values("evaluation", "kind", "subject").annotate(n=Count("pk")).filter(n__gt=1)
    for same in twice.order_by("evaluation", "kind", "subject"):
        yield f"Evaluation {same['evaluation']} holds {same['n']} judgements of one {same['kind']}."
    people = Evaluation.objects.values("game", "evaluator", "purpose").annotate(n=Count("pk")).filter(n__gt=1)
    for row in people.order_by("game", "evaluator"):
        yield f"Person {row['evaluator']} has {row['n']} evaluations of the game in row {row['game']}."


@EVALUATION_CHECKS.add("I7e", "Every act of an evaluator has its audit line, and none is extra")
def _acts_have_events(_now: datetime) -> Iterator[str]:
    rows = Judgement.objects.annotate(count=Count("revisions"))
    untold, excess = compare_acts("judgement", rows, "judgement:made", "judgement:undone")
    for row in untold:
        yield f"{_judgement(row)} does not have one audit line for each of its {row.count} revisions."
    yield from excess
    yield from missing_events(("evaluation", "game:taken", Evaluation.objects.all()))
    # A returned evaluation is submitted more than once.
    submitted = list_told("evaluation:submitted")
    for work in Evaluation.objects.exclude(submitted_at=None).order_by("pk"):
        if str(work.pk) not in submitted:
            yield f"Evaluation {work.pk} was submitted, and the audit log does not tell of it."


@EVALUATION_CHECKS.add("I9", "Places are as many as asked for, one person in each, nobody twice on a game")
def slots_are_consistent(_now: datetime) -> Iterator[str]:
    yield from _people_in_slots()
    yield from _evaluations_in_slots()
    yield from _leases_and_assignments()
    yield from _awaiting()


@EVALUATION_CHECKS.add(
    "I9f", "Every draw for the queue follows its rules, and a game left out has no free place"
)
def _draws_follow_rules(_now: datetime) -> Iterator[str]:
    for draw in QueueDraw.objects.exclude(rules=None).select_related("rules", "game").order_by("pk"):
        assert draw.rules is not None
        shares = draw.rules.to_record().shares
        is_of_row = draw.row <= len(shares) and draw.probability == shares[draw.row - 1] / 100
        if draw.rules.project_id != draw.game.project_id or not is_of_row:
            yield f"The draw of the game in row {draw.pk} is not by the rules that it names."
    outside = QueueDraw.objects.filter(game=OuterRef("game"), is_in=False)
    for slot in Slot.objects.free().filter(Exists(outside), purpose=RATING).order_by("pk"):
        yield f"Slot {slot.number} (row {slot.pk}) is free, but its game is not in the queue."
    yield from missing_events(("fill_rules", "fill_rules:saved", FillRules.objects.all()))


@EVALUATION_CHECKS.add("I9e", "Every place that was given back has its audit line")
def events_match_ended_leases(_now: datetime) -> Iterator[str]:
    told = list_told("lease:ended", "place:released")
    for key in Evaluation.objects.filter(state=LAPSED).order_by("pk").values_list("pk", flat=True):
        if str(key) not in told:
            yield f"Evaluation {key} lapsed, and the audit log does not tell why."


@EVALUATION_CHECKS.add("I10", "Drafts count nowhere, and nothing is judged after submitting")
def _drafts_do_not_count(_now: datetime) -> Iterator[str]:
    submitted = set(Evaluation.objects.exclude(submitted_at=None).values_list("pk", flat=True))
    for verdict in Verdict.objects.order_by("pk").only("pk", "basis").iterator(chunk_size=200):
        named = [evaluation.id for evaluation in msgspec.json.decode(verdict.basis, type=Basis).evaluations]
        for evaluation in named:
            if evaluation not in submitted:
                yield f"The verdict in row {verdict.pk} rests on evaluation {evaluation}, which was never submitted."
    late = Revision.objects.filter(
        judgement__evaluation=OuterRef("pk"), created_at__gt=OuterRef("submitted_at")
    )
    for work in Evaluation.objects.filter(Exists(late), state=SUBMITTED).order_by("pk"):
        yield f"Evaluation {work.pk} holds a revision that is newer than its submission."
    for work in Evaluation.objects.filter(state=SUBMITTED, submitted_at=None).order_by("pk"):
        yield f"Evaluation {work.pk} is submitted, but it does not say when."


@EVALUATION_CHECKS.add("I11e", "Evaluations, places, measurements and judgements belong to one game")
def _belong_together(_now: datetime) -> Iterator[str]:
    rows = Evaluation.objects.filter(~Q(slot__game=F("game")) | ~Q(measured__game=F("game")))
    for evaluation in rows.order_by("pk"):
        yield f"Evaluation {evaluation.pk} names a place, or measurements, of another game."
    for work in Evaluation.objects.exclude(purpose=F("slot__purpose")).order_by("pk"):
        yield f"Evaluation {work.pk} is for something else ({work.purpose}) than its place (row {work.slot_id})."
    for slot in Slot.objects.exclude(project=F("game__project")).order_by("pk"):
        yield f"Slot {slot.number} (row {slot.pk}) names another project than its game."
    others = Revision.objects.exclude(created_by=F("judgement__evaluation__evaluator"))
    for revision in others.order_by("pk"):
        yield f"Revision {revision.pk} was made by somebody other than the evaluator."


def _judgement(judgement: Judgement) -> str:
    return f"Judgement {judgement.pk} ({judgement.kind}) of evaluation {judgement.evaluation_id}"


def _people_in_slots() -> Iterator[str]:
    people = (
        Slot.objects.exclude(evaluator=None).values("game", "purpose", "evaluator").annotate(n=Count("pk"))
    )
    for row in people.filter(n__gt=1).order_by("game"):
        yield f"Person {row['evaluator']} holds {row['n']} places on the game in row {row['game']}."
    # Closed slots without an evaluator do not count.
    places = Slot.objects.filter(Q(is_closed=False) | Q(evaluator__isnull=False), purpose=RATING)
    free = Count("pk", filter=Q(evaluator=None))
    counted = places.values("game").annotate(n=Count("pk"), free=free, needed=NEEDED_OF_GAME)
    for many in counted.filter(free__gt=0, n__gt=F("needed")).order_by("game"):
        yield (
            f"The game in row {many['game']} has {many['n']} places, {many['free']} of them free, "
            f"where {many['needed']} evaluators are asked for."
        )
    working = Evaluation.objects.filter(slot=OuterRef("pk"), evaluator=OuterRef("evaluator"))
    for slot in Slot.objects.filter(~Exists(working)).exclude(evaluator=None).order_by("pk"):
        yield f"Slot {slot.number} (row {slot.pk}) is taken, but nobody works in it."


def _evaluations_in_slots() -> Iterator[str]:
    rows = Evaluation.objects.select_related("slot")
    held = Q(slot__evaluator=F("evaluator"))
    is_open, is_in, is_back = Q(state__in=OPEN), Q(state=SUBMITTED), Q(state__in=(SKIPPED, LAPSED))
    for evaluation in rows.filter(is_open & ~held).order_by("pk"):
        yield f"Evaluation {evaluation.pk} is open, but its place (row {evaluation.slot_id}) is not its evaluator's."
    for evaluation in rows.filter(is_open & held & Q(slot__is_closed=True)).order_by("pk"):
        yield f"Evaluation {evaluation.pk} is open, but its place (row {evaluation.slot_id}) is closed."
    for evaluation in rows.filter(is_in & (~held | Q(slot__is_closed=False))).order_by("pk"):
        yield f"Evaluation {evaluation.pk} is submitted, but its place (row {evaluation.slot_id}) is not closed."
    for row in rows.filter(is_back & held).order_by("pk"):
        yield f"Evaluation {row.pk} is {row.state}, but its evaluator still holds place {row.slot_id}."


def _leases_and_assignments() -> Iterator[str]:
    leased = Slot.objects.exclude(lease_until=None)
    for slot in leased.filter(Q(evaluator=None) | Q(is_closed=True)).order_by("pk"):
        yield f"A lease runs on place {slot.number} (row {slot.pk}), where nobody works."
    kept = Slot.objects.exclude(assigned_to=None)
    elsewhere = Q(evaluator__isnull=False) & ~Q(evaluator=F("assigned_to"))
    for slot in kept.filter(elsewhere).order_by("pk"):
        yield f"Slot {slot.number} (row {slot.pk}) is kept for one person, and another is in it."
    own = Evaluation.objects.filter(
        game=OuterRef("game"), purpose=OuterRef("purpose"), evaluator=OuterRef("assigned_to")
    )
    busy = own.filter(state__in=(*OPEN, SUBMITTED)).exclude(slot=OuterRef("pk"))
    for slot in kept.filter(Exists(busy)).order_by("pk"):
        yield f"Slot {slot.number} (row {slot.pk}) is reserved for somebody who has another slot on that game."


def _awaiting() -> Iterator[str]:
    is_in = Q(purpose=RATING, is_closed=True, evaluator__isnull=False)
    waiting = Slot.objects.exclude(awaiting_since=None)
    for slot in waiting.exclude(is_in).order_by("pk"):
        yield f"Slot {slot.number} (row {slot.pk}) waits for a verdict, and nothing was submitted there."
    recorded = Verdict.objects.filter(game=OuterRef("game"))
    for slot in Slot.objects.filter(is_in, ~Exists(recorded), awaiting_since=None).order_by("pk"):
        yield f"Slot {slot.number} (row {slot.pk}) was submitted, and its game is not told to wait for a verdict."


@ADJUDICATION_CHECKS.add("I6k", "Whatever was resolved follows what was resolved of the same thing before")
def _are_chained(_now: datetime) -> Iterator[str]:
    for row in broken_links(Adjudication.objects.all(), "game_id", "kind", "subject"):
        yield f"{_describe_adjudication(row)} does not follow the adjudication before it."


@ADJUDICATION_CHECKS.add("I6l", "Leads resolve with a reason, on an answer there is, between others' answers")
def _are_valid(_now: datetime) -> Iterator[str]:
    for row in Adjudication.objects.order_by("pk").iterator(chunk_size=500):
        if row.kind not in ADJUDICATED_KINDS:
            yield f"{_describe_adjudication(row)} resolves something that is not a lead's to resolve."
        elif row.value not in VALUES[row.kind] and not (row.value == "" and row.kind in CAN_BE_NO):
            yield f"{_describe_adjudication(row)} resolves it as {row.value!r}, which is no answer there."
        if not row.reason.strip():
            yield f"{_describe_adjudication(row)} has no reason."
    yield from _between_others()


def _between_others() -> Iterator[str]:
    """Adjudications that adopt an unsubmitted or foreign evaluation; leads who resolved between their own answers."""
    # A returned evaluation is submitted again later: the first time counts.
    submitted = Event.objects.filter(verb="evaluation:submitted").exclude(object_id="").order_by("-at", "-pk")
    submissions = {int(key): at for key, at in submitted.values_list("object_id", "at")}
    adopted = Adjudication.objects.exclude(adopted=None)
    others = ~Q(adopted__game=F("game"), adopted__purpose=RATING)
    strangers = set(adopted.filter(others).values_list("pk", flat=True))
    for row in adopted.order_by("pk"):
        first = submissions.get(row.adopted_id or 0)
        if row.pk in strangers or first is None or first > row.created_at:
            yield f"{_describe_adjudication(row)} adopts an evaluation of another game or one not submitted by then."
    own: dict[tuple[int, int], list[datetime]] = {}
    evaluations = Evaluation.objects.filter(purpose=RATING).values_list("pk", "game_id", "evaluator_id")
    for key, game, evaluator in evaluations.iterator():
        if key in submissions:
            own.setdefault((game, evaluator), []).append(submissions[key])
    for row in Adjudication.objects.order_by("pk").iterator(chunk_size=500):
        if any(when <= row.created_at for when in own.get((row.game_id, row.created_by_id), ())):
            yield f"{_describe_adjudication(row)} was resolved by somebody whose own answers are one of the sides."


@ADJUDICATION_CHECKS.add("I6m", "A verdict names only what was resolved in its own game, as it was resolved")
def _bases_match(_now: datetime) -> Iterator[str]:
    columns = ("pk", "game_id", "kind", "subject", "value")
    there = {key: rest for key, *rest in Adjudication.objects.values_list(*columns).order_by("pk")}
    for key, game, basis in Verdict.objects.order_by("pk").values_list("pk", "game_id", "basis").iterator():
        for part in _BASIS.decode(basis).adjudications:
            if there.get(part.id) != [game, part.kind, part.subject, part.value]:
                yield (
                    f"The verdict in row {key} names {part.id} as resolved as {part.value!r} of {part.kind} "
                    f"{part.subject}; no such row of its game says so."
                )


@ADJUDICATION_CHECKS.add("I7a", "Whatever was resolved, and every game that needs fewer, has its audit line")
def _have_events(_now: datetime) -> Iterator[str]:
    yield from missing_events(("adjudication", "difference:settled", Adjudication.objects.all()))
    told = list_told("game:needs_fewer")
    # By iteration: the games that kept their number of evaluators when the iteration changed its own.
    kept: dict[int, set[int]] = {}
    for key, detail in read_details("iteration:changed"):
        kept.setdefault(key, set()).update(detail.get("kept", ()))
    games = Game.objects.exclude(needed_count=None).order_by("pk")
    for key, number, iteration in games.values_list("pk", "number", "iteration_id"):
        if str(key) not in told and number not in kept.get(iteration, ()):
            yield f"Game {number} (row {key}) needs another number of evaluators, and no audit line tells why."


class _Bases(msgspec.Struct):
    adjudications: list[AdjudicatedAnswer] = []


_BASIS: Any = msgspec.json.Decoder(_Bases)


def _describe_adjudication(row: Adjudication) -> str:
    return f"What was resolved of {row.kind} {row.subject} in the game in row {row.game_id} (row {row.pk})"
