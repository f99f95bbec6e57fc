"""An admitted judge divides people's estimate: from answers to a recorded verdict that stays what it is."""

import json
from unittest.mock import patch

import pytest
from django.db import transaction
from django.urls import reverse
from msgspec.structs import replace

from discussions.checks.actions import CHECKS
from discussions.core import judgement_kinds as kinds
from discussions.iterations.core.figures import GameFigures, name_helpers
from discussions.judges.actions import prompts as judges_answers
from discussions.judges.actions.runs import admit_judge, suspend_judge
from discussions.models import Evaluation, Iteration, Judge, Verdict
from discussions.queue.actions import take_next_game
from discussions.queue.queries import _share_contradicted
from discussions.rating.actions import reveal_roles, submit_evaluation
from discussions.rating.queries import load_state
from discussions.verdicts.actions import replay_verdict
from discussions.verdicts.core.basis import changes
from discussions.verdicts.core.report import list_scores
from rubric.models.reviews import FETCHED, UPLOADED
from tests.factories.blindness import masked
from tests.factories.judges import (
    answer_as,
    make_judge,
    make_trusted,
    make_trusted_project,
    run_all,
    say_in_turn,
)
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.project_archives import bring_in, write_archive
from tests.factories.rating import (
    game_of,
    list_asked,
    make_game,
    make_rating_project,
    say_all,
    say_what_is_missing,
)
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, preview, record
from tests.factories.versions import publish_with_parameters
from workspace.core.canonical import bytes_hash, canonical_bytes

pytestmark = pytest.mark.django_db
HELPED = "people&#39;s estimate, helped by judge Larch: "
BY_JUDGE = {
    "coherence_score": "people",
    "role_consistency_score": "counted",
    "strategic_depth_score": "counted",
    "strata": "judge",
}


def make_world():
    """A judge admitted for the village after six games, a lead, and an evaluation of a game of 60 messages begun."""
    project = make_trusted_project(slug="helped")
    lead = make_lead(project=project)
    judge = make_trusted(project, lead)
    admit_judge(judge=judge, metric=kinds.COHERENCE, side="village", use="helps", by=lead, now=NOW)
    rules = Iteration.objects.filter(project=project)
    rules.update(evaluator_count=1, rubric_version=publish_with_parameters(**BY_JUDGE))
    game = make_game(project=project, content=game_of(60))
    taken = take_next_game(project=project, by=make_member(project=project), now=NOW)
    assert taken.game == game
    return judge, lead, Evaluation.objects.with_work().get(pk=taken.pk)


def let_answer(judge, lead, evaluation, now=NOW):
    """The judge says of each message what the evaluator says or would say."""
    run_all(judge, lead, [evaluation.game.number], kinds=[kinds.COHERENCE], repeat_percent=0)
    answer_as(judge, lead, say_in_turn, now)


def rate(evaluation):
    """What is asked on coherence is answered as the judge does, the rest as the automatic values have it."""

    def answer():
        while asked := [one for one in list_asked(load_state(evaluation)) if one.kind == kinds.COHERENCE]:
            said = [(it.kind, it.subject, say_in_turn(evaluation.game.number, it.subject)) for it in asked]
            say_all(evaluation, load_state(evaluation), said)
        say_what_is_missing(evaluation)

    answer()
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    answer()
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)


def line_of(found):
    return found.outcome.line(kinds.COHERENCE)


def width(found):
    return line_of(found).people.high - line_of(found).people.low


def read(client, person, page, game):
    client.force_login(person)
    return client.get(reverse(page, args=[game.project.slug, game.number])).content.decode()


def test_an_admitted_judge_narrows_a_verdict_that_stays_when_it_is_suspended(client):
    with transaction.atomic():
        verdict, archive = narrow(client)
        transaction.set_rollback(True)
    # Another installation, with a judge of its own.
    other = make_rating_project(slug="other")
    make_judge(other, make_lead(project=other))
    bring_in(archive, checks=[check for check in CHECKS if check.code in ("I6", "I10s")])
    copied = Verdict.objects.get()
    assert (replay_verdict(verdict=copied).differences, copied.outcome) == ([], verdict.outcome)
    keys = [json.loads(row.basis)["judges"][0]["judge"] for row in (verdict, copied)]
    assert keys[0] != keys[1] == Judge.objects.get(project=copied.project).pk


def narrow(client):
    """The steps from answers to a suspension; the verdict, and the archive of its project."""
    judge, lead, evaluation = make_world()
    rate(evaluation)
    game = fresh(evaluation.game)
    alone = preview(game)
    assert (alone.basis.format, alone.basis.judges, line_of(alone).people.helped) == (5, [], "")

    for source, count in ((UPLOADED, 0), (FETCHED, 1)):
        with transaction.atomic(), patch.object(judges_answers, "UPLOADED", source):
            let_answer(judge, lead, evaluation, now=moment(1))
            assert len(preview(game).basis.judges) == count, "by hand after people's answers it may be chosen"
            transaction.set_rollback(True)
    let_answer(judge, lead, evaluation)
    helped = preview(game)
    (said,) = helped.basis.judges
    assert width(helped) < 0.95 * width(alone)
    assert helped.found.values == alone.found.values, "no answer of a judge is a value"
    judged = line_of(helped).people.judged
    assert line_of(helped).people.helped == (
        f"people's estimate, helped by judge Larch: {judged} answers of people"
    )
    assert judged == line_of(alone).people.judged < len(said.answers) < 60, (
        "mafia's messages stay with the rule"
    )
    rating, others = helped.outcome.lines[-1], helped.outcome.lines[:-1]
    assert rating == alone.outcome.lines[-1]
    assert [line for line in others if line.key != kinds.COHERENCE] == [
        line for line in alone.outcome.lines[:-1] if line.key != kinds.COHERENCE
    ]
    assert 0 < _share_contradicted(helped.basis) < 1
    assert any("helped by judge Larch" in score["explanation"] for score in list_scores(helped.outcome))

    verdict = record(game, by=lead, reason="It is open.")
    assert replay_verdict(verdict=verdict).differences == []
    _pages_say_so(client, verdict, lead, evaluation.evaluator, judged)

    suspend_judge(judge=judge, reason="It drifts.", by=lead, now=moment(90))
    after = preview(game)
    assert (after.basis.judges, line_of(after).people) == ([], line_of(alone).people)
    kept = Verdict.objects.get(pk=verdict.pk)
    assert replay_verdict(verdict=kept).differences == []
    assert (kept.outcome, kept.basis) == (verdict.outcome, verdict.basis)
    assert "which of them may help" in " ".join(changes(helped.basis, after.basis))
    assert HELPED in read(client, lead, "verdict", game)
    _is_told_from_others(verdict, helped.basis)
    return verdict, write_archive(judge.project, lead)


def _pages_say_so(client, verdict, lead, evaluator, judged):
    game = verdict.game
    link = reverse("show_judge", args=[game.project.slug, 1])
    for page, person in (("verdict", lead), ("game", lead), ("report", lead), ("verdict", evaluator)):
        text = read(client, person, page, game)
        assert f"{HELPED}{judged} answers of people" in text, page
        assert (link in text) is (person == lead and page != "report")
        assert "&#34;answers&#34;" not in text or person == lead, (
            "answers of the judge stay from who may judge more"
        )
    assert "helped by judge Larch" in read(client, lead, "report_markdown", game)
    assert "helped by judge Larch" in read(client, lead, "report_csv", game)
    report = json.loads(read(client, lead, "report_json", game))
    told = [metric["people"]["helped"] for metric in report["metrics"] if "people" in metric]
    address = f"projects/{game.project.slug}/games/{game.number}/verdict/"
    answer = program_of(lead).get(address).json()
    told += [line["people"]["helped"] for line in answer["outcome"]["lines"] if line["people"]]
    assert told == [f"people's estimate, helped by judge Larch: {judged} answers of people"] * 2


def _is_told_from_others(verdict, basis):
    """A basis that gives a judge other answers, or none of its admissions, is a breach."""
    (said,) = basis.judges
    subject = next(iter(said.answers))
    for other in (
        replace(said, answers=said.answers | {subject: "cannot"}),
        replace(said, identity="0" * 64),
        replace(said, admissions=[10**6]),
    ):
        body = canonical_bytes(replace(basis, judges=[other]))
        forged = Verdict.objects.get(pk=verdict.pk)
        forged.basis, forged.basis_sha256 = body.decode(), bytes_hash(body)
        assert any("udge 1" in line for line in replay_verdict(verdict=forged).differences), other


def test_a_comparison_names_the_judges_of_all_its_games():
    figures = [
        GameFigures(1, {}, people={"coherence": 50.0}, helped={"coherence": (12, ["Larch"])}),
        GameFigures(2, {}, people={"coherence": 60.0}, helped={"coherence": (9, ["Elm", "Larch"])}),
        GameFigures(3, {}, people={"coherence": 60.0}),
    ]
    says = "people's estimate, helped by judge Elm, judge Larch: 21 answers of people"
    assert name_helpers(figures, "coherence") == says
    assert name_helpers(figures[2:], "coherence") == ""


def test_an_evaluator_reads_the_same_until_the_verdict_whether_a_judge_is_admitted(client):
    judge, lead, evaluation = make_world()
    address = reverse("rate", args=[evaluation.pk])
    client.force_login(evaluation.evaluator)
    before = [masked(client.get(address + step).content.decode()) for step in ("", "?step=review")]
    drawn = load_state(evaluation).samples
    let_answer(judge, lead, evaluation)
    after = [masked(client.get(address + step).content.decode()) for step in ("", "?step=review")]
    assert after == before and load_state(evaluation).samples == drawn
    assert not any("Larch" in text for text in after)
    rate(evaluation)
    text = read(client, evaluation.evaluator, "verdict", fresh(evaluation.game))
    assert HELPED in text and "&#34;answers&#34;" not in text
