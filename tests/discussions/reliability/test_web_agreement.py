"""Pages of agreement and of being worth watching: who sees them, which games count, cases, queries."""

import html
import re
from types import SimpleNamespace

import pytest
from django.db import transaction
from django.urls import reverse

from discussions.models import Game
from discussions.reliability.core.blind_answers import PairAgreement, PairCell
from discussions.reliability.queries import engagement_figures
from discussions.reliability.views.agreement import _find_who_differs, is_near
from tests.factories.iterations import figures, make_iteration, make_stage, record_figures, withdraw
from tests.factories.people import make_admin, make_lead, make_member, make_project
from tests.factories.rating import make_rating_project, submitted
from tests.factories.reliability import figure_team, list_people, make_agreeing_project
from tests.factories.tokens import program_of
from tests.factories.transcripts import import_game, make_games_project
from workspace.statistics.estimates import Agreement

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "figures"}


@pytest.fixture(scope="module")
def agreed(django_db_setup, django_db_blocker):
    """A project of three games by the same two evaluators, with its figures; undone at the end."""
    with django_db_blocker.unblock(), transaction.atomic():
        project = make_agreeing_project()
        project.lead = make_lead(project=project)
        figure_team(project, by=project.lead)
        yield project
        transaction.set_rollback(True)


def address(project, thing=""):
    return (
        reverse("agreement_thing", args=[project.slug, thing])
        if thing
        else reverse("agreement", args=[project.slug])
    )


def shown(client, person, url, *, status=200, **given):
    client.force_login(person)
    answer = client.get(url, **given)
    assert answer.status_code == status, answer.content.decode()[:400]
    return answer.content.decode()


def test_games_of_one_evaluator_have_no_agreement_and_the_page_says_what_would(client):
    project = make_rating_project()
    lead = make_lead(project=project)
    for _before_and_after in range(2):
        said = shown(client, lead, address(project))
        assert "No game was submitted by two evaluators yet" in said
        assert "asks for two evaluators or more for each game" in said
        assert "Compute" not in said
        submitted(project=project)
    figure_team(project, by=lead)
    assert "No game was submitted by two evaluators yet" in shown(client, lead, address(project))


def test_figures_are_asked_for_and_shown_in_place(client):
    project = make_agreeing_project(games=1)
    lead = make_lead(project=project)
    assert "2 evaluations were submitted." in shown(client, lead, address(project))
    asked = client.post(reverse("figure_team", args=[project.slug]), {"kind": "agreement"})
    assert (asked.status_code, asked["Location"]) == (303, address(project))
    said = shown(client, lead, address(project), headers=HTMX)
    assert said.lstrip().startswith('<div id="figures"')
    assert "every 1s" in said
    assert client.get(address(project, "rating"))["Location"] == address(project)
    figure_team(project, by=lead)
    said = shown(client, lead, address(project), headers=HTMX)
    assert "every 1s" not in said and "All figures" in said
    said = shown(client, lead, address(project))
    assert "1 game that two evaluators or more have submitted, 2 evaluators." in said


def test_the_page_has_a_line_for_each_metric_question_and_the_rating(client, agreed):
    said = shown(client, agreed.lead, address(agreed))
    for key in (
        "reference",
        "strategic_depth",
        "coherence",
        "role_consistency",
        "identify",
        "question-5",
        "rating",
    ):
        assert address(agreed, key) in said
    assert said.count("<tr>") == 1 + 11 + 1 + 2 + len(["head", *re.findall(r'class="dot \w+"', said)])
    assert said.count('class="dot ') == 5, "the subjects with a value, each with its evaluators' columns"
    assert len(re.findall(r'<td\s+class="differs', said)) == 5 * 2
    assert "With themselves" not in said
    assert "Gwet's AC" in said
    assert "All ratings are the same" in said


def test_the_number_of_the_overview_is_that_of_the_page(client, agreed):
    overview = html.unescape(shown(client, agreed.lead, reverse("stages", args=[agreed.slug])))
    line = re.search(r"Krippendorff's alpha (\S+)", overview)
    said = shown(client, agreed.lead, address(agreed, "rating"))
    assert f"<dd>{line[1]}" in said


def test_every_number_opens_its_cases(client, agreed):
    said = shown(client, agreed.lead, address(agreed, "rating"))
    cells = re.findall(r'href="(\?row=[^"]+)#cases"\s*>(\d+)', said)
    assert sorted(count for _url, count in cells) == ["1", "1", "1"]
    for url, count in cells:
        case = shown(client, agreed.lead, address(agreed, "rating") + url.replace("&amp;", "&"))
        assert f"{count} pair of answers" in case
    assert "Evaluators for .80" not in said
    assert "Spearman-Brown" in said


def test_the_cases_of_a_reference_stand_with_their_sentence(client, agreed):
    said = shown(client, agreed.lead, address(agreed, "reference") + "?row=accurate&column=vague")
    assert "“accurate” beside “vague”" in said
    game = Game.objects.filter(project=agreed).order_by("number").first()
    assert f"{reverse('game', args=[agreed.slug, game.number])}#m2" in said
    assert "<mark" in said
    # Who said which is told for two evaluators only, where one asked about them.
    first, second = list_people(agreed)
    assert f"{first.name}: " not in said
    pair = f"?pair={first.pk}-{second.pk}"
    said = shown(client, agreed.lead, address(agreed, "reference") + pair)
    assert f"Rows: {first.name}. Columns: {second.name}." in re.sub(r"</?bdi[^>]*>", "", said)
    said = shown(client, agreed.lead, address(agreed, "reference") + f"{pair}&row=accurate&column=vague")
    assert f"{first.name}: accurate" in re.sub(r"</?bdi[^>]*>", "", said)


@pytest.mark.parametrize(
    ("address_of", "status"),
    [
        ("luck", 404),
        ("question-6", 404),
        ("rating?row=1.0&column=1.0", 404),
        ("rating?row=3.0&column=3.0&from=2", 404),
        ("rating?row=3.0", 404),
        ("rating?pair=1-2", 404),
        ("rating?pair=one", 400),
        ("rating?from=x", 400),
        ("rating?cell=1", 400),
        ("rating?row=3.0&row=3.5", 400),
    ],
)
def test_what_there_is_not_is_not_found_and_nonsense_is_refused(client, agreed, address_of, status):
    thing, _mark, query = address_of.partition("?")
    shown(client, agreed.lead, f"{address(agreed, thing)}?{query}".removesuffix("?"), status=status)


def test_who_does_not_lead_sees_nothing(client, agreed):
    evaluator = list_people(agreed)[0]
    for url in (address(agreed), address(agreed, "rating")):
        assert "Only team leads" in shown(client, evaluator, url, status=403)
        shown(client, make_member(project=make_project()), url, status=404)
        shown(client, make_admin(), url)
        assert client.post(url).status_code == 405
        assert client.get(f"{url}?luck=1").status_code == 400
    client.logout()
    assert client.get(address(agreed)).status_code == 302


@pytest.mark.parametrize("games", [1, 3])
def test_queries_do_not_grow(client, games, django_assert_num_queries):
    project = make_agreeing_project(games=games)
    lead = make_lead(project=project)
    figure_team(project, by=lead)
    shown(client, lead, address(project))
    for url, count in (
        (address(project), 11),
        (address(project, "rating"), 11),
        (address(project, "reference") + "?row=accurate&column=accurate", 13),
    ):
        with django_assert_num_queries(count):
            assert client.get(url).status_code == 200


def test_a_note_is_said_once_with_all_the_subjects_that_it_is_about(client):
    project = make_rating_project()
    lead = make_lead(project=project)
    for _evaluator in range(2):
        submitted(project=project)
    figure_team(project, by=lead)
    client.force_login(lead)
    notes = client.get(address(project)).context["notes"]
    assert len({note for note, _labels in notes}) == len(notes)
    rows = client.get(address(project)).context["rows"]
    assert {(note, label) for note, labels in notes for label in labels} == {
        (note, row.label) for row in rows for note in row.notes
    }


def compared(first, second, same, other, *, values=("yes", "no")):
    """Two evaluators with so many same answers and so many that differ."""
    cells = [PairCell(values[0], values[0], same), PairCell(values[0], values[1], other)]
    return PairAgreement(first, second, same + other, same / (same + other), cells)


def test_who_differs_is_a_share_of_pairs_and_the_lowest_alpha_is_first():
    pairs = [compared(1, 2, 6, 4), compared(1, 3, 9, 1), compared(2, 3, 5, 5)]
    lines = [SimpleNamespace(key="coherence", people=pairs), SimpleNamespace(key="rating", people=[])]
    rows = [
        SimpleNamespace(line=SimpleNamespace(key=key, alpha=Agreement(alpha)))
        for key, alpha in (("coherence", 0.8), ("depth", 0.2), ("rating", None))
    ]
    found = _find_who_differs(lines, rows, {1: "Zoe", 2: "Anna", 3: "Max"})
    assert found["differs"] == {"coherence": {1: 25.0, 2: 45.0, 3: 30.0}}
    assert [row.line.key for row in found["ranked"]] == ["depth", "coherence"]
    assert found["columns"] == [(2, "Anna"), (3, "Max"), (1, "Zoe")]
    many = [
        SimpleNamespace(key="x", people=[compared(0, key, 9 - key % 9, 1 + key % 9) for key in range(1, 20)])
    ]
    assert len(_find_who_differs(many, [], {key: f"{key:02}" for key in range(20)})["columns"]) == 6


def test_ratings_less_than_a_point_apart_do_not_differ():
    assert is_near("3.5", "3.0") and is_near("4.0", "4.0") and not is_near("3.0", "4.0")
    assert is_near("yes", "yes") and not is_near("yes", "no") and not is_near("1", "2")


CHART = r'<figure class="multiple".*?aria-labelledby="{key}-title">(.*?)</figure>'


def figured(count, *, first=60):
    """Games whose memory rises with the rating; coherence is the same in all of them."""
    return [
        figures(memory_accuracy=first + n, engagement=2.5 + n / 10, anti_repetition=None)
        for n in range(count)
    ]


def page(client, project, person=None):
    client.force_login(person or make_lead(project=project))
    return client.get(reverse("worth_watching", args=[project.slug]))


def chart(body, key):
    return re.search(CHART.format(key=key), body, re.DOTALL)[1]


def test_a_project_without_verdicts_says_what_is_missing(client):
    said = page(client, make_games_project()).content.decode()
    assert "No two games of one prompt have a verdict yet" in said
    assert "<figure" not in said


def test_each_metric_has_a_sentence_dots_that_lead_to_games_and_a_table(client):
    stage = make_stage()
    make_iteration(stage=stage, games=figured(10))
    make_iteration(stage=stage, games=figured(10, first=20))
    said = page(client, stage.project).content.decode()
    assert "20 games with a verdict, 2 prompts." in said
    memory = chart(said, "memory_accuracy")
    assert "Goes with the rating." in memory
    links = re.findall(r'<a href="([^"]+)" tabindex="-1">', memory)
    assert sorted(links) == sorted(
        f"/projects/{stage.project.slug}/games/{n}/#memory_accuracy" for n in range(1, 21)
    )
    assert memory.count('<tr><th scope="row">') == 20
    assert re.search(r"τ-b 1\.00\s+<span class=\"quiet\">\(1\.00 to 1\.00\)", memory)
    assert "Too few games differ." in chart(said, "coherence")
    nothing = chart(said, "anti_repetition")
    assert ("<svg" in nothing, "0 of at least 20 games" in nothing) == (False, True)
    program = program_of(make_lead(project=stage.project))
    found = program.get(f"projects/{stage.project.slug}/team/worth-watching/").json()
    by_key = {metric["key"]: metric for metric in found["metrics"]}
    assert (found["games"], found["prompts"], found["alone"], found["reliability"]) == (20, 2, 0, None)
    assert by_key["memory_accuracy"]["word"] == "goes_with"
    assert by_key["memory_accuracy"]["tau_b"] == {"value": 1.0, "interval": [1.0, 1.0]}
    assert by_key["memory_accuracy"]["rho_corrected"] is None
    assert sorted(by_key["memory_accuracy"]["games"]) == list(range(1, 21))
    assert (by_key["anti_repetition"]["word"], by_key["anti_repetition"]["games"]) == ("too_few", [])


def test_few_games_have_dots_without_a_sentence(client):
    stage = make_stage()
    make_iteration(stage=stage, games=figured(3))
    memory = chart(page(client, stage.project).content.decode(), "memory_accuracy")
    assert memory.count("<circle") == 3
    assert "3 of at least 20 games" in memory
    assert "Goes with" not in memory


def test_withdrawn_games_do_not_count_and_the_share_is_that_of_passing_games():
    stage = make_stage()
    games = [figures(memory_accuracy=90, engagement=rating) for rating in (4, 3, 2.5)]
    iteration = make_iteration(stage=stage, games=[*games, figures(memory_accuracy=10), figures()])
    withdraw(game=iteration.games.order_by("number").last())
    found = engagement_figures(stage.project)
    assert (found.games, found.passing, found.watchable, found.threshold) == (4, 3, 2, 3.0)


def test_games_of_no_iteration_are_compared_where_their_files_name_one_prompt():
    project = make_games_project()
    lead = make_lead(project=project)
    for number, prompt in enumerate(("Be brief.", "Be brief.", "Be long.", None)):
        game = import_game(project=project, by=lead, gameId=f"g{number}", prompt=prompt)
        record_figures(game=game, given=figures(memory_accuracy=60 + number))
    found = engagement_figures(project)
    assert (found.games, found.prompts, found.alone) == (2, 1, 2)
    assert [game.number for game in found.metrics[0].games] == [2, 1]


def test_the_reliability_is_that_of_the_agreement_page(client):
    project = make_agreeing_project()
    assert engagement_figures(project).reliability == pytest.approx(0.9, abs=0.1)


def test_evaluators_do_not_see_it(client):
    project = make_games_project()
    assert page(client, project, make_member(project=project)).status_code == 403
    program = program_of(make_member(project=project))
    assert program.get(f"projects/{project.slug}/team/worth-watching/").status_code == 403
