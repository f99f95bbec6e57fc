"""What waits for the leads of a project, found without looking at what is done."""

import pytest
from django.db import connection

from discussions.games.actions import return_evaluation, withdraw_game
from discussions.home.pages.home import build_home
from discussions.home.pages.overview import build_overview
from discussions.models import Evaluation, Slot, Transcript
from discussions.rating.actions import submit_evaluation
from discussions.slots.actions import reduce_required_evaluators
from discussions.verdicts.queries import complete_alone, complete_games, faulty_transcripts
from tests.factories.adjudication import (
    breaches,
    list_evaluations,
    make_shared_game,
    submit_as,
    submitted_game,
)
from tests.factories.people import NOW, make_admin, make_lead, moment
from tests.factories.rating import make_copies, make_copy, start
from tests.factories.transcripts import make_games_project, upload
from tests.factories.verdicts import fresh, record, recorded_verdict

pytestmark = pytest.mark.django_db


def waiting(game, person=None):
    """Numbers of the games of its project that wait."""
    project = game.project_id
    rows = complete_alone(project, person) if person else complete_games(project)
    return list(rows.values_list("game__number", flat=True))


def test_a_game_waits_from_its_last_evaluation_to_its_verdict():
    game = make_shared_game(k=2)
    lead = make_lead(project=game.project)
    first, two = list_evaluations(game)
    submit_as(first)
    assert waiting(game) == []
    submit_as(two)
    assert waiting(game) == [game.number]
    return_evaluation(evaluation=first, comment="Look again", by=lead, now=moment(5))
    assert waiting(game) == []
    submit_evaluation(evaluation=first, by=first.evaluator, now=moment(6))
    assert waiting(game) == [game.number]
    (line,) = build_overview(project=game.project, person=lead, now=NOW)["waiting"]
    assert line["complete"] == 1
    assert build_home(person=lead, now=NOW)["projects"][0]["verdicts"] == [game.number]
    record(game, by=lead)
    assert waiting(game) == []
    assert set(game.slots.values_list("awaiting_since", flat=True)) == {None}
    record(game, by=lead, reason="A correction", minutes=90)
    assert set(game.slots.values_list("awaiting_since", flat=True)) == {None}
    assert build_home(person=lead, now=NOW)["projects"][0]["verdict_count"] == 0
    assert not breaches(moment(95))


def test_fewer_that_are_enough_and_a_withdrawal_count():
    game = make_shared_game(k=3)
    lead = make_lead(project=game.project)
    submit_as(list_evaluations(game)[0])
    reduce_required_evaluators(game=game, count=1, reason="One is enough", by=lead, now=NOW)
    assert waiting(game) == [game.number]
    withdraw_game(game=fresh(game), reason="A broken file", by=lead, now=NOW)
    assert waiting(game) == []


def test_an_evaluation_that_comes_after_the_verdict_does_not_bring_the_game_back():
    game = make_shared_game(k=2)
    lead = make_lead(project=game.project)
    evaluation, late = list_evaluations(game)
    submit_as(evaluation)
    reduce_required_evaluators(game=game, count=1, reason="One is enough", by=lead, now=NOW)
    record(game, by=lead)
    submit_as(late, now=moment(70))
    assert waiting(game) == []


def test_who_rated_alone_is_told_of_their_own_games_and_nobody_of_shared_ones():
    alone = rated_but_for_the_verdict()
    person = alone.evaluator
    assert waiting(alone.game, person) == [alone.game.number]
    assert build_home(person=person, now=NOW)["projects"][0]["verdicts"] == [alone.game.number]
    shared = submitted_game(2)
    assert waiting(shared, list_evaluations(shared)[0].evaluator) == []


def rated_but_for_the_verdict():
    evaluation = start()
    submit_as(evaluation)
    return Evaluation.objects.with_work().get(pk=evaluation.pk)


def test_many_games_and_imports_are_counted_up_to_a_hundred_in_each_project():
    admin, started = make_admin(), [rated_but_for_the_verdict() for _ in range(2)]
    for evaluation, count, faults in zip(started, (101, 2), (103, 1), strict=True):
        project = evaluation.game.project
        make_copies(evaluation, count - 1)
        file = upload(project=project, by=admin, name="x.json")
        Transcript.objects.filter(pk=file.pk).update(fault_count=1)
        Transcript.objects.bulk_create(
            make_copy(file, name=f"{at}.json", sha256=f"{at:064x}", fault_count=2) for at in range(1, faults)
        )
    # The admin leads both projects: what waits in the first leaves room for the second.
    places = {work["project"].slug: work for work in build_home(person=admin, now=NOW)["projects"]}
    second = places.pop(project.slug)
    (first,) = places.values()
    assert (first["verdict_count"], first["to_do"].faulty) == (100, 100)
    assert len(first["verdicts"]) == 5 and first["verdicts"] == sorted(first["verdicts"])
    assert (second["verdict_count"], second["to_do"].faulty) == (2, 1)


def test_hundreds_are_said_in_words(client):
    project = make_games_project()
    lead = make_lead(project=project)
    file = upload(project=project, by=lead, name="x.json")
    rows = [make_copy(file, sha256=f"{at:064x}", fault_count=2) for at in range(100)]
    Transcript.objects.bulk_create(rows)
    client.force_login(lead)
    assert "100 or more imports have faults" in client.get("/").content.decode()


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads a table this small as a whole")
def test_games_that_are_done_are_not_looked_at():
    evaluation = rated_but_for_the_verdict()
    make_copies(evaluation, 300)
    rows = complete_games(evaluation.game.project_id)
    assert "slot_awaiting_verdict (project_id=?)" in rows.explain()
    assert (
        len(rows) == 301
    )  # copies have no verdict of their own: nothing but `awaiting_since` leaves them out
    Slot.objects.update(awaiting_since=None)
    assert len(rows.all()) == 0
    assert "transcript_with_faults (project_id=?)" in faulty_transcripts(evaluation.game.project_id).explain()


def test_a_place_that_waits_wrongly_is_a_breach():
    evaluation, verdict = rated_but_for_the_verdict(), recorded_verdict()
    assert not breaches()
    Slot.objects.filter(pk=evaluation.slot_id).update(awaiting_since=None)
    assert "is not told to wait" in " ".join(breaches())
    Slot.objects.filter(pk=evaluation.slot_id).update(awaiting_since=NOW)
    started = start(project=verdict.game.project)
    assert not breaches()
    Slot.objects.filter(pk=started.slot_id).update(awaiting_since=NOW)
    assert "nothing was submitted there" in " ".join(breaches())
