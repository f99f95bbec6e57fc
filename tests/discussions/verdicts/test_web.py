"""The page of a verdict: the preview, recording it, what changed meanwhile, corrections, replay."""

import html
import re

import pytest
from django.urls import reverse

from discussions.core.judgement_kinds import MESSAGE_KINDS
from discussions.core.outcome import MEMORY
from discussions.models import Evaluation, Iteration, Judgement, Measured, Verdict
from discussions.verdicts.pages.lines import describe_verdict
from discussions.verdicts.pages.verdict import build_verdict_page, describe_people_estimate
from tests.factories.adjudication import list_evaluations, make_shared_game, submit_as, submitted_game
from tests.factories.iterations import figures, make_baseline, make_stage
from tests.factories.people import make_admin, make_member
from tests.factories.rating import make_game, make_rating_project, ready_to_submit
from tests.factories.tampering import without_triggers
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, game_to_record, get_lead, preview, record, recorded_verdict
from tests.factories.versions import make_changed_draft
from workspace.core.canonical import canonical_bytes
from workspace.models import Event

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true"}


def address(game, name="verdict", *more):
    return reverse(name, args=[game.project.slug, game.number, *more])


def headline(game, *, is_so_far=False):
    return describe_verdict(game.number, preview(game).outcome, is_so_far=is_so_far)


def get_evaluator(game):
    return Evaluation.objects.get(game=game).evaluator


def shown_basis(answer):
    said = answer.content.decode()
    return {
        "basis_sha256": re.search(r'name="basis_sha256" value="([0-9a-f]{64})"', said)[1],
        "basis": html.unescape(re.search(r'name="basis" value="([^"]*)"', said)[1]),
    }


@pytest.mark.services
def test_the_evaluator_sees_what_would_be_recorded_and_records_it(client):
    game = game_to_record()
    client.force_login(get_evaluator(game))
    answer = client.get(address(game))
    said = answer.content.decode()
    assert headline(game) in html.unescape(said)
    assert re.search(r'<button class="button primary"\s*>\s*Record the verdict', said)
    count = Judgement.objects.filter(evaluation__game=game).exclude(value="").count()
    assert f"{count} judgements of people" in said
    assert "the automatic value counts" not in said, "people's answers are the score of role consistency"
    posted = client.post(address(game, "record_verdict"), shown_basis(answer))
    assert (posted.status_code, posted["Location"]) == (303, address(game))
    assert Verdict.objects.get().created_by == get_evaluator(game)
    said = client.get(address(game)).content.decode()
    assert "Recorded verdict 1" in said


def read_main(client, game):
    """The page below its header, whose search has the focus only when it is opened."""
    return client.get(address(game)).content.decode().partition("<main")[2]


@pytest.mark.parametrize("is_recorded", [False, True])
def test_an_evaluator_goes_on_before_and_after_recording(client, is_recorded):
    game = game_to_record()
    if is_recorded:
        record(game)
    client.force_login(get_evaluator(game))
    said = read_main(client, game)
    assert said.count("autofocus") == 1
    assert re.search(r'href="/" autofocus\s*>Your work<', said)
    assert "No more games for you in this project now." in said
    make_game(project=game.project)
    said = read_main(client, game)
    assert (said.count("autofocus"), said.count("No more games")) == (1, 0)
    assert re.search(r"autofocus>\s*Next game", said)
    client.force_login(get_lead(game))
    said = read_main(client, game)
    assert (said.count("autofocus"), said.count("Next game")) == (0, 0)


def test_a_refused_recording_has_the_focus_on_nothing_else(client):
    game = game_to_record()
    make_game(project=game.project)
    client.force_login(get_evaluator(game))
    answer = client.post(address(game, "record_verdict"), {"basis_sha256": "0" * 64, "basis": ""})
    main = answer.content.decode().partition("<main")[2]
    assert (answer.status_code, main.count("autofocus"), "record" in main) == (409, 0, True)


def test_the_way_to_a_verdict_is_the_same_before_and_after_recording(client):
    game = game_to_record()
    client.force_login(get_evaluator(game))

    def crumbs():
        found = re.search(
            r'<nav class="crumbs".*?</nav>', client.get(address(game)).content.decode(), re.DOTALL
        )[0]
        links = re.findall(r'href="([^"]+)"', found)
        return " ".join(re.sub(r"<[^>]+>", "", found).split()), links

    before, links = crumbs()
    assert before.endswith(f"Games / {game.number} / Verdict")
    assert reverse("game", args=[game.project.slug, game.number]) not in links, "they may not open it yet"
    record(game)
    after, links = crumbs()
    assert after == before
    assert reverse("game", args=[game.project.slug, game.number]) in links


def test_the_headline_of_a_verdict_is_not_repeated_as_a_reason(client):
    game = game_to_record()
    Judgement.objects.filter(evaluation__game=game, kind="rating").update(value="1.0")
    outcome = preview(game).outcome
    assert [reason.says for reason in outcome.reasons if reason.says in outcome.headline]
    client.force_login(get_evaluator(game))
    said = html.unescape(client.get(address(game)).content.decode())
    assert said.count(headline(game)) == 1
    for reason in outcome.reasons:
        assert said.count(reason.says) == 1


def test_advice_for_prompts_is_for_those_who_change_them(client):
    game = recorded_verdict().game
    for name, title in (("verdict", 'id="advice"'), ("report", 'id="advice"')):
        client.force_login(get_lead(game))
        said = client.get(address(game, name)).content.decode()
        assert title in said
        assert "Next game" not in said
        client.force_login(get_evaluator(game))
        assert title not in client.get(address(game, name)).content.decode()


def test_what_people_would_say_of_every_message_is_beside_the_score_for_those_who_may_see_answers(client):
    game = submitted_game(2, message_count=60, number="1.2")
    client.force_login(get_lead(game))
    answer = client.get(address(game))
    sentences = [describe_people_estimate(line) for line in answer.context["page"].people]
    said = html.unescape(answer.content.decode())
    assert len(sentences) == 3
    assert re.match(
        r"Counted [\d.]+\xa0%, \w+. People asked say [\d.]+\xa0% \(\d+ to \d+\), \w+.", sentences[0]
    )
    assert all(said.count(sentence) == 1 for sentence in sentences)
    assert said.count('<circle class="people"') == 3 + 1, "and one in the legend"
    client.force_login(list_evaluations(game)[0].evaluator)
    hidden = client.get(address(game)).content
    assert b"People asked say" not in hidden and b'class="people"' not in hidden


def test_what_changed_is_shown_with_409_and_nothing_is_recorded(client):
    game = game_to_record()
    client.force_login(get_evaluator(game))
    posted = shown_basis(client.get(address(game)))
    rating = Judgement.objects.get(evaluation__game=game, kind="rating")
    Judgement.objects.filter(pk=rating.pk).update(value="4.5", version=rating.version + 1)
    answer = client.post(address(game, "record_verdict"), posted)
    said = answer.content.decode()
    assert answer.status_code == 409
    assert said.count("rating: 3.5 before, 4.5 now.") == 1 and "then decide again" in said
    assert preview(fresh(game)).basis_sha256 in said
    assert not Verdict.objects.exists()
    again = client.post(address(game, "record_verdict"), posted, headers=HTMX)
    assert again.status_code == 409
    assert "<html" not in again.content.decode()


def test_who_records_second_reads_once_that_it_is_recorded_and_is_asked_for_nothing(client):
    game = game_to_record()
    client.force_login(get_evaluator(game))
    posted = shown_basis(client.get(address(game)))
    assert client.post(address(game, "record_verdict"), posted).status_code == 303
    answer = client.post(address(game, "record_verdict"), posted)
    said = answer.content.decode()
    assert answer.status_code == 409 and said.count("Somebody recorded this verdict first.") == 1
    assert "recorded meanwhile" not in said and "decide again" not in said
    assert Verdict.objects.count() == 1


@pytest.mark.parametrize(
    "given", [{}, {"basis_sha256": "x"}, {"basis_sha256": "A" * 64}, {"basis_sha256": "a" * 63 + "\n"}]
)
def test_a_form_without_a_hash_is_422(client, given):
    game = game_to_record()
    client.force_login(get_evaluator(game))
    assert client.post(address(game, "record_verdict"), given).status_code == 422
    assert not Verdict.objects.exists()


def test_a_field_of_somebody_else_is_400(client):
    game = game_to_record()
    client.force_login(get_evaluator(game))
    posted = {"basis_sha256": preview(game).basis_sha256, "passes": "true"}
    assert client.post(address(game, "record_verdict"), posted).status_code == 400


def test_a_pending_game_says_what_is_missing_and_greys_the_button(client):
    game = make_game(project=make_rating_project())
    client.force_login(get_lead(game))
    said = client.get(address(game)).content.decode()
    assert "Still pending:" in said
    assert "0 of 1" in said
    assert re.search(r'<button class="button primary" disabled>', said)


def test_who_has_not_submitted_does_not_see_the_page(client):
    game = ready_to_submit().game
    client.force_login(get_evaluator(game))
    assert client.get(address(game)).status_code == 404
    client.force_login(make_member(project=game.project))
    assert client.get(address(game)).status_code == 404


def test_where_the_machine_stays_hidden_its_evaluator_records_without_figures(client):
    game = game_to_record()
    Iteration.objects.filter(pk=game.iteration_id).update(reveal="never")
    client.force_login(get_evaluator(game))
    answer = client.get(address(game))
    said = answer.content.decode()
    assert "are shown once its verdict is recorded" in said
    assert "Strategic depth" not in said
    client.post(address(game, "record_verdict"), shown_basis(answer))
    assert "Strategic depth" in client.get(address(game)).content.decode()


@pytest.mark.services
def test_a_lead_corrects_with_a_reason_and_both_stay(client):
    game = recorded_verdict().game
    lead = get_lead(game)
    client.force_login(lead)
    as_it_was = client.get(address(game)).content.decode()
    assert "Nothing that it rests on has changed" in as_it_was and "Record the correction" not in as_it_was
    rating = Judgement.objects.get(evaluation__game=game, kind="rating")
    Judgement.objects.filter(pk=rating.pk).update(value="1.0", version=rating.version + 1)
    posted = shown_basis(client.get(address(game)))
    without = client.post(address(game, "record_verdict"), posted | {"reason": " "})
    assert without.status_code == 422
    assert "Say why" in without.content.decode()
    done = client.post(address(game, "record_verdict"), posted | {"reason": "<b>The rating</b> was a slip."})
    assert done.status_code == 303
    said = client.get(address(game)).content.decode()
    assert "&lt;b&gt;The rating&lt;/b&gt; was a slip." in said
    assert "Recorded verdict 2" in said
    assert "corrected by a later one" in said
    assert "The rating</b> was a slip." in Event.objects.get(verb="verdict:superseded").detail


def test_the_evaluator_cannot_correct_and_is_not_asked_to(client):
    game = recorded_verdict().game
    client.force_login(get_evaluator(game))
    assert "Correct this verdict" not in client.get(address(game)).content.decode()
    posted = {"basis_sha256": preview(game).basis_sha256, "reason": "mine"}
    assert client.post(address(game, "record_verdict"), posted).status_code == 403
    assert Verdict.objects.count() == 1


@pytest.mark.services(is_long=True)
def test_what_became_different_since_is_named(client):
    game = recorded_verdict().game
    rating = Judgement.objects.get(evaluation__game=game, kind="rating")
    Judgement.objects.filter(pk=rating.pk).update(value="1.0", version=rating.version + 1)
    client.force_login(get_lead(game))
    said = client.get(address(game)).content.decode()
    assert "What has changed since this verdict was recorded" in said
    assert "rating: 3.5 before, 1.0 now." in said


@pytest.mark.services(is_long=True)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_replay_says_equal_or_breach(client, headers):
    verdict = recorded_verdict()
    game = verdict.game
    client.force_login(get_evaluator(game))
    where = address(game, "replay_verdict", 1)
    said = client.post(where, headers=headers).content.decode()
    assert "Equal: the same verdict follows from its basis." in said
    assert ("<html" in said) == (not headers)
    with without_triggers():
        Verdict.objects.filter(pk=verdict.pk).update(passed_count=verdict.passed_count - 1)
    said = client.post(where, headers=headers).content.decode()
    assert "Breach" in said
    assert "figures that lists show" in said


def test_a_replay_of_no_verdict_is_404(client):
    game = recorded_verdict().game
    client.force_login(get_lead(game))
    assert client.post(address(game, "replay_verdict", 2)).status_code == 404


def test_the_page_carries_the_basis_that_it_hashes(client):
    game = game_to_record()
    client.force_login(get_evaluator(game))
    posted = shown_basis(client.get(address(game)))
    assert posted["basis"] == canonical_bytes(preview(game).basis).decode()


def test_queries_are_the_same_for_a_small_and_a_large_game(client, django_assert_num_queries):
    small, large = game_to_record(message_count=12), game_to_record(message_count=60)
    for game in (small, large):
        record(game)
        client.force_login(get_lead(game))
        client.get(address(game))
        with django_assert_num_queries(16):
            assert client.get(address(game)).status_code == 200


def test_recording_is_two_links_from_the_top_of_the_page(client):
    game = game_to_record()
    client.force_login(get_lead(game))
    content = client.get(reverse("verdict", args=[game.project.slug, game.number])).content.decode()
    assert (
        content.index('href="#main"') < content.index('href="#verdict-record"') < content.index('class="top"')
    )
    section = content.partition('id="verdict-record"')[2]
    assert "<a " not in section.partition('<button class="button primary"')[0]


def shared_game_with(submitted_count):
    """A game of three evaluators, of whom so many have submitted, and these."""
    game = make_shared_game(k=3)
    submitted = [submit_as(evaluation) for evaluation in list_evaluations(game)[:submitted_count]]
    return fresh(game), [evaluation.evaluator for evaluation in submitted]


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "So far, from 1 of 3 evaluations"), (2, "So far, from 2 of 3 evaluations"), (3, "")],
)
def test_an_outcome_of_some_evaluations_says_of_how_many(client, count, said):
    game, _submitted = shared_game_with(count)
    client.force_login(get_lead(game))
    for name in ("verdict", "game"):
        shown = html.unescape(client.get(address(game, name)).content.decode())
        assert headline(game, is_so_far=bool(said)) in shown
        assert f"{said}." in shown if said else "So far, from" not in shown


def test_evaluators_of_a_shared_game_read_that_it_waits_for_the_verdict(client):
    game, submitted = shared_game_with(1)
    client.force_login(submitted[0])
    shown = client.get(address(game)).content.decode()
    assert "are shown once its verdict is recorded" in shown
    assert "Several people rate this game." in shown
    assert "so a team lead records its verdict" in shown
    assert "not measured" not in shown
    assert headline(game, is_so_far=True) not in html.unescape(shown)
    assert "passes" not in shown and "fails" not in shown


def test_a_game_without_figures_is_called_not_measured(client):
    game = make_game(project=make_rating_project())
    with without_triggers():
        Measured.objects.filter(game=game).update(rubric_version=make_changed_draft(by=make_admin()))
    client.force_login(get_lead(game))
    assert "is not measured yet" in client.get(address(game)).content.decode()


def test_leads_see_where_the_next_game_would_score_and_evaluators_do_not(client):
    stage = make_stage()
    depths = (60, 70, 80)
    iteration = make_baseline(stage=stage, games=[figures(strategic_depth=depth) for depth in depths])
    game = iteration.games.order_by("number").first()
    client.force_login(stage.created_by)
    said = html.unescape(client.get(address(game)).content.decode())
    assert "The next game under this prompt" in said and "The range in which 95 of 100" in said
    words = {
        "verdict": ["30.2 to 100.0\u00a0%, by 3 games under this prompt; so it may fail"],
        "report": ["30.2 to 100.0\u00a0%; so it may fail", "by 3 games under this prompt."],
    }
    for name, parts in words.items():
        said = html.unescape(client.get(address(game, name)).content.decode())
        assert all(part in said for part in parts), name
        assert "other way in a re-run" not in said
    alone = game_to_record()
    client.force_login(get_evaluator(alone))
    said = html.unescape(client.get(address(alone)).content.decode())
    assert "next game under" not in said and "The range in which" not in said
    client.force_login(get_lead(alone))
    assert b"unknown until two games under one prompt have a verdict" in client.get(address(alone)).content


def read(client, person, game):
    client.force_login(person)
    return html.unescape(client.get(address(game)).content.decode())


def test_an_answer_that_alone_would_turn_it_is_a_link_to_its_message(client):
    game = submitted_game(1)
    (evaluation,) = list_evaluations(game)
    person, outcome = evaluation.evaluator, preview(game).outcome
    turning = [line.key for line in outcome.lines if line.flip == 1 and line.key in (MEMORY, *MESSAGE_KINDS)]
    assert outcome.flip_distance == 1 and turning
    page = build_verdict_page(game=fresh(game), person=get_lead(game))
    assert set(page.turning) <= set(turning) and page.turning_line is not None
    position = page.turning[page.turning_line.key]
    own = read(client, person, game)
    assert (
        f'href="{reverse("rate", args=[evaluation.pk])}?at={position}"' in own and f"#m{position}" not in own
    )
    led = read(client, get_lead(game), game)
    link = f'href="{reverse("game", args=[game.project.slug, game.number])}?from={position}#m{position}"'
    assert led.count(link) >= 2, "in the sentence and in the row of its metric"
    # What others answered is not told by it, and nothing is once a verdict rests on other answers.
    record(game)
    reopened = build_verdict_page(game=fresh(game), person=person)
    assert reopened.turning == page.turning


def test_evaluators_of_a_shared_game_are_led_to_no_message(client):
    game = submitted_game(2, differing={("coherence", "5"): ("yes", "yes")})
    record(game, by=get_lead(game))
    person = list_evaluations(game)[0].evaluator
    assert build_verdict_page(game=fresh(game), person=get_lead(game)).turning
    page = build_verdict_page(game=fresh(game), person=person)
    assert page.outcome is not None and (page.turning, page.apart) == ({}, {})


def test_a_verdict_is_recorded_on_the_basis_that_was_read_and_corrected_with_a_reason():
    game = game_to_record()
    program = program_of(get_lead(game))
    path = f"projects/{game.project.slug}/games/{game.number}/verdict/"
    found = program.get(path).json()
    assert (found["refusal"], found["recorded"]) == ("", [])
    lines = {line["key"]: line for line in found["outcome"]["lines"]}
    low, high = lines["coherence"]["interval"]
    assert low <= lines["coherence"]["score"] <= high
    assert (lines["engagement"]["interval"], lines["engagement"]["is_mandatory"]) == (None, True)
    stale = program.post(path, {"basis_sha256": "0" * 64})
    assert (stale.status_code, stale.json()["code"]) == (409, "basis_changed")
    made = program.post(path, {"basis_sha256": found["basis_sha256"]})
    assert (made.status_code, made.json()["number"]) == (201, 1)
    assert made.json()["passes"] is found["outcome"]["passes"]
    basis = program.get(path).json()["basis_sha256"]
    assert program.post(path, {"basis_sha256": basis}).json()["field"] == "reason"
    assert program.post(path, {"basis_sha256": basis, "reason": "Recounted"}).status_code == 201
    assert [row["reason"] for row in program.get(path).json()["recorded"]] == ["Recounted", ""]
    assert Verdict.objects.count() == 2
