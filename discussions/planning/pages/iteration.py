"""One iteration for its leads: its state, the next step, its plan, what changed, and its games."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from discussions.comparison.labels import material_text
from discussions.comparison.pages.decision import TONES, choice_words
from discussions.comparison.pages.replay import ReplayButton, build_replay_button
from discussions.core.iteration_states import CHANGE
from discussions.iterations.core.history import COMPLETE, OPEN, RECORDED, History, HistoryIteration
from discussions.iterations.core.prompt_diff import PromptDiff, prompt_diff
from discussions.iterations.permissions import check_freeze
from discussions.iterations.queries import get_sentence, load_history, load_rubric, why_unready
from discussions.metrics.labels import place_of_metric
from discussions.models import Iteration
from discussions.models.iterations import IDENTIFICATIONS, REVEALS
from discussions.planning.core import most_hunks
from discussions.planning.pages.games import Candidates, IterationGame, candidates, iteration_games
from discussions.planning.permissions import check_open_iteration
from discussions.planning.queries import why_no_change, why_plan_is_final
from workspace.access.permissions import get_refusal
from workspace.models import Person

DONE, NOW, LATER = "done", "now", "later"


class Step(Struct, frozen=True):
    """One step from the plan to the decision; `state` is "done", "now" or "later"."""

    key: str
    says: str
    detail: str
    state: str


class IterationPage(Struct, frozen=True):
    """Everything on the page. `target` is a label, `materials` are labels with the difference that matters.

    `diff` is the difference from the reference's prompt, `ready_count` how many games are complete and have no verdict
    yet, `tied` the numbers of games with a tie to resolve. `places` are the parts of a game's page that show where the
    figures of `columns` come from. Refusals disable their buttons, "" if nothing prevents the action.
    """

    iteration: Iteration
    decision: str
    decision_tone: str
    is_reference: bool
    columns: list[str]
    places: list[str]
    target: str
    materials: list[tuple[str, str]]
    diff: PromptDiff | None
    reveal: str
    identification: str
    steps: list[Step]
    games: list[IterationGame]
    candidates: Candidates | None
    newest_change: int
    edit_refusal: str
    open_refusal: str
    replay: ReplayButton | None
    ready_count: int
    tied: list[int]


def build_iteration_page(*, iteration: Iteration, person: Person) -> IterationPage:
    """The page of an iteration of a stage, fetched with everything that `iteration_or_404` fetches."""
    stage, reference = iteration.stage, iteration.compared_with
    assert stage is not None
    history = load_history(stage)
    row = history.find(iteration.pk)
    assert row is not None
    rubric = load_rubric(row)
    closed = get_refusal(check_open_iteration, person, stage)
    frozen = get_refusal(check_freeze, person, iteration)
    open_refusal = frozen or get_sentence(why_unready(iteration))
    choice = row.decision.choice if row.decision else ""
    diff = None
    if reference:
        diff = prompt_diff(reference.prompt, iteration.prompt, allowed=most_hunks(rubric))
    return IterationPage(
        iteration=iteration,
        decision=choice_words().get(choice, ""),
        decision_tone=TONES.get(choice, ""),
        is_reference=history.reference is row,
        columns=[criterion.label for criterion in rubric.criteria],
        places=[place_of_metric(criterion.key) for criterion in rubric.criteria],
        target=rubric.criterion(iteration.target).label if iteration.target else "",
        materials=[
            (criterion.label, material_text(criterion.key, row.material[criterion.key]))
            for criterion in rubric.criteria
            if criterion.key in row.material
        ],
        diff=diff,
        reveal=dict(REVEALS)[iteration.reveal],
        identification=dict(IDENTIFICATIONS)[iteration.identification],
        steps=_steps(row, history, open_refusal),
        games=iteration_games(iteration, row),
        candidates=candidates(iteration) if iteration.takes_games else None,
        newest_change=history.newest_change,
        edit_refusal=closed or get_sentence(why_plan_is_final(iteration)),
        open_refusal=open_refusal,
        replay=build_replay_button(stage=stage, history=history, row=row),
        ready_count=sum(game.state == COMPLETE for game in row.games),
        tied=row.tied,
    )


def _steps(row: HistoryIteration, history: History, open_refusal: str) -> list[Step]:
    """The steps, exactly one of them due now unless all are done."""
    count = len(row.games)
    rated = sum(game.state != OPEN for game in row.games)
    recorded = sum(game.state == RECORDED for game in row.games)
    is_open = row.opened_at is not None
    progress = ngettext("%(done)d of %(count)d game", "%(done)d of %(count)d games", count)
    steps = [
        ("games", _("Import the games"), _describe_count(row), is_open or count >= row.least_games),
        ("open", _("Open it for rating"), "" if is_open else open_refusal, is_open),
        (
            "rate",
            _("Evaluators rate"),
            progress % {"done": rated, "count": count},
            is_open and rated == count,
        ),
        (
            "verdicts",
            _("Record the verdicts"),
            progress % {"done": recorded, "count": count},
            is_open and recorded == count,
        ),
        _last_step(row, history),
    ]
    if row.decision is not None:
        steps = [(key, says, detail, is_done or key != "decide") for key, says, detail, is_done in steps]
    due = next((key for key, _says, _detail, is_done in steps if not is_done), "")
    return [
        Step(key, says, detail, DONE if is_done else NOW if key == due else LATER)
        for key, says, detail, is_done in steps
    ]


def _describe_count(row: HistoryIteration) -> str:
    given = {"count": len(row.games), "least": row.least_games, "out": len(row.left_out)}
    if row.left_out:
        return _("%(count)d count and %(out)d withdrawn, %(least)d or more are needed") % given
    says = ngettext(
        "%(count)d is here, %(least)d or more are needed",
        "%(count)d are here, %(least)d or more are needed",
        given["count"],
    )
    return says % given


def _last_step(row: HistoryIteration, history: History) -> tuple[str, str, str, bool]:
    if row.kind == CHANGE:
        return "decide", _("Compare and decide"), "", row.decision is not None
    if row.replay_of is not None:
        return "compare", _("See the comparison in which its games count"), "", not history.newest_change
    follows = any(iteration.compared_with == row.id for iteration in history.iterations)
    refusal = "" if follows else get_sentence(why_no_change(history))
    is_first = not history.newest_change
    says = (
        _("Change one thing: create the first change")
        if is_first
        else _("Change one thing: create the next change")
    )
    return "change", says, refusal, follows
