"""The games of a change and its reference in the order to play them: in pairs, drawn once, and the same everywhere."""

import csv
import io
import json
import re
from collections import Counter
from contextlib import suppress

import pytest
from django.core.management import call_command
from django.urls import reverse

from discussions.games.actions import return_evaluation
from discussions.metrics.actions import ask_to_measure
from discussions.metrics.core.registry import CODE_VERSION
from discussions.metrics.queries import outdated_games
from discussions.models import Evaluation, Measured, Verdict
from discussions.planning.actions import measure_again, replay_reference
from discussions.planning.queries import list_plays
from discussions.verdicts.actions import replay_verdict
from tests.discussions.planning.test_actions import make_rated, publish
from tests.factories.adjudication import breaches
from tests.factories.iterations import figures, fresh, get_lead, make_baseline, make_change, make_stage
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead, make_member, make_project, moment
from tests.factories.preview import thresholds
from tests.factories.tampering import as_if_measured_by, without_triggers
from tests.factories.tokens import program_of
from tests.factories.verdicts import game_to_record
from workspace.core.refusals import NotAllowed
from workspace.models import Event, Job

pytestmark = pytest.mark.django_db


@pytest.fixture
def change():
    stage = make_stage()
    make_baseline(stage=stage, games=[figures()] * 3)
    return make_change(stage=stage)


def test_a_pair_has_one_seed_and_a_game_under_each_prompt_in_a_drawn_order(change):
    plays = list_plays(change, 60)
    assert [order for order, *_rest in plays] == list(range(1, 121))
    pairs = {plays[at][1]: plays[at : at + 2] for at in range(0, 120, 2)}
    assert len(pairs) == len({one[3] for one, _two in pairs.values()}) == 60
    for name, (one, two) in pairs.items():
        assert one[1] == two[1] == name
        assert one[3] == two[3] < 2**31
        assert {one[2]: one[4], two[2]: two[4]} == {
            "reference": change.compared_with.number,
            "change": change.number,
        }
    # Of 60 fair coins, fewer than 15 heads come up once in 30,000 times.
    assert 15 < Counter(one[2] for one, _two in pairs.values())["change"] < 45


def test_the_list_stays_as_it_is_and_a_longer_one_begins_with_it(change):
    assert list_plays(fresh(change), 9)[:6] == list_plays(change, 3)


def test_games_of_the_reference_go_into_its_replay_that_takes_games(change):
    replay = replay_reference(iteration=change.compared_with, by=get_lead(change.stage), now=moment(9))
    takes = {prompt: number for _order, _pair, prompt, _seed, number in list_plays(change, 2)}
    assert takes == {"reference": replay.number, "change": change.number}


def test_page_file_and_program_have_the_same_list(client, change):
    lead = get_lead(change.stage)
    client.force_login(lead)
    names = [change.project.slug, change.number]
    table, listed = reverse("play_list", args=names), reverse("play_list_json", args=names)
    page = client.get(reverse("iteration", args=names)).content.decode()
    assert table in page and listed in page
    assert table in client.get(reverse("edit_iteration", args=names)).content.decode()
    rows = [play._asdict() for play in list_plays(change, change.least_games)]
    assert len(rows) == 6
    assert client.get(listed).json() == rows
    answer = client.get(table)
    assert f"-iteration-{change.number}-play-list.csv" in answer["Content-Disposition"]
    read = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert read == [{name: str(value) for name, value in row.items()} for row in rows]
    assert len(client.get(listed, {"games": "9"}).json()) == 18
    path = f"projects/{names[0]}/iterations/{change.number}/play-list/"
    assert program_of(lead).get(path).json()["items"] == rows
    assert len(program_of(lead).get(path, games=9).json()["items"]) == 18


def test_a_baseline_has_no_play_list(client, change):
    with pytest.raises(NotAllowed, match="is no change"):
        list_plays(change.compared_with, 3)
    client.force_login(get_lead(change.stage))
    names = [change.project.slug, change.compared_with.number]
    assert client.get(reverse("play_list", args=names)).status_code == 403
    assert "play-list" not in client.get(reverse("iteration", args=names)).content.decode()


def make_outdated(count=2):
    """A baseline with recorded verdicts, as code 0.9 had measured it."""
    iteration = make_rated(count)
    for verdict in Verdict.objects.order_by("pk"):
        as_if_measured_by(verdict, "0.9")
    return iteration


def find_versions():
    return list(Measured.objects.order_by("game", "pk").values_list("game__number", "code_version"))


def test_other_jobs_leave_what_other_code_measured():
    iteration = make_outdated()
    lead = get_lead(iteration.stage)
    ask_to_measure(iteration=iteration, by=lead, now=moment(60))
    run_waiting_jobs(now=moment(60))
    assert find_versions() == [(1, "0.9"), (2, "0.9")]
    assert outdated_games().count() == 2


def test_a_lead_has_games_measured_again_and_verdicts_keep_their_basis():
    iteration = make_outdated()
    lead, project = get_lead(iteration.stage), iteration.project
    before = list(Verdict.objects.order_by("pk").values_list("measured", "basis_sha256"))
    assert measure_again(project=project, by=lead, now=moment(60)) == 2
    run_waiting_jobs(now=moment(61))
    assert find_versions() == [(1, "0.9"), (1, CODE_VERSION), (2, "0.9"), (2, CODE_VERSION)]
    assert list(Verdict.objects.order_by("pk").values_list("measured", "basis_sha256")) == before
    assert all(replay_verdict(verdict=verdict).is_equal for verdict in Verdict.objects.all())
    (line,) = Event.objects.filter(verb="project:measured_again")
    assert (line.by_id, line.object_id) == (lead.pk, str(project.pk))
    assert json.loads(line.detail) == {"games": 2, "code": CODE_VERSION}
    jobs = Job.objects.filter(kind="measure").count()
    assert measure_again(project=project, by=lead, now=moment(62)) == 0
    assert Event.objects.filter(verb="project:measured_again").count() == 1
    assert Job.objects.filter(kind="measure").count() == jobs
    # The factory changed the code version alone, and the hash of the input covers it.
    made_from = [said for said in breaches() if "it was made from another game, version or code" in said]
    assert len(made_from) == 2 and breaches() == made_from


def test_a_returned_evaluation_gets_the_newest_measurements():
    """What the new findings ask for, its evaluator can judge."""
    game = game_to_record()
    project, lead = game.project, make_lead(project=game.project)
    with without_triggers():
        Measured.objects.update(code_version="0.9")
    measure_again(project=project, by=lead, now=moment(60))
    run_waiting_jobs(now=moment(61))
    evaluation = Evaluation.objects.get(game=game)
    assert evaluation.measured.code_version == "0.9"
    return_evaluation(evaluation=evaluation, comment="Look again.", by=lead, now=moment(62))
    assert Evaluation.objects.get(game=game).measured.code_version == CODE_VERSION


def test_only_leads_have_games_measured_again():
    iteration = make_outdated(1)
    for person in (make_member(project=iteration.project), make_lead(project=make_project())):
        with pytest.raises(NotAllowed, match="Only team leads of this project measure its games again"):
            measure_again(project=iteration.project, by=person, now=moment(60))
    assert outdated_games().count() == 1


def test_the_page_of_imports_offers_it_as_long_as_there_is_something_to_measure(client):
    iteration = make_outdated()
    project, lead = iteration.project, get_lead(iteration.stage)
    page, act = (reverse(name, args=[project.slug]) for name in ("imports", "measure_again"))
    client.force_login(lead)
    said = " ".join(client.get(page).content.decode().split())
    assert "2 games were measured by another version of the site" in said and act in said
    answer = client.post(act)
    assert (answer.status_code, answer["Location"]) == (303, page)
    run_waiting_jobs(now=moment(61))
    assert outdated_games().count() == 0
    assert act not in client.get(page).content.decode()


def test_a_program_has_games_measured_again():
    iteration = make_outdated()
    program = program_of(get_lead(iteration.stage))
    path = f"projects/{iteration.project.slug}/measure-again/"
    assert program.post(path, {}).json() == {"games": 2}
    run_waiting_jobs(now=moment(61))
    assert program.post(path, {}).json() == {"games": 0}


def run(*words):
    """Exit code, standard output and standard error of the command."""
    said, faults = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("measure_again", *words, stdout=said, stderr=faults)
    return end.value.code, said.getvalue(), faults.getvalue()


def test_the_command_measures_again_or_says_why_not():
    iteration = make_outdated()
    slug, lead = iteration.project.slug, get_lead(iteration.stage).email
    assert run("--by", "nobody@example.org") == (
        2,
        "",
        'There is no account "nobody@example.org" that can sign in. Correct --by.\n',
    )
    assert run("--by", lead, "--project", "nowhere")[::2] == (
        2,
        'There is no project "nowhere". Correct --project.\n',
    )
    stranger = make_member(project=iteration.project).email
    assert run("--by", stranger, "--project", slug)[0] == 2
    assert run("--by", lead, "--project", slug) == (0, f"{slug}: 2 games are queued.\n", "")
    assert outdated_games().count() == 2
    assert run("--by", lead, "--project", slug, "--wait") == (
        0,
        f"{slug}: 2 games were measured again.\n",
        "",
    )
    assert outdated_games().count() == 0
    assert run("--by", lead, "--project", slug)[:2] == (0, "Today's code measured every game already.\n")


def find_checked(code):
    said = io.StringIO()
    with suppress(SystemExit):
        call_command("verify", "--json", "--only", code, stdout=said)
    (checked,) = json.loads(said.getvalue())
    return checked


def test_verify_notes_what_other_code_measured_and_finds_what_was_altered():
    iteration = make_outdated()
    checked = find_checked("I5")
    assert checked["note_count"] == 1 and "2 games were measured by another version" in checked["notes"][0]
    (first, _second) = Measured.objects.order_by("pk")
    with without_triggers():
        Measured.objects.filter(pk=first.pk).update(findings_sha256="0" * 64)
    assert (
        f"Measurement {first.pk} of game 1: its findings are not those that were stored with it."
        in (find_checked("I5")["breaches"])
    )
    measure_again(project=iteration.project, by=get_lead(iteration.stage), now=moment(60))
    run_waiting_jobs(now=moment(61))
    assert find_checked("I5")["notes"] == []


def test_a_lead_sees_what_would_change_and_moves_the_iteration(client):
    iteration = make_rated(1)
    client.force_login(get_lead(iteration.stage))
    address = reverse("change_version", args=[iteration.project.slug, iteration.number])
    assert "no newer published version" in client.get(address).content.decode()
    version = publish(thresholds(strategic_depth=99))
    said = client.get(address).content.decode()
    assert f"What would change under {version}" in said
    shown = re.search(r'name="shown" value="([0-9a-f]{64})"', said)[1]
    given = {"to": str(version.pk), "shown": shown}
    assert client.post(address, given).status_code == 422
    stale = client.post(address, given | {"shown": "0" * 64, "reason": "Newer"})
    assert (stale.status_code, "Nothing was moved" in stale.content.decode()) == (409, True)
    moved = client.post(address, given | {"reason": "Newer"})
    page = reverse("iteration", args=[iteration.project.slug, iteration.number])
    assert (moved.status_code, moved["Location"]) == (303, page)
    assert fresh(iteration).rubric_version == version
    assert address in client.get(page).content.decode()
    assert client.get(address.replace(f"/{iteration.number}/", "/0/")).status_code == 404


def test_a_program_reads_what_would_change_and_moves_the_iteration():
    iteration = make_rated(1)
    program = program_of(get_lead(iteration.stage))
    path = f"projects/{iteration.project.slug}/iterations/{iteration.number}/version/"
    nothing = program.get(path).json()
    assert (nothing["versions"], nothing["preview_sha256"], nothing["games"]) == ([], "", [])
    version = publish(thresholds(strategic_depth=99))
    found = program.get(path).json()
    assert (found["versions"], found["version"], found["refusal"]) == ([version.number], version.number, "")
    assert (found["present"], len(found["games"]), found["games"][0]["is_recorded"]) == (
        iteration.rubric_version.number,
        1,
        True,
    )
    assert program.get(path, version="77.7").json()["field"] == "version"
    given = {"version": version.number, "preview_sha256": found["preview_sha256"], "reason": "Newer"}
    assert program.post(path, given | {"preview_sha256": "0" * 64}).json()["code"] == "preview_changed"
    assert program.post(path, given | {"reason": " "}).json()["field"] == "reason"
    moved = program.post(path, given).json()
    assert (moved["recorded"], moved["waiting"]) == ([found["games"][0]["number"]], [])
    assert fresh(iteration).rubric_version == version
    assert program.get(path.replace(f"/{iteration.number}/", "/0/")).status_code == 404
