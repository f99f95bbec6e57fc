"""Record all that are ready: which games get their verdict in one act, and which are refused, each for its reason."""

import pytest

from discussions.games.actions import withdraw_game
from discussions.models import Verdict
from discussions.verdicts.actions import MOST_RECORDED, record_ready_games, record_verdict
from discussions.verdicts.pages.verdict import list_ready_games
from discussions.verdicts.queries import list_complete_games
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_rating_project, start, submitted
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, preview, record
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


def make_ready(count, *, evaluator_count=1):
    project = make_rating_project(evaluator_count=evaluator_count)
    return project, [fresh(submitted(project=project).game) for _at in range(count)]


def shown(project, games):
    found = list_ready_games(project=project, numbers=[game.number for game in games])
    return {game.number: game.basis_sha256 for game in found}


def test_every_ready_game_gets_its_own_verdict_and_its_own_event():
    project, games = make_ready(3)
    lead = make_lead(project=project)
    listed = list_ready_games(project=project, numbers=[game.number for game in games])
    assert [game.headline for game in listed] == [preview(game).outcome.headline for game in games]
    verdicts, refused = record_ready_games(project=project, shown=shown(project, games), by=lead, now=NOW)
    assert [row.game_id for row in verdicts] == [game.pk for game in games]
    assert refused == {}
    events = Event.objects.filter(verb="verdict:recorded", by=lead)
    assert {event.object_id for event in events} == {str(row.pk) for row in verdicts}


def test_a_game_that_changed_withdrew_or_has_a_verdict_is_refused_alone():
    project, games = make_ready(4)
    lead = make_lead(project=project)
    ready, changed, withdrawn, recorded = games
    given = shown(project, games) | {changed.number: "0" * 64}
    withdraw_game(game=withdrawn, reason="Cut short", by=lead, now=NOW)
    record(recorded, by=lead)
    verdicts, refused = record_ready_games(project=project, shown=given, by=lead, now=NOW)
    assert [row.game_id for row in verdicts] == [ready.pk]
    assert "has changed since" in refused[changed.number]
    assert "Withdrawn" in refused[withdrawn.number]
    assert "recorded already" in refused[recorded.number]
    assert Verdict.objects.count() == 2


def test_a_game_that_is_withdrawn_while_the_others_are_recorded_is_refused(monkeypatch):
    project, (first, second) = make_ready(2)
    lead, given = make_lead(project=project), shown(project, [first, second])

    def record_and_withdraw(*, game, **arguments):
        verdict = record_verdict(game=game, **arguments)
        withdraw_game(game=second, reason="Cut short", by=lead, now=NOW)
        return verdict

    monkeypatch.setattr("discussions.verdicts.actions.record_verdict", record_and_withdraw)
    verdicts, refused = record_ready_games(project=project, shown=given, by=lead, now=NOW)
    assert [row.game_id for row in verdicts] == [first.pk]
    assert "Withdrawn" in refused[second.number]


def test_the_preview_says_why_a_game_is_not_ready():
    project = make_rating_project(evaluator_count=2)
    game = submitted(project=project).game
    other = start(project=make_rating_project()).game
    says = list_ready_games(project=project, numbers=[game.number])[0].refusal
    assert says == "1 of 2 evaluations are submitted; the verdict waits for the others."
    says = list_ready_games(project=other.project, numbers=[other.number])[0].refusal
    assert says.startswith("0 of 1")


def test_only_leads_record_many_games_that_there_are_and_not_too_many():
    project, (game,) = make_ready(1)
    lead, given = make_lead(project=project), shown(project, [game])
    with pytest.raises(NotAllowed, match="Only team leads"):
        record_ready_games(project=project, shown=given, by=make_member(project=project), now=NOW)
    for wrong in ({}, given | {9_999: "0" * 64}, dict.fromkeys(range(MOST_RECORDED + 1), "")):
        with pytest.raises(Unacceptable):
            record_ready_games(project=project, shown=wrong, by=lead, now=NOW)
    assert not Verdict.objects.exists()


def test_complete_games_of_an_iteration_are_listed_in_parts():
    project, games = make_ready(3)
    unsorted = project.iterations.get()
    found = list_complete_games(project, iteration=unsorted, most=2)
    assert found == [(game.pk, game.number) for game in games[:2]]
    assert list_complete_games(project, after=found[-1][0], most=9) == [(games[2].pk, games[2].number)]


def test_a_program_lists_what_is_ready_and_records_it():
    project, games = make_ready(3)
    path = f"projects/{project.slug}/verdicts/ready/"
    program = program_of(make_lead(project=project))
    listed, part = [], f"{path}?limit=2&iteration=0"
    while part:
        answer = program.get(part).json()
        listed += answer["items"]
        part = (answer["next"] or "").removeprefix("/api/v1/")
    assert [game["number"] for game in listed] == [game.number for game in games]
    bases = [{"number": game["number"], "basis_sha256": game["basis_sha256"]} for game in listed]
    bases[1]["basis_sha256"] = "0" * 64
    done = program.post(path, {"games": bases}).json()
    assert [row["number"] for row in done["recorded"]] == [games[0].number, games[2].number]
    assert [row["number"] for row in done["refused"]] == [games[1].number]
    assert [game["number"] for game in program.get(path).json()["items"]] == [games[1].number]
    twice = program.post(path, {"games": [bases[1], bases[1]]})
    assert (twice.status_code, twice.json()["code"]) == (422, "twice")
    assert program.get(path, iteration=7).status_code == 404
