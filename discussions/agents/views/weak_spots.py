"""What the agents of an iteration do wrong: a page for leads, and a Markdown file for the author of the prompt."""

from collections.abc import Callable, Mapping

from django.db.models import Exists
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from discussions.adjudication.labels import answer_label
from discussions.agents.core.files import ITERATION
from discussions.agents.pages import list_of
from discussions.agents.queries import load_coded
from discussions.core.judgement_kinds import COHERENCE, PHRASE, REFERENCE, ROLE_CONSISTENCY, STATEMENT
from discussions.core.outcome import DIVERSITY
from discussions.games.core import MESSAGES_A_PAGE
from discussions.history.core.weak_spots import (
    AGENT,
    GROUPINGS,
    KINDS,
    LABELS,
    PERSONALITY,
    ROLE,
    Belief,
    ExaminedGame,
    Speaker,
    Spot,
    find_beliefs,
    find_spots,
    group_beliefs,
    group_neighbours,
    group_spots,
    list_neighbours,
    rank_spots,
)
from discussions.iterations.views import SECTION, build_stage_frame, iteration_or_404
from discussions.metrics.labels import CHECKS, rule_text
from discussions.models import Evaluation, Game, Iteration, Judgement
from discussions.preview.queries import Batch, read_judged
from discussions.queries import measured_for, rubric_record
from discussions.slots.permissions import check_see_iterations
from discussions.verdicts.core.scoring import compute_effective_values
from workspace.display.pages import render_markdown
from workspace.web.views import SignedIn, download, frame, only_parameters, require, respond

MARKDOWN = "discussions/weak_spots/weak_spots.md"
MOST_GAMES, MOST_SPOTS, MOST_LINES, LONGEST_TEXT = 100, 20, 500, 300
TITLES: dict[str, Promise] = {
    REFERENCE: gettext_lazy("Wrong about the past"),
    COHERENCE: gettext_lazy("Messages that leave the ones before them unanswered"),
    PHRASE: gettext_lazy("Repeated phrases"),
    ROLE_CONSISTENCY: gettext_lazy("Lines that do not fit the role"),
}
COLUMNS: dict[str, Promise] = {
    REFERENCE: gettext_lazy("Wrong references"),
    COHERENCE: gettext_lazy("Unanswered"),
    PHRASE: gettext_lazy("Repeated phrases"),
    ROLE_CONSISTENCY: gettext_lazy("Out of role"),
}
GROUPED: dict[str, Promise] = {
    ROLE: gettext_lazy("Role"),
    PERSONALITY: gettext_lazy("Personality"),
    AGENT: gettext_lazy("Agent"),
}
assert set(GROUPED) == set(GROUPINGS)


class PlacedLine:
    """What an agent said, with the address of its message; `game_url` gives that of a game's page by its number."""

    def __init__(self, spot: Spot | Belief, game_url: Callable[[int], str]) -> None:
        start = f"?from={spot.message}" if spot.message > MESSAGES_A_PAGE else ""
        self.said, self.address = spot, f"{game_url(spot.game)}{start}#m{spot.message}"

    @property
    def place(self) -> str:
        return _("game %(game)d, message %(message)d") % {
            "game": self.said.game,
            "message": self.said.message,
        }

    @property
    def who(self) -> str:
        """Such as "Ada (mafia, analytical)"."""
        speaker = self.said.speaker
        known = ", ".join(filter(None, (speaker.role, speaker.personality)))
        agent = speaker.agent or _("all agents")
        return f"{agent} ({known})" if known else agent

    @property
    def text(self) -> str:
        text = self.said.text
        return " ".join((text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} …").split())


class SpotLine(PlacedLine):
    said: Spot

    @property
    def why(self) -> str:
        """What was wrong, and who says so."""
        spot = self.said
        if spot.kind == PHRASE:
            messages = len(set(spot.messages))
            says = ngettext(
                "said %(count)d times in one message",
                "said %(count)d times in %(messages)d messages",
                messages,
            )
            return says % {"count": spot.count, "messages": messages}
        why = str(CHECKS.get(spot.why) or rule_text(spot.why).replace("_", " ")) if spot.why else ""
        if spot.is_by_people and spot.kind != REFERENCE:
            why = _("judged by people") + (f"; {why}" if why else "")
        elif spot.is_by_people:
            why = _("labelled %(label)s by people") % {"label": why}
        else:
            why = _("automatic: %(why)s") % {"why": why}
        words = ", ".join(spot.words)
        return f"{why} ({words})" if words else why


@require("see_iterations")
def weak_spots(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    row, findings = _read_findings(request, slug, iteration)
    assert row.stage is not None  # unsorted games have no such page
    context = {
        **findings,
        "markdown": render_markdown(MARKDOWN, **findings),
        "head": build_stage_frame(stage=row.stage, current="weak_spots"),
        **frame(request.user, row.project, SECTION),
    }
    return respond(request, page="discussions/weak_spots/weak_spots.html", context=context)


@require("see_iterations")
def weak_spots_markdown(request: SignedIn, slug: str, iteration: int) -> HttpResponse:
    _row, findings = _read_findings(request, slug, iteration)
    text, name = render_markdown(MARKDOWN, **findings), f"{slug}-iteration-{iteration}-weak-spots.md"
    return download(text.encode(), name, "text/markdown; charset=utf-8")


def _read_findings(request: SignedIn, slug: str, number: int) -> tuple[Iteration, dict[str, object]]:
    chosen = only_parameters(request, *GROUPINGS, "label")
    iteration = iteration_or_404(request.user, slug, number)
    check_see_iterations(request.user, iteration.project)
    if iteration.is_unsorted:
        raise Http404
    # With the host, so that addresses in copied Markdown lead back here.
    root = request.build_absolute_uri("/").removesuffix("/")
    return iteration, _list_findings(iteration, {key: name for key, name in chosen.items() if name}, root)


def _list_findings(iteration: Iteration, chosen: Mapping[str, str], root: str) -> dict[str, object]:
    """What the agents do wrong in the newest games, as the page and the file say it; addresses begin with `root`.

    `chosen` narrows the lists: agent, role or personality -> the name. A fixed number of queries.
    """
    games, unread = _read_games(iteration)
    spots = [spot for game in games for spot in find_spots(game)]
    speakers = {key: name for key, name in chosen.items() if key in GROUPINGS}
    narrowed = [spot for spot in spots if _is_by(spot.speaker, speakers)]
    ranked = {kind: rank_spots(narrowed, kind) for kind in KINDS}
    most_first = sorted(KINDS, key=lambda kind: -len(ranked[kind]))
    neighbours = list_neighbours(games)
    alike = [neighbour for neighbour in neighbours if not neighbour.is_unique]
    version = iteration.rubric_version
    personalities = rubric_record(version.pk, version.sha256).lists["personalities"]
    described = {row["label"]: row["description"] for row in personalities}
    groups = group_neighbours(neighbours, list(described))

    def game_url(number: int) -> str:
        return root + reverse("game", args=[iteration.project.slug, number])

    return {
        "iteration": iteration,
        "game_count": len(games),
        "unread": unread,
        "chosen": ", ".join(speakers.values()),
        **_list_beliefs(iteration, games, speakers, chosen.get("label", ""), game_url),
        "counts": {kind: len(ranked[kind]) for kind in most_first},
        "spots": {
            kind: [SpotLine(spot, game_url) for spot in ranked[kind][:MOST_SPOTS]] for kind in most_first
        },
        "coded": list_of(
            load_coded(iteration.project, iteration=iteration),
            *((AGENT, agent) if (agent := chosen.get(AGENT)) else (ITERATION, str(iteration.number))),
            game_url,
        ),
        "titles": TITLES,
        "groups": {grouping: group_spots(games, spots, grouping) for grouping in GROUPED},
        "grouped": GROUPED,
        "columns": COLUMNS,
        "personalities": [(row, described.get(row["personality"], "")) for row in groups],
        "alike": [(row, f"{game_url(row.game)}#{DIVERSITY}") for row in alike[:MOST_SPOTS]],
    }


def _is_by(speaker: Speaker, chosen: Mapping[str, str]) -> bool:
    return all(speaker.get(key) == name for key, name in chosen.items())


def _list_beliefs(
    iteration: Iteration,
    games: list[ExaminedGame],
    chosen: Mapping[str, str],
    label: str,
    game_url: Callable[[int], str],
) -> dict[str, object]:
    """The rates of labelled statements, and the lines behind those of the chosen agent or role and label."""
    records = {game.number: game.record for game in games}
    submitted = Evaluation.objects.submitted_ratings().filter(game__iteration=iteration)
    rows = Judgement.objects.filter(kind=STATEMENT, evaluation__in=submitted).exclude(value="")
    beliefs = find_beliefs(records, rows.values_list("evaluation__game__number", "subject", "value"))
    lines = [
        belief
        for belief in beliefs
        if _is_by(belief.speaker, chosen) and belief.label and label in ("", belief.label)
    ]
    return {
        "beliefs": {grouping: group_beliefs(beliefs, grouping) for grouping in (ROLE, AGENT)},
        "unsettled": sum(not belief.label for belief in beliefs),
        "label": label,
        "labels": {label: answer_label(STATEMENT, label) for label in LABELS},
        "lines": [PlacedLine(belief, game_url) for belief in lines[:MOST_LINES]],
        "unlisted_lines": max(0, len(lines) - MOST_LINES),
    }


def _read_games(iteration: Iteration) -> tuple[list[ExaminedGame], int]:
    """The newest measured games that count, with people's judgements so far, and how many games are left out."""
    rows = Game.objects.filter(iteration=iteration, withdrawn_at=None)
    measured = rows.filter(Exists(measured_for(iteration))).order_by("-number")
    keys = list(measured.values_list("pk", flat=True)[:MOST_GAMES])
    games = []
    for judged in read_judged(Batch(sorted(keys), is_recorded=False), lambda _rubric: True):
        assert judged.text is not None  # every text was requested
        effective = compute_effective_values(judged.basis, judged.measurements)
        games.append(ExaminedGame(judged.where.number, judged.text, judged.measurements, effective))
    return games, rows.count() - len(games)
