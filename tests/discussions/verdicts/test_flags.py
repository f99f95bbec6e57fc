"""Open flags and the verdict: a rule of the project holds back who set one, names them, or ignores them."""

import html

import pytest
from django.urls import reverse

from discussions.games.actions import answer_flag
from discussions.models import Remark, Verdict
from discussions.planning.actions import change_rating_rule
from discussions.rating.actions import remark, submit_evaluation
from discussions.rating.pages.own_work import mine_page
from tests.factories.adjudication import HOSTILE, list_evaluations, make_differing
from tests.factories.people import NOW, make_lead
from tests.factories.rating import make_game, ready_to_submit
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, get_lead, preview, record
from workspace.core.refusals import NotAllowed

pytestmark = pytest.mark.django_db


@pytest.fixture
def flag():
    """An open flag on the third message of a submitted evaluation."""
    evaluation = ready_to_submit()
    by = evaluation.evaluator
    made = remark(
        evaluation=evaluation, kind="flag", target="message:3", text="<cut> off?", key="f", by=by, now=NOW
    )
    submit_evaluation(evaluation=evaluation, by=by, now=NOW)
    return Remark.objects.select_related("evaluation__game__project", "evaluation__evaluator").get(pk=made.pk)


def set_rule(project, flags):
    """Choose what an open flag does."""
    given = {"reopen_minutes": 30, "shows_differences": False, "records_at_submit": False}
    change_rating_rule(project=project, flags=flags, **given, by=make_lead(project=project), now=NOW)


def shown(client, flag, person):
    """The page of the verdict."""
    client.force_login(person)
    game = flag.evaluation.game
    answer = client.get(reverse("verdict", args=[game.project.slug, game.number]))
    return " ".join(html.unescape(answer.content.decode()).split())


def test_held_by_default_until_the_flag_is_resolved(client, flag):
    game, by = flag.evaluation.game, flag.evaluation.evaluator
    with pytest.raises(NotAllowed, match="still open") as held:
        record(game)
    assert held.value.code == "flag_open"
    page = shown(client, flag, by)
    assert "1 open flag" in page and "<cut> off?" in page
    assert f'href="{reverse("flags", args=[game.project.slug])}#flag-{flag.pk}"' in page
    assert f'href="{reverse("rate", args=[flag.evaluation_id])}?at=3"' in page
    assert "You flagged something in this game" in page
    assert ("Next game" in page, "No more games for you" in page) == (False, True)
    make_game(project=game.project)
    assert "Next game" in shown(client, flag, by), "the evaluator goes on with another game meanwhile"
    answer_flag(flag=flag, text="", is_resolved=True, by=by, now=NOW)
    assert "open flag" not in shown(client, flag, by)
    assert record(game).number == 1


def test_a_lead_records_and_reads_of_the_flag(client, flag):
    game = flag.evaluation.game
    page = shown(client, flag, get_lead(game))
    assert "1 open flag" in page
    assert f"{reverse('game', args=[game.project.slug, game.number])}?from=3#m3" in page
    assert record(game, by=get_lead(game)).number == 1


def test_a_warning_names_it_and_holds_nobody_back(client, flag):
    set_rule(flag.evaluation.game.project, "warn")
    page = shown(client, flag, flag.evaluation.evaluator)
    assert "1 open flag" in page and "You flagged something" not in page
    assert record(flag.evaluation.game).number == 1


def test_ignored_it_is_not_even_named(client, flag):
    set_rule(flag.evaluation.game.project, "ignore")
    for person in (flag.evaluation.evaluator, get_lead(flag.evaluation.game)):
        assert "open flag" not in shown(client, flag, person)
    assert record(flag.evaluation.game).number == 1


def test_a_program_is_refused_by_the_same_rule(flag):
    game = fresh(flag.evaluation.game)
    program = program_of(flag.evaluation.evaluator)
    path = f"projects/{game.project.slug}/games/{game.number}/verdict/"
    assert "still open" in program.get(path).json()["refusal"]
    answer = program.post(path, {"basis_sha256": preview(game).basis_sha256})
    assert answer.status_code == 403
    assert "still open" in str(answer.json())
    assert not Verdict.objects.exists()


def test_an_evaluator_of_a_shared_game_reads_of_their_own_flag_alone(client):
    game = make_differing()
    first, second = list_evaluations(game)
    address = reverse("verdict", args=[game.project.slug, game.number])
    said = {}
    for evaluation in (first, second):
        client.force_login(evaluation.evaluator)
        said[evaluation.pk] = html.unescape(client.get(address).content.decode())
    assert HOSTILE in said[first.pk]
    assert "open flag" not in said[second.pk] and HOSTILE not in said[second.pk]


def test_own_work_still_lists_the_game(flag):
    page = mine_page(person=flag.evaluation.evaluator, now=NOW)
    assert page["reopenable"] == {flag.evaluation_id}
