"""What is newer: games are measured again by newer code, or measured and judged by a newer rubric version."""

from datetime import datetime

from django.db import transaction
from django.db.models import Count
from django.utils.translation import gettext as _

from discussions.metrics.actions import ask_to_measure, measure_at_once
from discussions.metrics.core.registry import CODE_VERSION
from discussions.metrics.queries import outdated_games
from discussions.models import Game, Iteration, Slot, Verdict
from discussions.models.slots import RATING
from discussions.planning.permissions import check_change_version, check_measure_again, check_newer
from discussions.planning.queries import hash_input
from discussions.verdicts.actions import record_verdict
from discussions.verdicts.queries import load_verdict_preview
from rubric.models import RubricVersion
from workspace.audit.actions import record_event
from workspace.core.refusals import Conflict
from workspace.database.transactions import allow_long_pauses
from workspace.models import Person, Project
from workspace.texts import clean_text


def move_to_version(
    *, iteration: Iteration, version: RubricVersion, shown: str, reason: str, by: Person, now: datetime
) -> dict[str, list[int]]:
    """Judge the iteration by that version from now on; older measurements and verdicts stay beside the new ones.

    Every game is measured under the version. Each verdict that stands is superseded by one under the version, with the
    reason, where people's judgements are enough for it; a game that lacks labels or a decision waits, and counts as not
    rated until then. Gives the numbers of games of both kinds, `recorded` and `waiting`. `shown` is the hash of the
    preview on the page. Raises NotAllowed, Unacceptable without a reason, Conflict when something that the preview
    rests on has changed.
    """
    check_change_version(by, iteration)
    reason = clean_text(reason, field="reason", ask=_("Say why: the reason is kept with every new verdict."))
    with transaction.atomic():
        # Measuring a large iteration takes longer than a transaction may be without a statement.
        allow_long_pauses()
        rows = Iteration.objects.select_related("project", "rubric_version")
        locked = rows.select_for_update(of=("self",), no_key=True).get(pk=iteration.pk)
        # Locked before they are read, since somebody may record or submit at this moment.
        list(
            Game.objects.filter(iteration=locked)
            .order_by("pk")
            .select_for_update(no_key=True)
            .values_list("pk")
        )
        check_change_version(by, locked)
        check_newer(locked, version)
        if hash_input(locked, version) != shown:
            raise Conflict(
                _(
                    "Something was judged or recorded after this page was shown. Nothing was moved; "
                    "check the preview again."
                ),
                code="preview_changed",
            )
        before, locked.rubric_version = locked.rubric_version, version
        locked.save(update_fields=["rubric_version"])
        measure_at_once(iteration=locked, by=by, now=now)
        moved = _record_anew(locked, f"{version}: {reason}", by, now)
        detail = {"number": locked.number, "from": before.number, "to": locked.rubric_version.number}
        detail |= {"reason": reason, **moved}
        record_event("iteration:moved_to_version", locked, by=by, now=now, detail=detail)
    return moved


def measure_again(*, project: Project, by: Person, now: datetime) -> int:
    """Queue the measuring of the project's games that another version of the code measured; return how many they are.

    Older measurements stay, and so do verdicts with the basis that they were recorded on. Without such games nothing
    happens. Raises NotAllowed.
    """
    check_measure_again(by, project)
    with transaction.atomic():
        games = outdated_games().filter(project=project).order_by()
        counts = dict(games.values_list("iteration").annotate(Count("pk")))
        iterations = Iteration.objects.filter(pk__in=counts).select_related("project", "rubric_version")
        for iteration in iterations.order_by("pk"):
            ask_to_measure(iteration=iteration, by=by, now=now, again=True)
        count = sum(counts.values())
        if count:
            detail = {"games": count, "code": CODE_VERSION}
            record_event("project:measured_again", project, by=by, now=now, detail=detail)
    return count


def _record_anew(iteration: Iteration, reason: str, by: Person, now: datetime) -> dict[str, list[int]]:
    moved: dict[str, list[int]] = {"recorded": [], "waiting": []}
    # Verdicts of withdrawn games too: such a game may count again, and only verdicts under one version are compared.
    judged = Verdict.objects.filter(game__iteration=iteration).not_superseded()
    rows = Game.objects.select_related("iteration__rubric_version", "transcript", "project")
    for game in rows.filter(pk__in=judged.values("game")).order_by("number"):
        preview = load_verdict_preview(game)
        if preview is None or not preview.is_complete:
            moved["waiting"].append(game.number)
            continue
        record_verdict(game=game, basis_sha256=preview.basis_sha256, by=by, now=now, reason=reason)
        moved["recorded"].append(game.number)
    # They wait for a verdict again, among all others that wait.
    submitted = Slot.objects.filter(purpose=RATING, is_closed=True, evaluator__isnull=False)
    waiting = submitted.filter(game__iteration=iteration, game__number__in=moved["waiting"])
    waiting.update(awaiting_since=now)
    return moved
