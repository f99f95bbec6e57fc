"""One iteration for its leads: where it stands and what is to do next, its plan, what changed, and its games."""

from django.utils.translation import gettext as _
from msgspec import Struct

from discussions.comparison.pages.decision import TONES, choice_words
from discussions.core.iteration_states import BASELINE, CHANGE, DECIDED, IMPORTING, RATING
from discussions.iterations.core.history import OPEN, RECORDED, History, HistoryIteration
from discussions.iterations.permissions import check_freeze
from discussions.iterations.queries import load_history, load_rubric, why_unready
from discussions.models import Iteration
from discussions.planning.pages.games import Candidates, IterationGame, candidates, iteration_games
from discussions.planning.pages.plan import PlanPart, build_plan_part
from discussions.planning.permissions import check_open_iteration
from discussions.planning.queries import why_plan_is_final
from workspace.access.permissions import get_refusal
from workspace.models import Person

DONE, NOW, LATER = "done", "now", "later"


class Way(Struct, frozen=True):
    """One step from the plan to the decision; `key` says which, `state` is "done", "now" or "later"."""

    key: str
    says: str
    detail: str
    state: str


class IterationPage(Struct, frozen=True):
    """Everything on the page. Refusals grey their buttons, "" where they do not."""

    slug: str
    id: int
    number: int
    name: str
    stage: int
    kind: str
    kind_says: str
    state: str
    state_says: str
    decision: str
    decision_tone: str
    is_reference: bool
    change_note: str
    plan: PlanPart
    ways: list[Way]
    columns: list[str]
    games: list[IterationGame]
    takes_games: bool
    candidates: Candidates | None
    newest_change: int
    edit_refusal: str
    open_refusal: str


def build_iteration_page(*, iteration: Iteration, person: Person) -> IterationPage:
    """The page of an iteration of a stage, fetched with everything that `iteration_or_404` fetches."""
    stage = iteration.stage
    assert stage is not None
    history = load_history(stage)
    row = history.find(iteration.pk)
    assert row is not None
    closed = get_refusal(check_open_iteration, person, stage)
    open_refusal = _open_refusal(person, iteration)
    standing = row.decision.choice if row.decision else ""
    return IterationPage(
        slug=iteration.project.slug,
        id=iteration.pk,
        number=iteration.number,
        name=iteration.name,
        stage=stage.number,
        kind=iteration.kind,
        kind_says=_("baseline") if iteration.kind == BASELINE else _("change"),
        state=iteration.state,
        state_says=_states()[iteration.state],
        decision=choice_words().get(standing, ""),
        decision_tone=TONES.get(standing, ""),
        is_reference=history.reference is row,
        change_note=iteration.change_note,
        plan=build_plan_part(iteration, row),
        ways=_ways(row, history, open_refusal),
        columns=[criterion.label for criterion in load_rubric(row).criteria],
        games=iteration_games(iteration, row),
        takes_games=iteration.takes_games,
        candidates=candidates(iteration) if iteration.takes_games else None,
        newest_change=history.newest_change,
        edit_refusal=closed or _edit_refusal(iteration),
        open_refusal=open_refusal,
    )


def _states() -> dict[str, str]:
    return {IMPORTING: _("open for import"), RATING: _("open for rating"), DECIDED: _("decided")}


def _open_refusal(person: Person, iteration: Iteration) -> str:
    if refused := get_refusal(check_freeze, person, iteration):
        return refused
    why = why_unready(iteration)
    return why.says if why else ""


def _edit_refusal(iteration: Iteration) -> str:
    why = why_plan_is_final(iteration)
    return why.says if why else ""


def _ways(row: HistoryIteration, history: History, open_refusal: str) -> list[Way]:
    """The steps, exactly one of them due now unless all are done."""
    count = len(row.games)
    rated = sum(game.state != OPEN for game in row.games)
    recorded = sum(game.state == RECORDED for game in row.games)
    is_open = row.opened_at is not None
    of_games = _("%(done)d of %(count)d games")
    steps = [
        ("games", _("Bring in the games"), _least(row), is_open or count >= row.least_games),
        ("open", _("Open it for rating"), "" if is_open else open_refusal, is_open),
        (
            "rate",
            _("Evaluators rate"),
            of_games % {"done": rated, "count": count},
            is_open and rated == count,
        ),
        (
            "verdicts",
            _("Record the verdicts"),
            of_games % {"done": recorded, "count": count},
            is_open and recorded == count,
        ),
        _last(row, history),
    ]
    if row.decision is not None:
        steps = [(key, says, detail, is_done or key != "decide") for key, says, detail, is_done in steps]
    due = next((key for key, _says, _detail, is_done in steps if not is_done), "")
    return [
        Way(key, says, detail, DONE if is_done else NOW if key == due else LATER)
        for key, says, detail, is_done in steps
    ]


def _least(row: HistoryIteration) -> str:
    given = {"count": len(row.games), "least": row.least_games}
    return _("%(count)d are here, at least %(least)d are needed") % given


def _last(row: HistoryIteration, history: History) -> tuple[str, str, str, bool]:
    if row.kind == CHANGE:
        return "decide", _("Compare and decide"), "", row.decision is not None
    follows = any(iteration.compared_with == row.id for iteration in history.iterations)
    return "change", _("Change one thing: open the first change"), "", follows
