"""A metric is added by its record, a line of the table and its labels: an eighth one is then on every page."""

import html
import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from discussions.games.queries.list_query import ListQuery
from discussions.games.views.game_list import GamesPage
from discussions.iterations.actions import open_for_rating
from discussions.metrics.core.registry import METRICS, measure_game
from discussions.models import Iteration, Measured, Verdict
from discussions.planning.actions import open_baseline
from discussions.rating.queries import load_state
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from rubric.versions.actions import publish_version
from rubric.versions.core.version_json import read_version
from rubric.versions.queries import first_discussion_version
from tests.factories import eighth_metric
from tests.factories.iterations import PROMPT, import_games, make_change, make_stage, plan, protocol
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.preview import draft_with, parameters, previewed, recorded_with
from tests.factories.rating import make_rating_project, say_what_is_missing, start
from tests.factories.transcripts import TEXTS, import_game
from tests.factories.verdicts import record_next_verdict
from workspace.core.canonical import canonical_bytes

pytestmark = pytest.mark.django_db
MEAN = f"{eighth_metric.mean_words(TEXTS):.1f}"


@pytest.fixture
def words(monkeypatch):
    """The metric in the table."""
    eighth_metric.register(monkeypatch)


@pytest.fixture
def version(words):
    """A published version of the rubric that has the metric."""
    draft = draft_with(eighth_metric.with_words)
    publish_version(version=draft, basis=draft.sha256, reason="Agreed", by=draft.created_by, now=NOW)
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


@pytest.fixture
def verdict(version):
    """The verdict on a game of a stage under that version, imported, measured and rated by the real actions."""
    stage = make_stage()
    asked = plan(prompt=PROMPT, change_note="")
    rules = protocol(rubric_version=version)
    baseline = open_baseline(stage=stage, plan=asked, protocol=rules, by=stage.created_by, now=NOW)
    import_games(iteration=baseline, games=[None] * 3)
    run_waiting_jobs()
    open_for_rating(iteration=baseline, by=stage.created_by, now=NOW)
    return record_next_verdict(project=stage.project, by=make_member(project=stage.project))


def said(client, name, *args):
    """A page as its lead reads it."""
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def test_every_page_of_games_shows_the_eighth_metric(client, verdict):
    slug, number = verdict.project.slug, verdict.game.number
    client.force_login(make_lead(project=verdict.project))
    assert verdict.game.iteration.rubric_version.number == "1.4"
    games = said(client, "games", slug)
    assert re.search(r"<th[^>]*>(?:<[^>]*>|\s)*Words", games)
    assert re.search(rf'<td class="n pass[^>]*>\s*{MEAN}\b', games)
    client.post(reverse("diagnostics", args=[slug, number]))
    run_waiting_jobs()
    game = said(client, "game", slug, number)
    counted = f"{sum(len(text.split()) for text in TEXTS)} words in 6 messages"
    for part in (f"{MEAN} words", counted, "4 words", "Longest message", "is a full sentence"):
        assert part in game
    for page in ("verdict", "report", "report_markdown"):
        found = said(client, page, slug, number)
        assert eighth_metric.LABEL in found, page
        assert f"{MEAN} words" in found, page
    report = client.get(reverse("report_json", args=[slug, number])).json()
    (line,) = [line for line in report["metrics"] if line["key"] == eighth_metric.KEY]
    assert (line["score"], line["pass"]) == (pytest.approx(float(MEAN), abs=0.05), True)


def test_every_page_of_the_stage_shows_the_eighth_metric(client, verdict):
    slug, iteration = verdict.project.slug, verdict.game.iteration
    client.force_login(make_lead(project=verdict.project))
    history = said(client, "stage", slug, 1)
    assert eighth_metric.LABEL in history
    assert "4 words or more" in history
    for page in ("stage_summary", "stage_summary_markdown", "stage_summary_json", "stage_figures"):
        found = said(client, page, slug, 1)
        assert eighth_metric.LABEL in found or eighth_metric.KEY in found, page
    assert MEAN in said(client, "iteration", slug, iteration.number)


def test_two_iterations_are_compared_by_the_eighth_metric_too(client, verdict):
    baseline, stage = verdict.game.iteration, verdict.game.iteration.stage
    member = verdict.game.evaluations.get().evaluator
    for _ in range(2):
        record_next_verdict(project=stage.project, by=member)
    client.force_login(stage.created_by)
    form = said(client, "open_iteration", stage.project.slug, stage.number)
    assert f'name="material-{eighth_metric.KEY}" value="2.0"' in form
    change = make_change(stage=stage, target=eighth_metric.KEY, material={eighth_metric.KEY: 1.5})
    import_games(iteration=change, games=[None] * 3)
    open_for_rating(iteration=change, by=stage.created_by, now=NOW)
    for _ in range(3):
        record_next_verdict(project=stage.project, by=member)
    page = said(client, "compare_iterations", stage.project.slug, change.number)
    assert f'aria-label="{eighth_metric.LABEL}, Iteration {change.number}"' in page
    assert f"{eighth_metric.LABEL}: 10 against 10." in page
    assert "1.5 words" in said(client, "iteration", stage.project.slug, change.number)
    assert Verdict.objects.filter(game__iteration__in=(baseline, change)).count() == 6
    call_command("verify")


def test_the_evaluator_sees_the_figure_with_those_that_nobody_judges(client, version):
    project = make_rating_project()
    Iteration.objects.filter(project=project).update(rubric_version=version)
    evaluation = start(project=project)
    assert eighth_metric.KEY not in load_state(evaluation).visibility.figures
    say_what_is_missing(evaluation)
    assert {eighth_metric.KEY, "anti_repetition"} <= load_state(evaluation).visibility.figures
    client.force_login(evaluation.evaluator)
    assert eighth_metric.LABEL in said(client, "rate", evaluation.pk)


def test_a_list_of_games_of_both_versions_keeps_figures_under_their_headings(client, verdict):
    project = verdict.project
    import_game(project=project, by=make_lead(project=project))
    page = GamesPage(project=project, wanted=ListQuery())
    assert [page.headings[key].label for key in page.metrics[-2:]] == ["Rating", "Words"]
    without, *_others = [line for line in page.lines if line.iteration != verdict.game.iteration.name]
    assert [cell.text for cell in without.cells[-2:]] == ["", ""]
    assert without.cells[-1].says == ""
    assert all(len(line.cells) == len(page.metrics) for line in page.lines)


def test_the_version_and_the_preview_name_the_eighth_metric(client, words):
    recorded_with(project=make_rating_project(slug="ours"), rating="4.0")
    draft = draft_with(
        lambda record: parameters(pass_count=7)(eighth_metric.with_words(record, threshold=100))
    )
    impact = previewed(draft)
    (turned,) = impact.turned
    assert (impact.looked_at, turned.label, turned.fails) == (1, eighth_metric.LABEL, 1)
    client.force_login(draft.created_by)
    page = said(client, "rubric_version", draft.rubric.key, draft.number)
    assert "at least 100 words" in page
    assert "With so many words a message is wordy." in page
    preview = said(client, "publish_version", draft.rubric.key, draft.number)
    assert f"{eighth_metric.LABEL} is new: 12 words is not enough at 100 words." in preview


def test_a_version_without_it_measures_and_decides_as_before(client, words):
    first = first_discussion_version()
    assert isinstance(read_version(canonical_bytes(first)), RubricRecord)
    before = recorded_with(project=make_rating_project(slug="ours"), rating="4.0")
    measured = Measured.objects.get(game=before.game)
    assert eighth_metric.KEY not in measured.findings.to_records()
    assert eighth_metric.KEY not in measure_game(before.game.text.to_record(), first)
    client.force_login(make_lead(project=before.project))
    for name in ("games", "game", "verdict", "report"):
        args = [before.project.slug, *([] if name == "games" else [before.game.number])]
        assert "Words a message" not in said(client, name, *args)
    assert list(METRICS)[-1] == eighth_metric.KEY
    assert Verdict.objects.count() == 1
