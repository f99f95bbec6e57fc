"""The page of a game's verdict: what would be recorded, what is recorded, what would change it, and all that was."""

from datetime import datetime

import msgspec
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import replace

from discussions.access.permissions import check_see_game
from discussions.core.outcome import ABOVE, AMBER, UNREPORTED, Outcome, Recommendation
from discussions.models import Game, Verdict
from discussions.models.iterations import NEVER
from discussions.verdicts.core.basis import BY_HAND, Basis, changes
from discussions.verdicts.pages.lines import FigureRow, build_threshold_chart, figure_rows, verdict_turns
from discussions.verdicts.permissions import check_complete, check_record_verdict, check_supersede_verdict
from discussions.verdicts.queries import Preview, load_verdict_preview
from workspace.access.permissions import get_refusal, may
from workspace.core.canonical import canonical_bytes
from workspace.core.text import figure
from workspace.display.core.charts import BarsChart
from workspace.models import Person


class OutcomePart(Struct, frozen=True):
    """An outcome in words, and its chart."""

    headline: str
    state: str
    rows: list[FigureRow]
    chart: BarsChart
    reasons: list[str]
    missing: list[str]
    turns: str
    cost: str
    cost_says: str
    composite: str
    recommendations: list[Recommendation]


class HistoryLine(Struct, frozen=True):
    """One recorded verdict."""

    number: int
    headline: str
    state: str
    by: str
    at: datetime
    reason: str
    is_current: bool
    basis_sha256: str


class VerdictPage(Struct, frozen=True):
    """The page. `outcome` is the recorded one where a verdict stands, else what would be recorded; None: hidden.

    `basis_sha256` and `basis` go back with the form, "" where they tell of what others said; `record_refusal` says why
    its button is greyed, "" when it is not. `record_way` is where a lead removes what it says: "people" of the game,
    "settle", "" for neither.
    `changed` is what became different since the standing verdict was recorded.
    """

    slug: str
    number: int
    outcome: OutcomePart | None
    standing: HistoryLine | None
    history: list[HistoryLine]
    changed: list[str]
    basis_sha256: str
    basis: str
    record_refusal: str
    record_way: str
    is_correction: bool
    sees_game: bool
    rubric: str
    rubric_key: str
    rubric_number: str


def build_verdict_page(*, game: Game, person: Person) -> VerdictPage:
    """The page for somebody who may see it."""
    preview = load_verdict_preview(game)
    rows = Verdict.objects.filter(game=game).select_related("created_by").order_by("-number")
    history = [(row, msgspec.json.decode(row.outcome, type=Outcome)) for row in rows]
    standing = history[0] if history else None
    version = game.iteration.rubric_version
    sees_game = may(check_see_game, person, game)
    # What several evaluators said is each one's own, and so is the basis made of it; the outcome until it is recorded.
    several = preview is not None and len(preview.basis.evaluations) > 1
    is_shared = game.evaluator_count > 1 or several
    is_others = is_shared and not may(check_supersede_verdict, person, game)
    is_hidden = not sees_game and standing is None and (game.iteration.reveal == NEVER or is_shared)
    outcome = standing[1] if standing else preview.outcome if preview else None
    basis = msgspec.json.decode(standing[0].basis, type=Basis) if standing else preview and preview.basis
    lines = [_history(row, recorded, is_current=place == 0) for place, (row, recorded) in enumerate(history)]
    return VerdictPage(
        slug=game.project.slug,
        number=game.number,
        outcome=outcome_part(outcome, basis) if outcome and basis and not is_hidden else None,
        standing=lines[0] if lines else None,
        history=lines,
        changed=_changed(standing[0], preview) if standing and preview and not is_others else [],
        basis_sha256=preview.basis_sha256 if preview and not is_others else "",
        basis=canonical_bytes(preview.basis).decode() if preview and not is_others else "",
        record_refusal=_refusal(game, person, preview, is_correction=standing is not None),
        record_way=_way(preview),
        is_correction=standing is not None,
        sees_game=sees_game,
        rubric=str(version),
        rubric_key=version.rubric.key,
        rubric_number=version.number,
    )


def outcome_part(outcome: Outcome, basis: Basis) -> OutcomePart:
    """An outcome in words, with what it rests on."""
    return OutcomePart(
        headline=outcome.headline,
        state="pending" if outcome.passes is None else "pass" if outcome.passes else "fail",
        rows=figure_rows(outcome),
        chart=build_threshold_chart(outcome),
        reasons=[reason.says for reason in outcome.reasons],
        missing=[outcome.line(key).label for key in outcome.missing],
        turns=verdict_turns(outcome),
        cost=""
        if outcome.cost_usd is None
        else f"${figure(outcome.cost_usd, float(outcome.cost_limit_usd), decimals=2)}",
        cost_says=cost_says(outcome, basis),
        composite="" if outcome.composite is None else f"{outcome.composite:.1f}",
        recommendations=outcome.recommendations,
    )


def cost_says(outcome: Outcome, basis: Basis) -> str:
    """What the cost means for the verdict, and whether it was entered by hand; "" when it is low and reported."""
    bounds = {"limit": f"{outcome.cost_limit_usd:.2f}", "amber": f"{outcome.cost_amber_usd:.2f}"}
    says = {
        ABOVE: _("above $%(limit)s: the game fails, whatever its quality"),
        AMBER: _(
            "amber: from $%(amber)s to $%(limit)s is no failure, but no success for the iteration either"
        ),
        UNREPORTED: _("not reported: it neither passes nor fails"),
    }
    meant = says.get(outcome.cost_state, "") % bounds
    return "; ".join(filter(None, (_("entered by hand") if basis.cost.source == BY_HAND else "", meant)))


def _history(row: Verdict, outcome: Outcome, *, is_current: bool) -> HistoryLine:
    return HistoryLine(
        number=row.number,
        headline=outcome.headline,
        state="pass" if row.passes else "fail",
        by=row.created_by.name,
        at=row.created_at,
        reason=row.reason,
        is_current=is_current,
        basis_sha256=row.basis_sha256,
    )


def _changed(verdict: Verdict, preview: Preview) -> list[str]:
    recorded = msgspec.json.decode(verdict.basis, type=Basis)
    return changes(replace(recorded, supersedes=verdict.pk), preview.basis)


def _way(preview: Preview | None) -> str:
    """Where what keeps a verdict from being complete is settled, in the order in which check_complete asks."""
    if preview is None or preview.is_complete:
        return ""
    if len(preview.basis.evaluations) < preview.basis.evaluator_count:
        return "people"
    return "settle" if preview.has_ties else ""


def _refusal(game: Game, person: Person, preview: Preview | None, *, is_correction: bool) -> str:
    if preview is None:
        return _("This game is not measured yet; its verdict can be recorded once its figures are there.")
    check = check_supersede_verdict if is_correction else check_record_verdict
    return get_refusal(check, person, game) or get_refusal(check_complete, preview)
