"""Acts on games, evaluations, flags and imports tell whom they concern, and nothing hidden."""

import json

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from discussions.adjudication.queries import disagreements_in
from discussions.events.actions import tell_tie
from discussions.games.actions import answer_flag, return_evaluation, withdraw_game
from discussions.imports.actions.columns import map_columns
from discussions.models import Evaluation
from discussions.queue.actions import assign_games, take_next_game, unassign_game
from discussions.rating.actions import remark, reopen_evaluation, skip_game
from discussions.transcripts.actions import dismiss_faults
from discussions.transcripts.core.readers.columns import MappingRecord
from tests.factories.adjudication import list_evaluations, make_differing, resolve_difference, submit_as
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, make_member, make_person
from tests.factories.queue import finish, make_repeat
from tests.factories.rating import make_game, make_rating_project, submitted
from tests.factories.transcripts import upload
from tests.factories.verdicts import fresh
from workspace.models import Event, Job, Notification
from workspace.outbox.actions.changes import mark_read
from workspace.outbox.actions.queue import tell_failed_job
from workspace.outbox.queries import NotificationLine, notifications_page

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


@pytest.fixture(autouse=True)
def own_folder(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def told(person, *, unread=False):
    """What the person is told, newest first."""
    return [line.says for line in notifications_page(person=person, unread=unread)[0]]


def test_an_assignment_is_told_until_it_ends():
    project = make_rating_project(slug="ours")
    lead, ann = make_lead(project=project), make_member(project=project)
    games = [make_game(project=project) for _number in range(2)]
    numbers = [game.number for game in games]
    first, _second = assign_games(project=project, numbers=numbers, person=ann, by=lead, now=NOW)
    assert told(ann) == [f"Game {number} is assigned to you." for number in reversed(numbers)]
    assert told(lead) == []
    unassign_game(slot=first, by=lead, now=NOW)
    assert told(ann) == [f"Game {numbers[1]} is assigned to you."]
    withdraw_game(game=games[1], reason="Cut short", by=lead, now=NOW)
    assert told(ann) == []


def test_a_returned_evaluation_is_told_until_it_is_submitted_again():
    evaluation = submitted(project=make_rating_project(slug="ours"))
    ann, lead = evaluation.evaluator, make_lead(project=evaluation.game.project)
    return_evaluation(evaluation=evaluation, comment="Look at SECRET", by=lead, now=NOW)
    (says,) = told(ann)
    assert says.startswith("Your evaluation of game 1 was returned.")
    assert NotificationLine([Notification.objects.get()]).page == f"/rate/{evaluation.pk}/"
    take_next_game(project=evaluation.game.project, by=ann, now=NOW)
    evaluation.refresh_from_db()
    finish(evaluation)
    assert (told(ann, unread=True), len(told(ann))) == ([], 1)


def test_a_hidden_duplicate_is_named_by_the_number_that_its_evaluator_knows():
    evaluation = submitted(project=make_rating_project(slug="ours"))
    ann, lead = evaluation.evaluator, make_lead(project=evaluation.game.project)
    repeat = make_repeat(evaluation, shown_number=99)
    given = {"kind": "flag", "target": "game", "text": "Odd", "key": "f", "now": NOW}
    flag = remark(evaluation=repeat, by=ann, **given)
    answer_flag(flag=flag, text=f"Why, @{ann.name}?", is_resolved=False, by=lead, now=NOW)
    assert told(ann) == ["You are mentioned in a reply to a flag on game 99."]
    assert told(lead) == ["There is a new flag on game 1."]


def test_leads_are_told_of_a_tie_that_they_may_resolve_once_all_is_in():
    lead, other = make_person(), make_person()
    game = make_differing(leads=[lead, other], slug="shared")
    assert (
        told(lead)
        == told(other)
        == [
            f"The evaluations of game {game.number} are tied. Resolve the disagreements.",
            f"There is a new flag on game {game.number}.",
        ]
    )
    first, second = list_evaluations(game)
    assert told(first.evaluator) == told(second.evaluator) == []
    rows = Notification.objects.filter(code="game_tied")
    assert [json.dumps(about) for about in rows.values_list("about", flat=True)] == ['{"game": 1}'] * 2
    return_evaluation(evaluation=second, comment="Again", by=lead, now=NOW)
    assert told(lead) == [f"There is a new flag on game {game.number}."]
    take_next_game(project=game.project, by=second.evaluator, now=NOW)
    submit_as(list_evaluations(game)[1])
    assert len(told(lead)) == 2


def test_many_leads_are_told_of_a_tie_in_as_many_statements_as_one():
    def count(leads):
        game = make_differing(leads=leads)
        second = list_evaluations(game)[1]
        event = Event.objects.get(verb="evaluation:submitted", object_id=str(second.pk))
        Notification.objects.all().delete()
        with CaptureQueriesContext(connection) as found, transaction.atomic():
            tell_tie(event)
        assert Notification.objects.filter(code="game_tied").count() == len(leads)
        return len(found)

    count([make_person()])
    assert count([make_person()]) == count([make_person() for _lead in range(5)])


def test_without_a_tie_or_before_the_last_evaluation_nobody_is_told():
    lead = make_person()
    project = make_rating_project(evaluator_count=2, slug="shared")
    make_member(project=project, person=lead, role="lead")
    evaluation = submitted(project=project)
    assert evaluation.game.evaluator_count == 2
    assert told(lead) == []


def test_a_lead_who_rated_the_game_is_not_told_how_others_judged():
    lead = make_person()
    game = make_differing(leads=[lead], slug="shared")
    rater = list_evaluations(game)[0].evaluator
    rater.memberships.update(role="lead")
    Notification.objects.all().delete()
    return_evaluation(evaluation=list_evaluations(game)[1], comment="Again", by=lead, now=NOW)
    second = list_evaluations(game)[1]
    take_next_game(project=game.project, by=second.evaluator, now=NOW)
    submit_as(list_evaluations(game)[1])
    assert (len(told(lead)), told(rater)) == (1, [])


@pytest.fixture
def flagged():
    """Two leads, the evaluator, and the flag that the evaluator set."""
    project = make_rating_project(slug="flagged")
    leads, ann = [make_lead(project=project) for _number in range(2)], make_member(project=project)
    upload(project=project, by=leads[0])
    run_waiting_jobs()
    evaluation = take_next_game(project=project, by=ann, now=NOW)
    given = {"evaluation": evaluation, "text": "SECRET", "by": ann, "now": NOW, "target": "message:3"}
    remark(kind="comment", key="c", **given)
    return *leads, ann, remark(kind="flag", key="f", **given)


def test_a_flag_is_told_to_leads_and_replies_to_the_other_side(flagged):
    lead, other, ann, flag = flagged
    opened, replied = "There is a new flag on game 1.", "Somebody replied to a flag on game 1."
    assert (told(lead), told(other), told(ann)) == ([opened], [opened], [])
    answer_flag(flag=flag, text="Yes.", is_resolved=False, by=lead, now=NOW)
    assert (told(lead), told(other), told(ann)) == ([opened], [opened], [replied])
    answer_flag(flag=flag, text="And now?", is_resolved=False, by=ann, now=NOW)
    assert (told(lead), told(other)) == ([replied, opened], [opened])
    answer_flag(flag=flag, text=f"What do you say, @{other.name}?", is_resolved=True, by=lead, now=NOW)
    assert told(other)[0] == "You are mentioned in a reply to a flag on game 1."
    assert [told(person, unread=True) for person in (lead, other, ann)] == [[], [], []]
    assert (
        NotificationLine([Notification.objects.filter(person=ann)[0]]).page
        == f"/projects/flagged/flags/#flag-{flag.pk}"
    )


def test_nobody_is_mentioned_who_may_not_read_the_flag(flagged):
    lead, _other, ann, flag = flagged
    stranger = make_member(project=flag.evaluation.game.project)
    answer_flag(flag=flag, text=f"@{stranger.name}, look", is_resolved=False, by=lead, now=NOW)
    assert (told(stranger), len(told(ann))) == ([], 1)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("bad.json", b"{}", "A file was imported with faults (1)."),
        ("rows.csv", b"who,what\nAnn,Hello there.\nBea,Hi all.\n", "A file waits for your answer."),
    ],
)
def test_an_import_with_faults_is_told_to_whoever_uploaded_it(name, data, says):
    project = make_rating_project(slug="ours")
    lead, other = make_lead(project=project), make_lead(project=project)
    transcript = upload(project=project, by=lead, name=name, games=data)
    run_waiting_jobs()
    assert told(lead) == [says]
    assert NotificationLine([Notification.objects.get()]).page == f"/projects/ours/imports/{transcript.pk}/"
    assert told(other) == []


def test_no_row_holds_what_somebody_wrote(flagged):
    lead, _other, _ann, flag = flagged
    answer_flag(flag=flag, text="More SECRET", is_resolved=False, by=lead, now=NOW)
    rows = Notification.objects.values_list("about", "subject", "code")
    assert len(rows) == 3
    assert "SECRET" not in str(list(rows))
    assert all(isinstance(value, int) for about, _subject, _code in rows for value in about.values())


def test_the_tie_is_read_when_the_last_one_is_resolved_by_whomever():
    lead, other = make_person(), make_person()
    game = make_differing(leads=[lead, other], slug="shared")
    Notification.objects.exclude(code="game_tied").delete()
    ties = [one for one in disagreements_in(game) if one.is_tie]
    assert len(ties) > 1
    for at, tie in enumerate(ties):
        assert (len(told(lead, unread=True)), len(told(other, unread=True))) == (1, 1), at
        adopted = list_evaluations(fresh(game))[0]
        resolve_difference(game, tie.key, adopted=adopted, by=lead, form_key=f"tie-{at}")
    assert (told(lead, unread=True), told(other, unread=True)) == ([], [])
    assert len(told(lead)) == len(told(other)) == 1


def test_a_reopened_evaluation_withdraws_the_tie():
    lead = make_person()
    game = make_differing(leads=[lead], slug="shared")
    Notification.objects.exclude(code="game_tied").delete()
    first = Evaluation.objects.with_work().get(pk=list_evaluations(game)[0].pk)
    reopen_evaluation(evaluation=first, by=first.evaluator, now=NOW)
    assert told(lead) == []


def test_an_assignment_is_read_when_the_game_is_rated_or_skipped():
    project = make_rating_project(slug="ours")
    lead, ann = make_lead(project=project), make_member(project=project)
    numbers = [make_game(project=project).number for _number in range(2)]
    assign_games(project=project, numbers=numbers, person=ann, by=lead, now=NOW)
    finish(take_next_game(project=project, by=ann, now=NOW))
    assert (len(told(ann, unread=True)), len(told(ann))) == (1, 2)
    skipped = take_next_game(project=project, by=ann, now=NOW)
    skip_game(evaluation=skipped, reason="Not mine", by=ann, now=NOW)
    assert (told(ann, unread=True), len(told(ann))) == ([], 2)


def test_nobody_is_asked_to_change_an_evaluation_of_a_withdrawn_game():
    evaluation = submitted(project=make_rating_project(slug="ours"))
    lead = make_lead(project=evaluation.game.project)
    return_evaluation(evaluation=evaluation, comment="Look", by=lead, now=NOW)
    assert len(told(evaluation.evaluator)) == 1
    withdraw_game(game=evaluation.game, reason="Cut short", by=lead, now=NOW)
    assert told(evaluation.evaluator) == []


def test_a_reply_by_one_lead_reads_the_flag_for_all_but_those_it_names(flagged):
    lead, other, ann, flag = flagged
    answer_flag(flag=flag, text="Yes.", is_resolved=False, by=lead, now=NOW)
    assert [len(told(person, unread=True)) for person in (lead, other, ann)] == [0, 0, 1]
    answer_flag(flag=flag, text=f"And you, @{other.name}?", is_resolved=False, by=ann, now=NOW)
    assert [len(told(person, unread=True)) for person in (lead, other, ann)] == [1, 1, 0]
    answer_flag(flag=flag, text="I say no.", is_resolved=False, by=lead, now=NOW)
    assert told(lead, unread=True) == []
    assert told(other, unread=True) == ["You are mentioned in a reply to a flag on game 1."]
    answer_flag(flag=flag, text="Nor do I.", is_resolved=False, by=other, now=NOW)
    assert told(other, unread=True) == []


def test_dismissed_faults_are_read():
    project = make_rating_project(slug="ours")
    lead, other = make_lead(project=project), make_lead(project=project)
    transcript = upload(project=project, by=lead, name="bad.json", games=b"{}")
    run_waiting_jobs()
    assert len(told(lead, unread=True)) == 1
    transcript.refresh_from_db()
    dismiss_faults(transcript=transcript, by=other, now=NOW)
    assert (told(lead, unread=True), len(told(lead))) == ([], 1)


def test_a_file_that_waits_is_told_once_however_often_it_is_read_until_it_is_answered(client):
    project = make_rating_project(slug="ours")
    lead = make_lead(project=project)
    files = {
        name: upload(
            project=project, by=lead, name=f"{name}.csv", games=f"who,{name}\nAnn,Hi.\nBea,Hello.\n".encode()
        )
        for name in ("first", "second", "third")
    }
    run_waiting_jobs()
    client.force_login(lead)
    assert "the file" not in client.get(reverse("notifications")).content.decode()
    for name, left in (("first", 2), ("second", 1)):
        files[name].refresh_from_db()
        mapping = MappingRecord(["who", name], {"player": "who", "text": name})
        map_columns(transcript=files[name], mapping=mapping, by=lead, now=NOW)
        run_waiting_jobs()
        assert told(lead) == told(lead, unread=True) == ["A file waits for your answer."] * left
    assert "the file third.csv" in client.get(reverse("notifications")).content.decode()
    mark_read(notifications=[Notification.objects.get().pk], by=lead, now=NOW)
    upload(project=project, by=lead, name="third.csv", games=b"who,third\nAnn,Hi.\nBea,Hello.\n")
    run_waiting_jobs()
    assert (len(told(lead)), told(lead, unread=True)) == (1, [])


def test_a_failed_import_is_read_when_the_file_is_read_again():
    project = make_rating_project(slug="ours")
    lead, other = make_lead(project=project), make_lead(project=project)
    transcript = upload(project=project, by=lead)
    Job.objects.filter(pk=transcript.job_id).update(state="failed")
    with transaction.atomic():
        tell_failed_job(job=Job.objects.get(pk=transcript.job_id), now=NOW)
    assert told(lead, unread=True) == ["The import of a file failed."]
    upload(project=project, by=other)
    assert Event.objects.filter(verb="transcript:resumed").count() == 1
    assert (told(lead, unread=True), len(told(lead))) == ([], 1)
