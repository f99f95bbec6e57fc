"""The games of a project, a page at a time, with figures from recorded verdicts or from measurements so far.

A page takes a fixed number of queries, more where games wait to be recorded; otherwise it reads no transcript's text.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from discussions.core.outcome import ABOVE, AMBER, UNREPORTED, Outcome
from discussions.games.forms import GameColumnsForm, parse_list_address, parse_list_query, read_columns
from discussions.games.pages import ScoreCell, build_figure_cells, build_outcome_cells, list_cell_words
from discussions.games.queries.game_facts import (
    GameFacts,
    IterationRules,
    load_game_facts,
    load_rules,
)
from discussions.games.queries.list_filters import (
    AGREEMENTS,
    COMPLETE,
    MEASURING,
    STATUSES,
    VERDICTS,
    WEAK_PASSES,
    YES,
)
from discussions.games.queries.list_query import (
    FIELDS,
    MOST_CHOSEN,
    MOST_SORTED,
    ListQuery,
    count_matches,
    load_list_window,
)
from discussions.iterations.queries import judge_rated
from discussions.metrics.core.registry import METRICS
from discussions.metrics.labels import LABELS, limit_text
from discussions.models import Remark
from discussions.queries import find_stopped_jobs
from discussions.slots.permissions import check_see_games
from discussions.verdicts.core.rule import get_cost_state
from discussions.verdicts.pages.lines import FAIL, PASS, describe_weak_pass
from workspace.access.permissions import may
from workspace.core.refusals import Malformed
from workspace.core.text import figure
from workspace.models import Project
from workspace.web.bind_form import bind_form, project_or_404
from workspace.web.views import SignedIn, frame, require, respond

COLUMNS, YEAR = "games_columns", 365 * 24 * 3600

ID, COMPOSITE, FLIPS, WEAK, COST = "id", "composite", "flips", "weak", "cost"
MESSAGES, ITERATION, IMPORTED, FLAGS = "messages", "iteration", "imported", "flags"

# The metrics stand between the first and the others.
FIRST = {ID: gettext_lazy("Game id")}
OTHERS = {
    COMPOSITE: gettext_lazy("Composite"),
    FLIPS: gettext_lazy("To flip"),
    WEAK: gettext_lazy("Weak passes"),
    COST: gettext_lazy("Cost"),
    MESSAGES: gettext_lazy("Messages"),
    FLAGS: gettext_lazy("Open flags"),
    ITERATION: gettext_lazy("Iteration"),
    IMPORTED: gettext_lazy("Imported"),
}
HIDDEN_AT_FIRST = frozenset({COMPOSITE, FLIPS, WEAK, COST, MESSAGES, FLAGS, IMPORTED})
NUMBERS = frozenset({"number", COMPOSITE, FLIPS, COST, MESSAGES, FLAGS})

# Column -> its two sort orders; the first click selects the first.
ORDERS = {
    "number": ("newest", "oldest"),
    "status": ("most_passed", "fewest_passed"),
    ID: ("a_to_z", "z_to_a"),
    COMPOSITE: ("best", "worst"),
    FLIPS: ("closest", "farthest"),
    COST: ("costliest", "cheapest"),
    MESSAGES: ("longest", "shortest"),
    ITERATION: ("last_iteration", "first_iteration"),
    **{key: (f"lowest_{key}", f"highest_{key}") for key in METRICS},
}
BY_HAND = "by_hand"
# For a metric that the rubric version of a game does not have.
NO_CELL = ScoreCell("", "", "")


@require("see_games", costs="searches", own_address=True)
def games(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug)
    if not may(check_see_games, request.user, project):
        return redirect("queue", slug=slug)
    chosen = read_columns(request.COOKIES.get(COLUMNS, ""))
    page = GamesPage(project=project, wanted=parse_list_query(request.GET), chosen=chosen)
    context = {"page": page, **frame(request.user, project, "games")}
    return respond(request, page="discussions/games/list.html", context=context)


@require("see_games", methods=("POST",))
def choose_columns(request: SignedIn, slug: str) -> HttpResponse:
    project_or_404(request.user, slug, check_see_games)
    form = bind_form(request, GameColumnsForm, known=list_columns(list(METRICS)))
    if not form.is_valid():
        raise Malformed(_("There is no such column. Load the page again."))
    query = parse_list_address(form.cleaned_data["back"]).change()
    answer = respond(request, page="", redirect=f"{reverse('games', args=[slug])}?{query}")
    # A dot stands for no columns: an empty cookie means that nothing was chosen.
    chosen = ".".join(form.cleaned_data["columns"]) or "."
    secure = settings.SESSION_COOKIE_SECURE
    answer.set_cookie(COLUMNS, chosen, max_age=YEAR, samesite="Lax", httponly=True, secure=secure)
    return answer


def load_expected(games: list[GameFacts]) -> dict[int, Outcome]:
    """Key of a game to record -> the outcome of its verdict; without games whose ties wait for a lead."""
    return judge_rated({game.row.number: game.row.pk for game in games if game.state == COMPLETE})[0]


class GamesPage:
    """The requested games, with the columns that a person chose; `match_count` is counted to `most_chosen` + 1."""

    most_chosen = MOST_CHOSEN

    def __init__(self, *, project: Project, wanted: ListQuery, chosen: frozenset[str] | None = None) -> None:
        window, (iterations, names) = load_list_window(project, wanted), load_rules(project)
        self.wanted, self.after, self.before = wanted, window.after, window.before
        keys = {criterion.key for rules in iterations.values() for criterion in rules.rubric.criteria}
        self.columns = list_columns([key for key in METRICS if key in keys])
        wished = self.columns.keys() - HIDDEN_AT_FIRST if chosen is None else chosen
        self.shown = [key for key in self.columns if key in wished]
        self.metrics = [key for key in self.shown if key in METRICS]
        labels = {
            "number": _("Game"),
            **{key: self.columns[key] for key in self.shown if key == ID},
            "status": _("Status"),
            **{key: self.columns[key] for key in self.shown if key != ID},
        }
        limits = _list_limits(iterations)
        self.headings = {key: Heading(key, label, wanted, limits) for key, label in labels.items()}
        facts = load_game_facts(window.games, iterations)
        expected = load_expected(facts)
        flags = _count_flags(facts) if FLAGS in self.shown else {}
        self.lines = _list_games(facts, self.metrics, flags, expected)
        self.choices = _choices(iterations, names)
        # Games are never deleted, so the next number gives their count.
        self.game_count = project.next_game_number - 1
        is_whole = not (self.after or self.before)
        self.match_count = len(facts) if is_whole else count_matches(project, wanted, MOST_CHOSEN + 1)

    @property
    def kept(self) -> dict[str, object]:
        """What a form of the page keeps: the other filters, and the order."""
        order = {} if self.wanted.sort == "newest" else {"sort": self.wanted.sort}
        return self.wanted.active | order

    @property
    def more_filters(self) -> dict[str, str]:
        return {
            "evaluator": _("Evaluator"),
            "flag": _("Flags"),
            "agreement": _("Agreement"),
            "weak": _("Weak passes"),
            "odd": _("Oddities"),
        }

    @property
    def more_count(self) -> int:
        return sum(name in ("since", "until", *self.more_filters) for name in self.wanted.active)

    @property
    def says(self) -> list[str]:
        """What fails most often among the games of the page, and how many of them wait for their verdict."""
        failing = Counter(
            [
                key
                for line in self.lines
                for key, cell in zip(self.metrics, line.cells, strict=True)
                if cell.fails
            ]
        )
        says = []
        for key, count in failing.most_common(1):
            most = {"metric": LABELS[key].column, "count": count, "shown": len(self.lines)}
            says.append(_("%(metric)s fails most often: in %(count)d of the %(shown)d shown.") % most)
        if waiting := [line.state for line in self.lines].count(COMPLETE):
            wait = ngettext("%(n)d waits for its verdict.", "%(n)d wait for their verdict.", waiting)
            says.append(wait % {"n": waiting})
        if (
            self.wanted.is_ordered_by_metric
            and self.game_count > MOST_SORTED
            and self.match_count > MOST_CHOSEN
        ):
            says.append(_("Only the newest %(n)d that match are sorted by it.") % {"n": MOST_SORTED})
        return says


def _list_limits(iterations: Mapping[int, IterationRules]) -> dict[str, str]:
    """Metric -> the threshold as text, for metrics that have the same in all iterations."""
    found: dict[str, set[str]] = {}
    for rubric in {rules.version: rules.rubric for rules in iterations.values()}.values():
        for criterion in rubric.criteria:
            found.setdefault(criterion.key, set()).add(limit_text(criterion.key, criterion.threshold or 0))
    return {key: next(iter(limits)) for key, limits in found.items() if len(limits) == 1}


def list_columns(metrics: Sequence[str]) -> dict[str, str]:
    named = {key: str(LABELS[key].column) for key in metrics}
    return {key: str(label) for key, label in (FIRST | named | OTHERS).items()}


class Heading:
    """`sorts_by` is the query of the URL that sorts by the column, "" if it cannot be sorted; `needed` a threshold."""

    def __init__(self, key: str, label: str, wanted: ListQuery, limits: Mapping[str, str]) -> None:
        self.label, self.needed, self.is_number = label, limits.get(key, ""), key in NUMBERS or key in LABELS
        first, second = ORDERS.get(key, ("", ""))
        rises = "descending" if FIELDS[wanted.sort][1] else "ascending"
        self.sorted = rises if wanted.sort in (first, second) else ""
        self.sorts_by = wanted.change(sort=second if wanted.sort == first else first) if first else ""


def _choices(iterations: dict[int, IterationRules], people: dict[int, str]) -> dict[str, Mapping[Any, Any]]:
    return {
        "state": STATUSES,
        "verdict": VERDICTS,
        "iteration": {key: rules.name for key, rules in iterations.items()},
        "evaluator": people,
        "agreement": AGREEMENTS,
        "weak": WEAK_PASSES,
        "flag": {YES: _("with an open flag")},
        "odd": {YES: _("looks odd")},
    }


def _count_flags(games: list[GameFacts]) -> dict[int, int]:
    rows = Remark.objects.filter(
        kind="flag", resolved_at=None, evaluation__game__in=[game.row.pk for game in games]
    )
    counted = rows.order_by().values("evaluation__game").annotate(count=Count("pk"))
    return dict(counted.values_list("evaluation__game", "count"))


def _list_games(
    games: list[GameFacts], metrics: list[str], flags: dict[int, int], expected: dict[int, Outcome]
) -> "list[ListedGame]":
    waiting = {game.row.iteration_id for game in games if game.state == MEASURING}
    stopped = find_stopped_jobs(waiting) if waiting else {}
    words = {key: str(label) for key, label in STATUSES.items()} | list_cell_words()
    words |= {AMBER: _("over target"), ABOVE: _("too high"), UNREPORTED: _("not reported")}
    words[BY_HAND] = _("by hand")
    return [
        ListedGame(
            game,
            metrics,
            words,
            flags.get(game.row.pk, 0),
            expected.get(game.row.pk),
            is_stopped=game.state == MEASURING and game.row.iteration_id in stopped,
        )
        for game in games
    ]


class ListedGame:
    """One row, its figures as text: `cells` has a figure for each of `metrics`. `words` are the same for all rows.

    `expected` is the outcome that a rated game would be recorded with now.
    """

    def __init__(
        self,
        facts: GameFacts,
        metrics: list[str],
        words: dict[str, str],
        flag_count: int,
        expected: Outcome | None,
        *,
        is_stopped: bool,
    ) -> None:
        row, rules, outcome, cost = facts.row, facts.rules, facts.outcome, facts.row.paid_usd
        self.row, self.number, self.iteration = row, str(row.number), rules.name
        self.state, self.state_says = facts.state, words[facts.state]
        self.tone = self.headline = self.composite = self.turns = self.weak = ""
        if shown := outcome or expected:
            cells = build_outcome_cells(shown, words)
        else:
            cells = build_figure_cells(facts.figures, rules.rubric, words)
        if outcome is not None:
            self.tone = PASS if outcome.passes else FAIL
            says = _("%(passed)d of %(all)d") if outcome.passes else _("fails, %(passed)d of %(all)d")
            self.headline = says % {"passed": outcome.passed_count, "all": len(outcome.lines)}
            self.composite = "" if outcome.composite is None else figure(outcome.composite)
            self.turns = "" if outcome.flip_distance is None else str(outcome.flip_distance)
            self.weak = "; ".join(map(describe_weak_pass, outcome.weak_passes))
        if is_stopped:
            self.tone, self.headline = FAIL, _("measuring failed")
        self.cells = [cells.get(key, NO_CELL) for key in metrics]
        self.cost = "" if cost is None else f"${figure(cost, rules.limit, decimals=2)}"
        costs = (
            words.get(get_cost_state(cost, rules.rules)),
            words[BY_HAND] if facts.is_cost_by_hand else "",
        )
        self.cost_says = ", ".join(filter(None, costs))
        self.flags = str(flag_count) if flag_count else ""
