"""Many people at the same moment: nothing is given twice, nobody is told an error, the audit log stays whole."""

from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse

from discussions.models import (
    Evaluation,
    Game,
    Iteration,
    Judgement,
    Measured,
    Revision,
    Slot,
    Transcript,
    Verdict,
)
from discussions.queue.actions import take_next_game
from discussions.rating.actions import submit_evaluation
from discussions.rating.queries import load_state
from discussions.transcripts.actions import Upload, import_files
from discussions.verdicts.actions import record_verdict
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.rating import judge, make_game, make_rating_project, ready_to_submit, start
from tests.factories.transcripts import as_bytes, make_games_project, native_game, upload
from tests.factories.verdicts import fresh, game_to_record, get_lead, preview
from tests.faults.crowd import at_once, breaches, crowd_size, failures
from workspace.audit.core import Act
from workspace.core.refusals import Conflict, Unacceptable
from workspace.jobs.actions import run_job
from workspace.models import Job

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.services(is_long_on_sqlite=True),
    pytest.mark.slow,
]


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path


def games_with_places(*, game_count, evaluator_count):
    project = make_rating_project(evaluator_count=evaluator_count)
    lead = make_lead(project=project)
    games = [native_game(gameId=f"game-{number}") for number in range(game_count)]
    upload(project=project, by=lead, games=games)
    run_waiting_jobs()
    return project


@pytest.mark.parametrize("evaluator_count", [3, pytest.param(1, marks=pytest.mark.long)])
def test_a_crowd_takes_every_place_once(evaluator_count, fault_table):
    size = crowd_size()
    project = games_with_places(game_count=size // 2, evaluator_count=evaluator_count)
    people = [make_member(project=project) for _ in range(size)]

    def take(person):
        return lambda: take_next_game(project=project, by=person, now=moment(1))

    taken = at_once(*(take(person) for person in people))
    assert failures(taken) == []
    places = Slot.objects.filter(evaluator__isnull=False)
    wanted = min(size, Slot.objects.count())
    assert (
        sum(evaluation is not None for evaluation in taken)
        == places.count()
        == Evaluation.objects.count()
        == wanted
    )
    assert max(Counter(places.values_list("game", "evaluator")).values()) == 1
    assert len({evaluation.slot_id for evaluation in taken if evaluation}) == wanted
    fault_table("next game", f"{size} people ask at once", "every place taken once", acknowledged=wanted)


def test_one_person_on_many_devices_gets_one_game():
    project = games_with_places(game_count=10, evaluator_count=1)
    person = make_member(project=project)
    taken = at_once(*[lambda: take_next_game(project=project, by=person, now=moment(1))] * 8)
    assert failures(taken) == []
    assert {evaluation.pk for evaluation in taken} == {Evaluation.objects.get().pk}
    assert breaches() == {}


def test_handing_in_one_game_while_taking_the_next_waits_for_nobody():
    ready = [ready_to_submit() for _ in range(6)]
    for evaluation in ready:
        make_game(project=evaluation.game.project)

    def submit(evaluation):
        return lambda: submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=moment(2))

    def take(evaluation):
        return lambda: take_next_game(project=evaluation.game.project, by=evaluation.evaluator, now=moment(2))

    acts = [made for evaluation in ready for made in (submit(evaluation), take(evaluation), take(evaluation))]
    assert failures(at_once(*acts)) == []
    assert Evaluation.objects.filter(state="submitted").count() == 6
    assert breaches() == {}


def test_two_leads_record_a_verdict_at_once_and_one_wins(fault_table):
    game = game_to_record()
    leads = [get_lead(game), get_lead(game)]
    basis = preview(game).basis_sha256

    def record(lead):
        mine = fresh(game)
        return lambda: record_verdict(game=mine, basis_sha256=basis, by=lead, now=moment(60))

    refused = failures(at_once(*(record(lead) for lead in leads)))
    assert [(type(exception), exception.status) for exception in refused] == [(Conflict, 409)]
    assert Verdict.objects.count() == 1
    fault_table("verdict", "two leads record at once", "one recorded, the other is told", acknowledged=1)


def test_two_pages_save_one_judgement_at_once_one_is_saved_the_other_sees_both():
    evaluation = start()
    client = Client()
    client.force_login(evaluation.evaluator)
    cookies = client.cookies.output(header="").strip()
    address = reverse("judge", args=[evaluation.pk])

    def save(nonce, value):
        body = {"act": f"question~2~0~{value}", "nonce": nonce, "step": "engagement"}

        def post():
            own = Client()
            own.cookies.load(cookies)
            return own.post(address, body, headers={"HX-Request": "true", "HX-Target": "answer"})

        return post

    answers = at_once(save("a" * 16, "yes"), save("b" * 16, "no"))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    stale = next(answer for answer in answers if answer.status_code == 409).content.decode()
    assert "You said" in stale
    assert Judgement.objects.get().value == Revision.objects.get().value
    assert breaches() == {}


def test_one_form_sent_many_times_at_once_is_saved_once(fault_table):
    evaluation = start()
    act = Act(kind="question", subject="2", value="yes", version=0, key="one-key")

    def save():
        mine = Evaluation.objects.with_work().get(pk=evaluation.pk)
        return judge(evaluation=mine, act=act, by=evaluation.evaluator, now=NOW)

    saved = at_once(*[save] * 8)
    assert failures(saved) == []
    assert {act.revision.pk for act in saved} == {Revision.objects.get().pk}
    assert sum(not act.is_repeated for act in saved) == 1
    fault_table("save", "one form sent 8 times at once", "stored once, 8 answers alike", acknowledged=8)


def test_one_key_for_two_games_at_once_is_refused_for_one_of_them():
    first = start()
    Iteration.objects.filter(pk=first.game.iteration_id).update(evaluator_count=1)
    Evaluation.objects.filter(pk=first.pk).update(state="skipped", skipped_reason="later")
    Slot.objects.filter(pk=first.slot_id).update(evaluator=None, taken_at=None, lease_until=None)
    make_game(project=first.game.project)
    second = take_next_game(project=first.game.project, by=first.evaluator, now=NOW)
    Evaluation.objects.filter(pk=first.pk).update(state="draft", skipped_reason="")
    Slot.objects.filter(pk=first.slot_id).update(evaluator=first.evaluator, taken_at=NOW)
    act = Act(kind="question", subject="2", value="yes", version=0, key="one-key")

    def save(number):
        def run():
            mine = Evaluation.objects.with_work().get(pk=number)
            return judge(evaluation=mine, act=act, by=first.evaluator, now=NOW)

        return run

    refused = failures(at_once(*[save(first.pk), save(second.pk)] * 4))
    assert {(type(exception), exception.code) for exception in refused} == {(Unacceptable, "key_reused")}
    assert Revision.objects.count() == 1


def test_the_same_files_uploaded_at_once_are_one_import_each(fault_table):
    project = make_games_project(slug="ours")
    lead = make_lead(project=project)
    files = [Upload(f"{number}.json", as_bytes(native_game(gameId=f"g{number}"))) for number in range(4)]

    def send(first):
        mine = files[first:] + files[:first]
        return lambda: import_files(project=project, files=mine, by=lead, now=NOW).imported

    made = at_once(*[send(number % 4) for number in range(8)])
    assert failures(made) == []
    outcomes = Counter(imported.outcome for imports in made for imported in imports)
    assert outcomes == {"new": 4, "already": 28}
    for number, imports in enumerate(made):
        names = [imported.transcript.name for imported in imports]
        first = number % 4
        assert names == [file.name for file in files[first:] + files[:first]]
    assert Transcript.objects.count() == Job.objects.count() == 4
    run_waiting_jobs()
    fault_table("upload", "the same 4 files uploaded 8 times at once", "one import each", acknowledged=32)


def test_imports_and_measuring_go_on_together(fault_table):
    project = make_games_project(slug="ours")
    lead = make_lead(project=project)
    for number in range(8):
        games = [native_game(gameId=f"{number}-{value}") for value in range(10)]
        upload(project=project, by=lead, games=games, name=f"{number}.json")

    def work():
        for _round in range(40):
            waiting = Job.objects.filter(state="queued").order_by("?").values_list("pk", flat=True)
            job = waiting.first()
            if job is None:
                return
            run_job(job=job, clock=lambda: NOW)

    assert failures(at_once(*[work] * 6)) == []
    run_waiting_jobs()
    assert Game.objects.count() == Measured.objects.count() == Slot.objects.count() == 80
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}
    fault_table("import and measure", "6 workers take jobs at once", "80 games, each once")


def test_a_crowd_rates_at_once_and_the_audit_log_holds(fault_table):
    project = games_with_places(game_count=8, evaluator_count=1)
    people = [make_member(project=project) for _ in range(8)]
    mine = [take_next_game(project=project, by=person, now=NOW) for person in people]

    def rate(evaluation):
        def run():
            own = Evaluation.objects.with_work().get(pk=evaluation.pk)
            for turn in range(1, 6):
                act = Act(kind="question", subject=str(turn), value="yes", version=0, key=f"{own.pk}-{turn}")
                judge(evaluation=own, act=act, by=own.evaluator, now=moment(turn))
            return load_state(Evaluation.objects.with_work().get(pk=own.pk))

        return run

    assert failures(at_once(*(rate(evaluation) for evaluation in mine))) == []
    assert Revision.objects.count() == 40
    fault_table("saving", "8 people at once", "the audit log holds", acknowledged=40)
