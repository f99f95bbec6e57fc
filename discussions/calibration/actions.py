"""Calibration rounds: opened with the keys of recorded verdicts, given to each evaluator in order, closed, waived."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.calibration.core import build_key
from discussions.calibration.permissions import (
    check_calibrate,
    check_guideline_is_read,
    check_write_guideline,
)
from discussions.calibration.queries import games_left, load_open_round, load_progress
from discussions.models import (
    CalibrationGame,
    CalibrationRound,
    CalibrationWaiver,
    Evaluation,
    Guideline,
    GuidelineReading,
    Verdict,
)
from discussions.models.slots import CALIBRATION
from discussions.queries import load_measurements
from discussions.slots.actions import begin_alone
from discussions.verdicts.core.basis import Basis
from discussions.verdicts.core.scoring import compute_effective_values
from rubric.calibration.actions import check_round, create_round
from workspace.access.permissions import role_in
from workspace.audit.actions import record_event
from workspace.core.canonical import canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.core.text import check_length, clean_text
from workspace.models import Person, Project


class RoundPlan(Struct, frozen=True, kw_only=True):
    """Games by number, in their order; `notes` explain them, by number."""

    name: str
    games: Sequence[int]
    is_required: bool = True
    pass_percent: int = 80
    rating_within: Decimal = Decimal(1)
    notes: Mapping[int, str] = {}


def open_round(*, project: Project, plan: RoundPlan, by: Person, now: datetime) -> CalibrationRound:
    """Open a round of the project; its keys are taken from the current verdicts of its games.

    Raises NotAllowed for anybody but leads, Unacceptable for an invalid plan (a game without a verdict, no games,
    limits out of range), Conflict while another round is open.
    """
    check_calibrate(by, project)
    _check_plan(plan)
    with transaction.atomic():
        verdicts = _verdicts(project, plan.games)
        opened = create_round(
            rounds=CalibrationRound.objects.all(), plan=plan, by=by, now=now, project=project
        )
        games = []
        for place, verdict in enumerate(verdicts, start=1):
            basis = msgspec.json.decode(verdict.basis, type=Basis)
            measurements = load_measurements(verdict.measured_id, verdict.measured.findings_sha256)
            key = canonical_bytes(build_key(compute_effective_values(basis, measurements))).decode()
            note = plan.notes.get(verdict.game.number, "").strip()
            games.append(
                CalibrationGame(
                    round=opened, game=verdict.game, place=place, verdict=verdict, key=key, note=note
                )
            )
        CalibrationGame.objects.bulk_create(games)
        detail = {
            "number": opened.number,
            "games": list(plan.games),
            "pass_percent": plan.pass_percent,
            "is_required": plan.is_required,
        }
        record_event("calibration:opened", opened, by=by, now=now, detail=detail)
    return opened


def close_round(*, opened: CalibrationRound, by: Person, now: datetime) -> None:
    """Close the round: its games are no longer given out. Started ones can still be submitted. Idempotent."""
    check_calibrate(by, opened.project)
    with transaction.atomic():
        if CalibrationRound.objects.filter(pk=opened.pk, closed_at=None).update(closed_at=now, closed_by=by):
            record_event("calibration:closed", opened, by=by, now=now, detail={"number": opened.number})


def let_rate(
    *, opened: CalibrationRound, person: Person, reason: str, by: Person, now: datetime
) -> CalibrationWaiver:
    """Let somebody rate who did not pass; a second call changes nothing. Raises NotAllowed, Unacceptable, Conflict."""
    check_calibrate(by, opened.project)
    reason = clean_text(reason, ask=_("Say why they may rate without passing, in a few words."))
    if role_in(person, opened.project) != "evaluator":
        says = _("This person does not rate in the project now. Reload the page to see who does.")
        raise Conflict(says, code="no_evaluator")
    with transaction.atomic():
        facts = {"reason": reason, "created_at": now, "created_by": by}
        waiver, is_new = CalibrationWaiver.objects.get_or_create(round=opened, person=person, defaults=facts)
        if is_new:
            detail = {"number": opened.number, "person": person.pk}
            record_event("calibration:waived", opened, by=by, now=now, detail=detail)
    return waiver


def begin_required_calibration(*, project: Project, by: Person, now: datetime) -> Evaluation | None:
    """Call it with the person locked. Raises NotAllowed for one who rated all and neither passed nor is let rate."""
    opened = load_open_round(project)
    if opened is None or not opened.is_required:
        return None
    if evaluation := _begin(opened, by, now):
        return evaluation
    if why := load_progress(opened, by).why_not_rating:
        raise NotAllowed(why, code="not_calibrated")
    return None


def take_calibration(*, opened: CalibrationRound, by: Person, now: datetime) -> Evaluation | None:
    """Begin the next game of an optional round; None when the evaluator rated them all."""
    if role_in(by, opened.project) != "evaluator":
        raise NotAllowed(_("Only evaluators of this project are calibrated."))
    check_guideline_is_read(by, opened.project)
    with transaction.atomic():
        Person.objects.select_for_update(no_key=True).get(pk=by.pk)
        if CalibrationRound.objects.filter(pk=opened.pk, closed_at=None).exists():
            return _begin(opened, by, now)
    raise NotAllowed(_("This calibration round is closed."), code="closed")


def _begin(opened: CalibrationRound, by: Person, now: datetime) -> Evaluation | None:
    left = games_left(opened, by)
    if not left:
        return None
    verdict = left[0].verdict
    # The seed of an evaluation behind the verdict makes the samples ask about the same messages as the key.
    basis = msgspec.json.decode(verdict.basis, type=Basis)
    source = Evaluation.objects.only("seed", "identification").get(pk=basis.evaluations[0].id)
    return begin_alone(
        game=left[0].game,
        purpose=CALIBRATION,
        measured=verdict.measured_id,
        seed=source.seed,
        identification=source.identification,
        by=by,
        now=now,
        detail={"round": opened.number},
    )


def _verdicts(project: Project, numbers: Sequence[int]) -> list[Verdict]:
    rows = Verdict.objects.not_superseded().filter(
        project=project, game__number__in=numbers, game__withdrawn_at=None
    )
    by_number = {row.game.number: row for row in rows.select_related("game", "measured")}
    for number in numbers:
        if number not in by_number:
            says = _(
                "Game %(number)d has no recorded verdict here, so there is no key for it. Choose games with a verdict."
            )
            raise Unacceptable(says % {"number": number}, field="games", code="no_verdict")
    return [by_number[number] for number in numbers]


def _check_plan(plan: RoundPlan) -> None:
    says = _("A round has 1 to %(most)d games, each once. Five to eight are customary.")
    check_round(plan.name, games=plan.games, says=says)
    if not 1 <= plan.pass_percent <= 100:
        raise Unacceptable(_("A round is passed with 1 to 100 percent of the answers."), field="pass_percent")
    if not 0 <= plan.rating_within <= 4:
        raise Unacceptable(_("Ratings are at most 4 points apart."), field="rating_within")
    for number, note in plan.notes.items():
        if number not in plan.games:
            says = _("Game %(number)d is not in the round. Add it under Games, or take its line out.")
            raise Unacceptable(says % {"number": number}, field="notes")
        check_length(note, field="notes")


LONGEST_GUIDELINE = 20_000


def write_guideline(*, project: Project, text: str, after: int, by: Person, now: datetime) -> Guideline:
    """Add a version after version `after` (0 for the first); the evaluators read it before their next game.

    The same text as before adds nothing. Raises NotAllowed; Unacceptable for a text that is too long; Conflict when
    somebody else wrote a version in the meantime.
    """
    check_write_guideline(by, project)
    text = text.strip().replace("\r\n", "\n")
    check_length(text, field="text", most=LONGEST_GUIDELINE)
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        newest = Guideline.objects.filter(project=project).order_by("-number").first()
        number = newest.number if newest else 0
        if newest is not None and newest.text == text:
            return newest
        if number != after:
            says = _(
                "Somebody wrote version %(number)d while you wrote. Read it below, then save yours again."
            )
            raise Conflict(says % {"number": number}, code="changed")
        made = Guideline.objects.create(
            project=project, number=number + 1, text=text, created_at=now, created_by=by
        )
        record_event("guideline:written", made, by=by, now=now, detail={"number": made.number})
    return made


def confirm_guideline(*, guideline: Guideline, by: Person, now: datetime) -> None:
    """Record that the person has read this version; a second time changes nothing."""
    with transaction.atomic():
        _row, is_new = GuidelineReading.objects.get_or_create(
            guideline=guideline, person=by, defaults={"created_at": now}
        )
        if is_new:
            record_event("guideline:read", guideline, by=by, now=now, detail={"number": guideline.number})
