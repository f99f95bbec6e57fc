"""The demo: made once, through the actions, with life on every screen.

The demo's comparisons: reviewed by people, models and an external reviewer, with everything that can be odd.

The demo's stage: five iterations with a story, the same every time.

The demo's team: three evaluators who differ as people do, in every state that a lead looks at.

The slow tests fill the whole demo once between them: the factory is replayed.
"""

from inspect import signature
from itertools import pairwise

import msgspec
import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password
from django.core.management import CommandError, call_command
from django.db import transaction
from django.urls import reverse

from discussions.adjudication.queries import disagreements_in
from discussions.calibration.queries import load_progress as load_round_progress
from discussions.comparison.queries import decision_preview
from discussions.demo.actions.fill import (
    PLAN,
    STEPS,
    _hash_password,
    _play_project,
    make_accounts,
    play,
    read_script,
)
from discussions.demo.actions.game_steps import OPPOSITE, value_in
from discussions.demo.actions.scene import FOLDER, Clock, Scene
from discussions.demo.core import Opinion
from discussions.home.pages.home import build_home
from discussions.iterations.core.averages import compute_averages
from discussions.iterations.queries import compute_stage_gate, load_history, load_rubric
from discussions.management.commands.verify import CHECKS
from discussions.models import (
    Adjudication,
    CalibrationRound,
    Decision,
    Evaluation,
    Game,
    Iteration,
    Judgement,
    ManualFigure,
    QueueRule,
    Remark,
    Slot,
    Stage,
    TeamFigures,
    Verdict,
)
from discussions.planning.permissions import check_change_version
from discussions.planning.queries import list_newer_versions, load_version_preview
from rubric.calibration.queries import load_progress
from rubric.models import Answer, ComparisonSet, Review, ReviewedResponse
from rubric.models.comparisons import MODEL, PERSON
from rubric.reviews.permissions import check_see_results
from rubric.reviews.queries import load_reviewed
from tests.factories.demo import fill
from tests.factories.people import NOW, make_admin, make_member, make_person, make_project
from tests.factories.project_archives import bring_in, write_archive
from tests.factories.reading import read_transcripts
from tests.factories.replays import replayed
from tools import prepare
from workspace.access.permissions import get_refusal
from workspace.models import Event, Job, Membership, Person, Project
from workspace.people.actions.people import system_person

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_the_demo_is_made_once_and_shows_every_state():
    demo = fill()
    _the_long_game_is_the_one_of_the_key_count()
    assert (demo.game_count, demo.verdict_count, demo.was_there) == (21, 14, False)
    people = {person.email: person for person in Person.objects.all()}
    assert all(people[account.email].check_password(account.password) for account in PLAN.people)
    unsorted = Game.objects.filter(project__slug="demo", iteration__stage=None)
    assert list(unsorted.order_by("number").values_list("number", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert sorted(Verdict.objects.filter(game__in=unsorted).values_list("passes", flat=True)) == [False, True]
    states = sorted(Evaluation.objects.filter(game__in=unsorted).values_list("state", flat=True))
    assert states == ["lapsed", "submitted", "submitted", "submitted"], "half a game was left three weeks ago"
    assert Slot.objects.filter(evaluator=None, game__in=unsorted).count() == 3
    assert {remark.kind for remark in Remark.objects.all()} == {"comment", "flag"}
    labelled = Judgement.objects.filter(kind="statement", evaluation__game__source_id="juniper-inn")
    assert labelled.count() >= 5
    assert {"bluff", "honest"} & set(labelled.values_list("value", flat=True))
    members = Membership.objects.filter(project__slug="demo")
    assert sorted(members.values_list("role", flat=True)) == [*["evaluator"] * 3, "lead"]
    assert not Job.objects.exclude(state="done").exists()
    assert [sentence for check in CHECKS for sentence in check.find(NOW)] == []
    rows = (Game.objects.count(), Event.objects.count(), Person.objects.count())
    again = fill()
    assert (again.was_there, again.game_count) == (True, 21)
    assert (Game.objects.count(), Event.objects.count(), Person.objects.count()) == rows
    assert [account.email for account in PLAN.people] == list(
        Person.objects.filter(is_system=False).order_by("pk").values_list("email", flat=True)
    )


def _the_long_game_is_the_one_of_the_key_count():
    game = Game.objects.get(source_id="harbour-lights")
    references = game.measurements.get().findings.to_records()["memory_accuracy"].references
    assert (game.message_count, game.player_count) == (60, 6)
    assert sum(reference.is_counted for reference in references) == 10


def test_the_command_is_refused_where_the_demo_is_off():
    with pytest.raises(CommandError, match="The demo is off"):
        call_command("seed_demo")
    assert not Person.objects.filter(is_system=False).exists()


def test_the_people_come_first_and_a_demo_that_was_stopped_is_filled_by_the_next_start(
    settings, tmp_path, monkeypatch
):
    settings.DEMO, settings.VAR_DIR = True, tmp_path
    found_people = []
    monkeypatch.setattr(
        prepare,
        "call_command",
        lambda *_, stdout: found_people.append(Person.objects.filter(is_system=False).count()),
    )
    for _start in range(2):
        prepare.seed_demo()
    assert found_people == [5, 5]
    assert "lead@example.org           harbour-at-midnight" in (tmp_path / "demo-sign-ins.txt").read_text()
    make_person(email="somebody@example.org")
    prepare.seed_demo()
    Person.objects.get(email="somebody@example.org").delete()
    make_project()
    prepare.seed_demo()
    assert len(found_people) == 2


@pytest.mark.parametrize("name", ["games", "stage", "comparisons", "places", "team", "versions"])
def test_every_line_of_a_script_names_a_step_and_its_arguments(name):
    for line in read_script(name):
        signature(STEPS[line.do]).bind(None, line.by, **line.args)


@replayed
def fill_set(script: str = "comparisons") -> dict:
    """The demo's comparisons in a project of their own; the people by their keys."""
    project = make_project()
    lead = make_person(email="lead@example.org")
    make_member(project=project, role="lead", person=lead)
    people = {"lead": lead} | {key: make_member(project=project) for key in ("first", "second", "third")}
    play(script=read_script(script), scene=Scene(project, people, Clock(NOW), NOW))
    return people


def test_the_big_set_has_everything_that_reviews_can_be():
    people = fill_set()
    made = ComparisonSet.objects.get(number=1)
    assert (made.comparisons.count(), made.mode, made.closed_at) == (12, "both", None)
    reviews = Review.objects.filter(comparison__set=made).exclude(comparison__key="mail")
    assert (reviews.filter(state="submitted").count(), reviews.count()) == (55, 55)
    assert not Review.objects.filter(comparison__key="mail").exists()
    assert set(reviews.values_list("mode", flat=True)) == {"rubric", "partial", "abstained"}
    codes = {flag["code"] for flags in reviews.values_list("flags", flat=True) for flag in flags}
    assert "overall_mismatch" in codes
    assert Answer.objects.filter(review__in=reviews).count() == 22
    assert ReviewedResponse.objects.exclude(cannot_judge={}).count() == 1
    assert any(review.is_own for review in load_reviewed(made))
    assert get_refusal(check_see_results, people["lead"], made) == ""


@pytest.mark.django_db
def test_the_set_of_short_questions_has_enough_for_success_and_weights():
    fill_set("questions")
    (made,) = ComparisonSet.objects.all()
    reviewed = load_reviewed(made)
    # Three reviewers, each of three responses.
    assert (made.comparisons.count(), made.mode, len(reviewed)) == (40, "both", 40 * 3 * 3)
    assert all(review.scores for review in reviewed)


def test_a_person_never_reviews_an_own_response_and_scores_are_spread():
    people = fill_set()
    seen = ReviewedResponse.objects.filter(review__reviewer__person=people["lead"])
    assert not seen.filter(response__written_by=people["lead"]).exists()
    rows = [review.scores for review in load_reviewed(ComparisonSet.objects.get(number=1)) if review.scores]
    assert {score for row in rows for score in row.values()} == set(range(1, 11))
    flat = [len(set(row.values())) == 1 for row in rows]
    assert 35 <= sum(flat) < len(rows) / 2


def test_the_small_set_waits_for_the_first_evaluator():
    people = fill_set()
    made = ComparisonSet.objects.get(number=2)
    assert made.has_second_round and made.closed_at is None
    handed = Review.objects.filter(comparison__set=made, reviewer__person=people["first"])
    assert (made.comparisons.count(), handed.count()) == (3, 1)
    guest = made.reviewers.get(kind="elsewhere")
    assert {flag["code"] for flag in guest.reviews.first().flags} == {"rescaled", "order_unknown"}


def test_the_same_people_give_the_same_reviews_again():
    people = fill_set()
    columns = ("review__comparison__key", "review__order", "position", "scores", "holistic", "notes")
    rows = list(ReviewedResponse.objects.order_by("pk").values_list(*columns))
    other = make_project()
    for key, person in people.items():
        make_member(project=other, role="lead" if key == "lead" else "evaluator", person=person)
    play(script=read_script("comparisons"), scene=Scene(other, people, Clock(NOW), NOW))
    again = ReviewedResponse.objects.filter(review__comparison__set__project=other).order_by("pk")
    assert list(again.values_list(*columns)) == rows


def test_the_set_with_places_has_a_round_that_one_of_three_passed_and_an_answer_that_cannot_be_read():
    people = fill_set("places")
    made = ComparisonSet.objects.get()
    assert (made.people_needed, made.repeat_percent) == (2, 10)
    opened = made.calibration_rounds.select_related("set").get()
    reviewers = made.reviewers.filter(kind=PERSON).select_related("person")
    found = {row.person: load_progress(opened, row).result.passes for row in reviewers}
    assert found == {people["first"]: True, people["second"]: None, people["third"]: False}
    answered = Review.objects.get(reviewer__kind=MODEL, comparison__set=made)
    assert answered.mode == "unreadable"


FILES = sorted((FOLDER / "transcripts").glob("iteration-*.json"))


GAMES = [game for file in FILES for game in msgspec.json.decode(file.read_bytes())]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game["gameId"])
def test_a_game_of_the_stage_is_short_and_has_no_fault(game):
    played = game | {"timestamp": "2026-03-01T18:00:00Z"}
    read = read_transcripts(msgspec.json.encode([played]), "stage.json")
    record = read.games[0].record
    assert not read.fault_count
    assert 10 <= len(record.messages) <= 14
    assert 5 <= len(record.players) <= 6
    speakers = [message.player for message in record.messages]
    assert all(speaker != following for speaker, following in pairwise(speakers))
    assert len({message.text for message in record.messages}) == len(record.messages)


def test_no_two_games_of_the_stage_are_the_same():
    texts = [tuple(message["message"] for message in game["messages"]) for game in GAMES]
    assert len(set(texts)) == len(GAMES) == 15


@pytest.mark.slow
@pytest.mark.long
def test_the_demo_moves_to_another_installation_and_makes_the_same_archives_there(settings):
    archives = {}
    with transaction.atomic():
        fill()
        admin = Person.objects.get(email="admin@example.org")
        for project in Project.objects.all():
            archives[project.slug] = write_archive(project, admin)
        transaction.set_rollback(True)
    settings.AUDIT_KEY = "of-another-installation-" + "k" * 40
    make_person(email="somebody@example.org")
    # In another order, so that rows get other keys.
    for slug in sorted(archives, reverse=True):
        done = bring_in(archives[slug], keeps_roles=True)
        assert (done.project.slug, done.seals_hold) == (slug, False)
    admin = make_admin()
    for slug, archive in archives.items():
        # Not compared by pytest: its explanation of a difference of megabytes takes minutes.
        is_same = write_archive(Project.objects.get(slug=slug), admin) == archive
        assert is_same, slug
    assert [sentence for check in CHECKS for sentence in check.find(NOW)] == []
    assert Adjudication.objects.exists()
    assert all(
        not one.is_changed_since
        for game in Game.objects.exclude(adjudications=None).select_related("iteration__rubric_version")
        for one in disagreements_in(game)
    )


@pytest.mark.slow
def test_the_stage_tells_of_every_kind_of_decision():
    fill()
    stage = Stage.objects.get(project__slug="demo")
    history = load_history(stage)
    made = [
        (iteration.number, iteration.kind, iteration.decision.choice if iteration.decision else "")
        for iteration in history.iterations
    ]
    assert made == [
        (1, "baseline", ""),
        (2, "change", "keep"),
        (3, "change", "revert"),
        (4, "change", "inconclusive"),
        (5, "change", ""),
    ]
    assert history.reference is not None
    assert history.reference.number == 2
    answers = [decision_preview(history, iteration.id) for iteration in history.iterations[1:4]]
    assert [answer.compared.answer for answer in answers] == [
        "improved",
        "cannot tell yet",
        "cannot tell yet",
    ]
    picked = answers[1].compared.metric("anti_repetition").difference
    assert (round(picked.raw, 1), round(picked.rebound, 1)) == (15.1, 2.3)
    proposed = [
        msgspec.json.decode(decision.proposal)["proposal"] for decision in Decision.objects.order_by("pk")
    ]
    assert proposed == ["keep", "inconclusive", "inconclusive"]
    assert [iteration.hunk_count for iteration in history.iterations] == [0, 1, 1, 1, 1]
    by_hand = ManualFigure.objects.get()
    assert by_hand.reason
    told = [compute_averages(iteration.figures, load_rubric(iteration)) for iteration in history.iterations]
    assert [iteration.passes for iteration in told] == [False, True, False, True, None]
    assert told[1].cost.by_hand == [by_hand.game.number]
    gate = compute_stage_gate(stage, history)
    assert (gate.is_open, gate.streak.count, gate.streak.reverted) == (False, 2, [3])
    assert gate.cache.missing == [17]
    assert Slot.objects.filter(evaluator=None, game__iteration__number=5).count() == 3


TEAM = "demo-team"


def game(number: int) -> Game:
    return Game.objects.select_related("iteration__rubric_version", "project").get(
        project__slug=TEAM, number=number
    )


def person(key: str) -> Person:
    return Person.objects.get(email=f"{key}@example.org")


@pytest.mark.slow
def test_every_screen_of_a_team_has_life():
    fill()
    _the_games_are_in_every_state()
    _calibration_has_one_who_passed_and_one_who_did_not()
    _figures_have_intervals_and_answers_that_differ()
    assert QueueRule.objects.get(project__slug=TEAM).repeat_percent == 5
    assert not Event.objects.filter(at__gt=NOW).exists(), "nothing of the demo lies in the future"


def _the_games_are_in_every_state():
    states = {
        number: sorted(
            Evaluation.objects.filter(game=game(number), purpose="rating").values_list("state", flat=True)
        )
        for number in range(3, 9)
    }
    assert states == {
        3: ["submitted"] * 3,
        4: ["submitted"] * 3,
        5: ["submitted"] * 3,
        6: ["returned", "submitted", "submitted"],
        7: ["draft", "lapsed", "submitted"],
        8: [],
    }
    verdicts = Verdict.objects.filter(project__slug=TEAM)
    assert set(verdicts.values_list("game__number", flat=True)) == {1, 2, 3}
    assert Adjudication.objects.get().reason
    assert not [
        disagreement
        for disagreement in disagreements_in(game(3))
        if disagreement.counts is None and disagreement.can_be_adjudicated
    ]
    assert [disagreement.kind for disagreement in disagreements_in(game(4)) if disagreement.is_tie] == [
        "reference"
    ]
    majorities = [
        disagreement for disagreement in disagreements_in(game(5)) if disagreement.can_be_adjudicated
    ]
    assert majorities
    assert not any(majority.is_tie for majority in majorities), "its verdict can be recorded at once"
    held = Slot.objects.get(project__slug=TEAM, evaluator__isnull=False, is_closed=False, lease_until__gt=NOW)
    assert (held.game.number, held.evaluator) == (7, person("evaluator3"))
    kept = Slot.objects.get(project__slug=TEAM, assigned_to__isnull=False, purpose="rating")
    assert (kept.game.number, kept.assigned_to) == (8, person("evaluator"))
    assert Slot.objects.filter(game=game(8), evaluator=None).count() == 3
    assert build_home(person=person("evaluator"), now=NOW)["returned"][0].returned_comment
    aside = build_home(person=person("evaluator2"), now=NOW)["aside"][0]
    found = Evaluation.objects.select_related("game").get(pk=aside.pk)
    assert (found.game.number, found.shown_number) == (7, aside.game_number)


def _calibration_has_one_who_passed_and_one_who_did_not():
    opened = CalibrationRound.objects.get(project__slug=TEAM)
    passes = [load_round_progress(opened, person(key)).result.passes for key in ("evaluator", "evaluator2")]
    assert (passes, opened.is_required) == ([True, False], False)


def _figures_have_intervals_and_answers_that_differ():
    bodies = dict(TeamFigures.objects.filter(project__slug=TEAM).values_list("kind", "body"))
    assert set(bodies) == {"accuracy", "agreement", "agents"}
    things = {
        thing["key"]: thing for thing in msgspec.json.decode(bodies["agreement"])["agreement"]["things"]
    }
    shown = [
        things[key] for key in ("reference", "strategic_depth", "coherence", "role_consistency", "rating")
    ]
    # Where nearly all give one answer there is none, and the page says so.
    assert all(bool(thing["alpha"]["interval"]) != bool(thing["alpha"]["interval_reason"]) for thing in shown)
    assert sum(bool(thing["alpha"]["interval"]) for thing in shown) >= 2
    # Which messages are sampled hangs on the installation, and with them where people differ.
    assert sum(any(row != column for row, column, *_ in thing["cells"]) for thing in shown) >= 3
    (version,) = msgspec.json.decode(bodies["accuracy"])["versions"]
    counts = {table["part"]: [cell["count"] for cell in table["cells"]] for table in version["tables"]}
    assert all(sum(counts[part]) >= 40 for part in ("strategic_depth", "coherence"))


@pytest.mark.slow
@pytest.mark.long
def test_what_the_team_does_hangs_little_on_the_messages_that_an_installation_samples(settings):
    settings.AUDIT_KEY = "of-another-installation-" + "k" * 40
    (planned,) = [planned for planned in PLAN.projects if planned.slug == TEAM]
    _play_project(planned, make_accounts(by=system_person(now=NOW), now=NOW), NOW)
    said = Judgement.objects.filter(evaluation__game__project__slug=TEAM)
    assert said.count() > 400
    assert set(said.filter(kind="question").values_list("value", flat=True)) == {"yes", "no"}
    _the_games_are_in_every_state()
    _calibration_has_one_who_passed_and_one_who_did_not()


@pytest.mark.slow
def test_an_iteration_can_be_moved_to_the_newer_version_and_an_evaluator_is_asked_for_more_messages(client):
    fill()
    made = Iteration.objects.select_related("rubric_version", "project", "stage")
    iteration = made.get(project__slug="demo-versions", stage__isnull=False)
    newer, *_older = list_newer_versions(iteration)
    assert (iteration.rubric_version.number, newer.number) == ("1.0", "1.3")
    assert get_refusal(check_change_version, person("lead"), iteration) == ""
    assert len(load_version_preview(iteration, newer).games) == 3
    client.force_login(person("evaluator3"))
    page = client.get(
        reverse("rate", args=[Evaluation.objects.get(state="draft", game__project=iteration.project).pk])
    ).content.decode()
    says = "10 more messages: too few are judged to score this game."
    assert f'id="why-more">{says}' in page


def test_chance_is_the_same_every_time():
    view = Opinion(questions="yynyn", differs=0.5)
    values = [value_in(view, "coherence", str(number), "yes", f"second:{number}") for number in range(40)]
    assert values == [
        value_in(view, "coherence", str(number), "yes", f"second:{number}") for number in range(40)
    ]
    assert set(values) == {"yes", "no"}


def test_a_view_gives_its_labels_answers_and_rating_and_else_the_automatic_value():
    calm = Opinion(questions="yynyn", rating="4.5", labels={"9.1": "vague"})
    assert value_in(calm, "reference", "8.1", "inaccurate", "") == "accurate"
    assert value_in(calm, "reference", "9.1", "accurate", "") == "vague"
    assert "".join(value_in(calm, "question", str(n), "", "")[0] for n in range(1, 6)) == "yynyn"
    assert value_in(calm, "rating", "", "", "") == "4.5"
    assert value_in(calm, "coherence", "1", "no", "") == "no"
    opposed = Opinion(differs=1.0)
    assert [value_in(opposed, "coherence", "1", value, "") for value in OPPOSITE] == list(OPPOSITE.values())


def test_the_hashes_of_the_plan_are_those_of_its_passwords_as_the_site_makes_them_today():
    hasher = PBKDF2PasswordHasher()
    assert len(PLAN.people) == 5
    for account in PLAN.people:
        assert hasher.verify(account.password, account.hashed) and not hasher.must_update(account.hashed)
        assert check_password(account.password, _hash_password(account)), "other settings hash it anew"
