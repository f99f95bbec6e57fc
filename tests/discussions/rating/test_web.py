"""The evaluator's page and its acts over HTTP: with htmx and as plain forms, allowed and refused."""

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from discussions.models import Evaluation, Judgement, Revision
from discussions.rating.forms import ActForm
from discussions.rating.pages.review import STEP_METRICS, build_guides
from discussions.rating.queries import load_state
from discussions.verdicts.pages.lines import verdict_turns
from discussions.verdicts.queries import load_verdict_preview
from rubric.models import RubricVersion
from rubric.versions.queries import discussion_version
from tests.factories.people import make_admin, make_member
from tests.factories.rating import (
    game_of,
    make_game,
    make_rating_project,
    ready_to_submit,
    say,
    say_engagement,
    say_what_is_missing,
    start,
    submitted,
)
from tests.factories.transcripts import native_game, native_message
from tests.factories.versions import first, make_draft
from workspace.core.canonical import bytes_hash, canonical_bytes

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "answer"}


@pytest.fixture
def evaluation(client):
    started = start()
    client.force_login(started.evaluator)
    return started


def act(client, evaluation, short, *, nonce="0123456789abcdef", headers=HTMX, **more):
    address = reverse("judge", args=[evaluation.pk])
    return client.post(address, {"act": short, "nonce": nonce, "step": "coherence"} | more, headers=headers)


def get_page(client, evaluation, query=""):
    return client.get(reverse("rate", args=[evaluation.pk]) + query)


def buttons(content):
    """Every act that a press of a button on the page would post."""
    return [html.unescape(value) for value in re.findall(r'name="act" value="([^"]+)"', content)]


def test_a_form_that_loses_a_field_takes_it_from_no_other():
    form = ActForm(data={})
    del form.fields["value"]
    assert "value" in ActForm(data={}).fields


def test_the_page_shows_transcript_and_what_is_asked(client, evaluation):
    answer = get_page(client, evaluation)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert f"Game {evaluation.game.number}" in text
    assert text.count('<article class="msg"') == 12
    assert "0 of" in text
    first = load_state(evaluation).judgeable.counted[0]
    assert f"reference~{first}~0~accurate" in buttons(text)


def test_an_act_by_htmx_answers_regions_and_when_it_was_saved(client, evaluation):
    position = load_state(evaluation).samples["coherence"][0]
    answer = act(client, evaluation, f"coherence~{position}~0~yes")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert re.fullmatch(r"\d\d:\d\d:\d\d", answer["X-Saved"])
    assert f'id="item-coherence-{position}"' in text
    assert 'id="steps"' in text
    assert "<html" not in text
    assert f"coherence~{position}~1~no" in buttons(text)


def test_the_five_fields_are_the_same_act(client, evaluation):
    body = {"kind": "question", "subject": "2", "version": "0", "value": "yes", "key": "n:question:2:0"}
    address = reverse("judge", args=[evaluation.pk])
    first = client.post(address, body | {"took_ms": "900"}, headers=HTMX)
    again = client.post(address, body | {"took_ms": "901"}, headers=HTMX)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first["X-Saved"] == again["X-Saved"]
    assert Revision.objects.get().took_ms == 900


def test_a_plain_form_is_redirected_to_the_item(client, evaluation):
    answer = act(client, evaluation, "question~2~0~yes", headers={})
    assert answer.status_code == 303
    assert answer["Location"] == f"/rate/{evaluation.pk}/?step=coherence#item-question-2"
    assert Judgement.objects.get().value == "yes"


def test_a_key_used_for_something_else_is_refused(client, evaluation):
    act(client, evaluation, "question~2~0~yes")
    answer = act(client, evaluation, "question~2~0~no")
    assert answer.status_code == 422
    assert Revision.objects.count() == 1


def test_a_stale_version_shows_both_and_overwrites_nothing(client, evaluation):
    say(evaluation, "question", "2", "yes")
    answer = act(client, evaluation, "question~2~0~no")
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "You said" in text
    assert "question~2~1~no" in buttons(text)
    assert Judgement.objects.get().value == "yes"
    plain = act(client, evaluation, "question~2~0~no", headers={}, nonce="another")
    assert plain.status_code == 409
    assert "<html" in plain.content.decode()


def test_a_page_with_nothing_but_a_comment_says_that_it_is_saved(client, evaluation):
    assert 'id="saved-at"' not in get_page(client, evaluation).content.decode()
    act(client, evaluation, "comment~message:3~0~", text="odd")
    assert 'id="saved-at"' in get_page(client, evaluation).content.decode()


@pytest.mark.parametrize("headers", [HTMX, {}])
@pytest.mark.parametrize(
    "body",
    [
        {"act": "coherence~999~0~yes"},
        {"act": "coherence~5~0~maybe"},
        {"act": "rating~~0~3.7"},
        {"act": "coherence~5~x~yes"},
        {"act": "coherence~5"},
        {"act": "role_consistency~5~0~consistent"},
        {"act": "reveal~roles~0~yes"},
        {"act": "comment~message:3~0~", "text": " "},
        {"act": "comment~message:999~0~", "text": "odd"},
        {"kind": "coherence", "subject": "5", "value": "yes"},
        {"kind": "coherence", "subject": "5", "value": "yes", "version": "-1"},
        {"kind": "coherence", "subject": "5" * 300, "value": "yes", "version": "0"},
        {},
    ],
)
def test_what_cannot_be_judged_is_said_and_nothing_is_written(client, evaluation, body, headers):
    given = {"nonce": "n", "step": "coherence"} | body
    answer = client.post(reverse("judge", args=[evaluation.pk]), given, headers=headers)
    assert answer.status_code == 422
    assert not Revision.objects.exists()
    assert Evaluation.objects.get().version == 0


def test_an_act_without_a_key_is_refused(client, evaluation):
    answer = client.post(reverse("judge", args=[evaluation.pk]), {"act": "question~2~0~yes"}, headers=HTMX)
    assert answer.status_code == 422
    assert not Revision.objects.exists()


def test_an_unknown_or_repeated_field_is_malformed(client, evaluation):
    address = reverse("judge", args=[evaluation.pk])
    assert client.post(address, {"act": "question~2~0~yes", "user": "3"}).status_code == 400
    assert client.post(address, {"act": ["question~2~0~yes", "question~3~0~yes"]}).status_code == 400
    assert client.get(reverse("rate", args=[evaluation.pk]) + "?colour=red").status_code == 400


def test_anothers_evaluation_is_not_there(client, evaluation):
    client.force_login(make_member(project=evaluation.game.project))
    assert get_page(client, evaluation).status_code == 404
    assert act(client, evaluation, "question~2~0~yes").status_code == 404


def test_the_anonymous_sign_in_first_and_a_get_judges_nothing(client, evaluation):
    assert client.get(reverse("judge", args=[evaluation.pk])).status_code == 405
    client.logout()
    assert act(client, evaluation, "question~2~0~yes").status_code == 401
    assert get_page(client, evaluation).status_code == 302


def test_a_submitted_evaluation_is_read_but_not_judged(client):
    done = submitted()
    client.force_login(done.evaluator)
    page = get_page(client, done)
    assert page.status_code == 200
    assert "was submitted" in page.content.decode()
    assert not buttons(page.content.decode())
    coherence = len(load_state(done).samples["coherence"])
    assert page.content.decode().count("You said: <strong>Yes</strong>") == 5 + coherence
    assert "You said: <strong>Accurate</strong>" in page.content.decode()
    assert "ready" not in page.content.decode().partition('id="steps"')[2].partition("</nav>")[0]
    late = act(client, done, "question~2~1~no")
    assert (late.status_code, late["HX-Redirect"]) == (200, reverse("rate", args=[done.pk]) + "?late=yes")
    said = get_page(client, done, "?late=yes").content.decode()
    assert "What you did last came after this game was submitted, so it does not count." in said
    for given in ({"headers": {}}, {"text": "A thought that is not lost."}):
        refused = act(client, done, "question~2~1~no", **given)
        assert (refused.status_code, "was submitted" in refused.content.decode()) == (403, True)


def test_undo_by_htmx_and_by_a_plain_form(client, evaluation):
    address = reverse("undo", args=[evaluation.pk])
    say(evaluation, "question", "2", "yes")
    say(evaluation, "question", "3", "yes")
    answer = client.post(address, {"key": "n:undo:2", "step": "engagement"}, headers=HTMX)
    assert answer.status_code == 200
    assert 'id="item-question-3"' in answer.content.decode()
    plain = client.post(address, {"key": "n:undo:3", "step": "engagement"})
    assert (plain.status_code, plain["Location"].partition("?")[2]) == (
        303,
        "step=engagement#item-question-2",
    )
    nothing = client.post(address, {"key": "n:undo:4"}, headers=HTMX)
    assert nothing.status_code == 422
    assert "nothing left to undo" in nothing.content.decode()


def test_chips_appear_with_the_last_of_a_sample_and_flip(client, evaluation):
    say_engagement(evaluation)
    answers = []
    while asked := [it for it in load_state(evaluation).visibility.missing if it.kind == "coherence"]:
        answers.append(act(client, evaluation, f"coherence~{asked[0].subject}~0~yes").content.decode())
    *before, text = answers
    assert len(before) > 3 and not any('class="chip ' in answer for answer in before)
    assert text.count('<article class="msg"') == 12
    # A chip opens the forms of its message, in which a second act changes the value.
    chip = next(found for found in re.findall(r'data-act="(coherence~(\d+)~0~(?:yes|no))"', text))
    opened = get_page(client, evaluation, f"?at={chip[1]}").content.decode().partition('<div id="at"')[2]
    assert chip[0] in buttons(opened)
    flipped = act(client, evaluation, chip[0])
    assert flipped.status_code == 200
    assert "rule: " in flipped.content.decode()
    assert Revision.objects.latest("pk").phase == "revealed"


def test_the_forms_of_one_message(client, evaluation):
    region = client.get(reverse("rate", args=[evaluation.pk]) + "?at=3&nonce=abc", headers=HTMX)
    text = region.content.decode()
    assert text.startswith('<div id="at"')
    assert 'value="abc"' in text
    marks = [button for button in buttons(text) if button.startswith("missed~3.")]
    said = act(client, evaluation, "comment~message:3~0~", text="odd <b>", nonce="c")
    assert "odd &lt;b&gt;" in said.content.decode()
    act(client, evaluation, "flag~message:3~0~yes", text="broken", nonce="f")
    assert "Remove the flag" in get_page(client, evaluation, "?at=3").content.decode()
    assert act(client, evaluation, "flag~message:3~1~", nonce="g").status_code == 200
    if marks:
        assert act(client, evaluation, marks[0], nonce="m").status_code == 200


def test_the_roles_are_revealed_by_an_act_and_only_then_shown(client, evaluation):
    say_what_is_missing(evaluation)
    assert "reveal~roles~0~yes" in buttons(get_page(client, evaluation).content.decode())
    text = act(client, evaluation, "reveal~roles~0~yes").content.decode()
    assert "MAFIA" in text
    assert any(button.startswith("role_consistency~") for button in buttons(text))


def test_submitting_names_what_is_missing_and_leads_to_the_verdict(client, evaluation):
    address = reverse("submit_evaluation", args=[evaluation.pk])
    refused = client.post(address, {"key": "n:submit"}, headers=HTMX)
    assert refused.status_code == 422
    assert "Question 1 is not answered yet" in refused.content.decode()
    assert 'data-first="item-question-1"' in refused.content.decode()
    ready = ready_to_submit(project=evaluation.game.project)
    client.force_login(ready.evaluator)
    done = client.post(reverse("submit_evaluation", args=[ready.pk]), {"key": "n:submit"})
    game = ready.game
    assert (done.status_code, done["Location"]) == (
        303,
        reverse("verdict", args=[game.project.slug, game.number]),
    )
    again = client.post(reverse("submit_evaluation", args=[ready.pk]), {"key": "n:submit"}, headers=HTMX)
    assert again["HX-Redirect"] == done["Location"]


def test_skipping_wants_a_reason_and_can_be_taken_back(client, evaluation):
    address = reverse("skip_game", args=[evaluation.pk])
    assert client.post(address, {"text": ""}).status_code == 422
    assert client.post(address, {"text": "I know it"}).status_code == 303
    assert ">Resume<" in client.get(reverse("mine")).content.decode()
    assert act(client, evaluation, "question~2~0~yes").status_code == 403
    back = client.post(reverse("return_to_game", args=[evaluation.pk]))
    assert (back.status_code, back["Location"]) == (303, reverse("rate", args=[evaluation.pk]))


@pytest.mark.parametrize("message_count", [12, 60])
def test_the_page_takes_the_same_few_queries_at_every_size(client, message_count):
    evaluation = start(message_count=message_count)
    client.force_login(evaluation.evaluator)
    client.get(reverse("settings"))  # the first request of a sign-in also writes its last use
    with CaptureQueriesContext(connection) as cold:
        get_page(client, evaluation)
    with CaptureQueriesContext(connection) as warm:
        get_page(client, evaluation)
    assert len(cold) <= 10, [query["sql"][:80] for query in cold]
    assert len(warm) == 7


@pytest.mark.parametrize("message_count", [12, 60])
def test_a_save_takes_the_same_few_queries_at_every_size(client, message_count):
    evaluation = start(message_count=message_count)
    client.force_login(evaluation.evaluator)
    act(client, evaluation, "question~1~0~yes")
    with CaptureQueriesContext(connection) as queries:
        act(client, evaluation, "question~2~0~yes")
    assert len(queries) <= 17, [query["sql"][:80] for query in queries]


def test_home_shows_where_one_stopped_and_what_is_next(client, evaluation):
    text = client.get(reverse("home")).content.decode()
    assert reverse("rate", args=[evaluation.pk]) in text
    make_game(project=evaluation.game.project)
    assert "1 game is open for you" in client.get(reverse("home")).content.decode()


def test_next_game_goes_on_and_an_empty_queue_says_why(client):
    done = submitted()
    project = done.game.project
    client.force_login(done.evaluator)
    answer = client.post(reverse("next_game", args=[project.slug]), follow=True)
    assert answer.redirect_chain[-1][0] == reverse("queue", args=[project.slug])
    assert "Rated by you: 1." in answer.content.decode()
    make_game(project=project)
    taken = client.post(reverse("next_game", args=[project.slug]))
    assert taken["Location"] == reverse("rate", args=[Evaluation.objects.latest("pk").pk])


def get_steps(content):
    """Step -> (name with number, state) as the tabs show them."""
    found = re.findall(r'data-step="(\w+)"[^>]*>([^<]*)<small>([^<]*)</small>', content)
    return {key: (html.unescape(name).strip(), state) for key, name, state in found}


def test_steps_have_the_names_of_the_metrics_and_their_state(client, evaluation):
    state = load_state(evaluation)
    names = {criterion.key: criterion.label for criterion in state.rubric.criteria}
    page = get_page(client, evaluation).content.decode()
    steps = get_steps(page)
    assert steps["references"] == (f"2 {names['memory_accuracy']}", f"{len(state.judgeable.counted)} to do")
    assert steps["repetition"] == (f"6 {names['anti_repetition']}", "optional")
    assert steps["identify"] == (f"5 {names['personality_diversity']}", "optional")
    assert steps["roles"] == (f"7 {names['role_consistency']}", "after the reveal")
    assert steps["engagement"] == (f"1 {names['engagement']}", "6 to do")
    needed = 6 + len(state.judgeable.counted) + sum(len(sample) for sample in state.samples.values())
    assert f"0 of about {needed} judged" in " ".join(page.split()), "not what the rules of the roles say"
    offered = page.partition('id="offered"')[2].partition("</p>")[0]
    assert re.findall(r'data-step="(\w+)"', offered) == ["identify", "repetition"]
    assert "(optional)" not in offered


def test_references_are_done_once_the_suggested_ones_are_dismissed_in_one_act(client):
    evaluation = start(project=make_rating_project(number="1.2"), content=suggested_game())
    client.force_login(evaluation.evaluator)
    suggested = load_state(evaluation).judgeable.possible
    assert suggested
    say_what_is_missing(evaluation)
    page = get_page(client, evaluation).content.decode()
    assert get_steps(page)["references"][1] == f"{len(suggested)} suggested"
    (button,) = re.findall(r'value="(reveal~suggestions[^"]*)"', page)
    answer = act(client, evaluation, button).content.decode()
    assert get_steps(answer)["references"][1] == "done"
    assert "reveal~suggestions" not in answer
    assert not load_state(evaluation).visibility.roles
    assert act(client, evaluation, "reveal~suggestions~0~yes").status_code == 200


def test_undo_after_dismissing_suggestions_says_that_they_stay_and_takes_nothing_else_back(client):
    evaluation = start(content=suggested_game())
    client.force_login(evaluation.evaluator)
    act(client, evaluation, "question~1~0~yes")
    act(client, evaluation, "reveal~suggestions~0~yes")
    address = reverse("undo", args=[evaluation.pk])
    refused = client.post(address, {"key": "n:undo:1"}, headers=HTMX)
    assert refused.status_code == 422
    assert "Dismissed suggestions cannot be restored" in refused.content.decode()
    assert load_state(evaluation).values["question"] == {"1": "yes"}
    act(client, evaluation, "question~2~0~no")
    assert client.post(address, {"key": "n:undo:2"}, headers=HTMX).status_code == 200
    assert load_state(evaluation).values["question"] == {"1": "yes"}


def test_a_dismissal_of_suggestions_that_the_game_does_not_have_is_refused(client):
    evaluation = start(content=suggested_game())
    client.force_login(evaluation.evaluator)
    answer = act(client, evaluation, "reveal~suggestions:1.1-999.1~0~yes")
    assert answer.status_code == 422
    assert "no such suggested references" in answer.content.decode()
    assert not load_state(evaluation).revealed


def suggested_game():
    """A game in which one sentence may be about the past, or not."""
    lines = [
        ("Ann", "Good morning to all of you."),
        ("Bea", "We talked about that before."),
        ("Cid", "Fine."),
    ] * 4
    return native_game(
        players=[
            {"name": name, "role": "VILLAGER", "personality": "calm", "isAlive": True, "position": at}
            for at, name in enumerate(("Ann", "Bea", "Cid"), 1)
        ],
        messages=[native_message(at, who, text) for at, (who, text) in enumerate(lines, 1)],
    )


def test_the_bound_of_the_rating_is_said_beside_its_buttons_as_answers_come(client, evaluation):
    assert "so far 0 yes" in get_page(client, evaluation).content.decode()
    for number in range(1, 5):
        text = act(client, evaluation, f"question~{number}~0~yes").content.decode()
    assert "4 of 5 answers are yes: only a rating of 3 or more can be submitted." in text
    assert "any rating" not in text
    text = act(client, evaluation, "question~4~1~no").content.decode()
    assert "so far 3 yes" in text, "the fifth answer is missing"
    text = act(client, evaluation, "question~5~0~no").content.decode()
    assert "3 of 5 yes: any rating." in text
    assert "so far" not in text
    act(client, evaluation, "question~4~2~yes")
    low = act(client, evaluation, "rating~~0~2.0").content.decode()
    assert re.search(r'class="small pending strong" id="rating-bound"', low)


def test_saved_has_its_time_also_when_an_act_was_refused(client, evaluation):
    saved = act(client, evaluation, "question~1~0~yes")["X-Saved"]
    refused = act(client, evaluation, "coherence~999~0~yes")
    assert refused.status_code == 422
    assert f'<span class="num visually-hidden">{saved}</span>' in refused.content.decode()


def test_the_page_counts_as_many_judgements_as_the_verdict(client):
    evaluation = ready_to_submit()
    client.force_login(evaluation.evaluator)
    count = Judgement.objects.filter(evaluation=evaluation).exclude(value="").count()
    assert count > 20
    assert f"{count} of {count} judged" in " ".join(get_page(client, evaluation).content.decode().split())
    done = client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:submit"}, follow=True)
    assert f"{count} judgements of people" in done.content.decode()


def test_the_reveal_names_the_optional_steps_that_were_left_out(client):
    evaluation = start()
    client.force_login(evaluation.evaluator)
    say_what_is_missing(evaluation)
    said = " ".join(get_page(client, evaluation, "?step=roles").content.decode().split())
    assert re.findall(r">\s*(Personality diversity|Anti-repetition): \d+\s*</a>", said) == [
        "Personality diversity",
        "Anti-repetition",
    ]
    assert "You have given all blind answers" not in said
    state = load_state(evaluation)
    for player in state.judgeable.speakers:
        say(evaluation, "identify", str(player), "yes")
    said = act(client, evaluation, f"phrase~{min(state.judgeable.phrases)}~0~acceptable").content.decode()
    assert "You have given all blind answers." in " ".join(said.split())


def test_a_game_without_any_role_asks_nothing_about_roles_and_the_metric_is_not_applicable(client):
    content = game_of(12)
    for player in content["players"]:
        player["role"] = ""
    evaluation = start(content=content)
    client.force_login(evaluation.evaluator)
    assert load_verdict_preview(evaluation.game).outcome.line("role_consistency").is_by_rule
    say_what_is_missing(evaluation)
    said = " ".join(get_page(client, evaluation, "?step=roles").content.decode().split())
    assert "role consistency is not applicable" in said and "eveal the roles" not in said
    assert '<h2 class="ask" id="ask-roles">The blind part ends here</h2>' in said
    said = " ".join(act(client, evaluation, "reveal~roles~0~yes").content.decode().split())
    assert '<h2 class="ask" id="ask-roles">Nothing to judge here</h2>' in said
    assert not load_state(evaluation).visibility.missing
    client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:submit"})
    outcome = load_verdict_preview(evaluation.game).outcome
    assert outcome.line("role_consistency").is_by_rule and not outcome.missing


def test_the_last_step_says_what_would_turn_the_verdict_and_where_one_differs(client):
    evaluation = ready_to_submit()
    work = load_state(evaluation)
    machine = {
        key: value for key, value in work.machine.items() if key[0] == "coherence" and key in work.judgements
    }
    (kind, subject), value = next(iter(machine.items()))
    say(evaluation, kind, subject, "no" if value == "yes" else "yes")
    client.force_login(evaluation.evaluator)
    said = client.get(reverse("rate", args=[evaluation.pk]), {"step": "review"}).content.decode()
    turns, apart = (re.search(f'<p id="{name}">(.*?)</p>', said, re.DOTALL)[1] for name in ("turns", "apart"))
    assert verdict_turns(load_state(evaluation).own_outcome) in html.unescape(turns)
    link = f'href="{reverse("rate", args=[evaluation.pk])}?step=coherence#item-coherence-{subject}"'
    assert link in html.unescape(apart) and f">message {subject} (Conversation coherence)</a>" in apart
    assert re.search(r"differ on \d+ of \d+:", apart)


@pytest.mark.parametrize("reveal", ["never", "blind_first"])
def test_the_last_step_tells_nothing_before_it_may(client, reveal):
    evaluation = ready_to_submit(reveal=reveal) if reveal == "never" else start()
    client.force_login(evaluation.evaluator)
    said = client.get(reverse("rate", args=[evaluation.pk]), {"step": "review"}).content.decode()
    assert 'id="step-review"' in said
    assert 'id="turns"' not in said and 'id="apart"' not in said


def said(client, address):
    """A page's text."""
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def guide_of(page, step):
    """The head of a step: from its heading to the end of the fold."""
    section = re.search(rf'id="step-{step}".*?</details>', page)
    assert section, step
    return section[0]


def words_of(criterion):
    """All that a version says of how to judge a criterion."""
    questions = [] if criterion.key == "engagement" else criterion.guiding_questions
    return [criterion.description, *questions, *criterion.good_examples, *criterion.bad_examples]


def test_the_rating_page_and_the_versions_page_show_the_same_words(client):
    evaluation = start()
    client.force_login(evaluation.evaluator)
    page = said(client, reverse("rate", args=[evaluation.pk]))
    version = first("discussion")
    shown = said(client, reverse("rubric_version", args=["discussion", version.number]))
    record = version.to_record()
    assert evaluation.measured.rubric_version_id == version.pk
    for step, metric in STEP_METRICS.items():
        criterion, guide = record.criterion(metric), guide_of(page, step)
        asks = criterion.label if step == "engagement" else criterion.question
        assert f">{asks}</h2>" in guide
        for words in (criterion.question, *words_of(criterion)):
            assert words in guide or f'<p class="ask">{words}</p>' in page, (step, words)
            assert words in shown, (metric, words)
        assert "How to judge this, with examples" in guide


def test_a_step_that_is_drawn_again_has_its_guide(client):
    evaluation = ready_to_submit()
    client.force_login(evaluation.evaluator)
    stored = evaluation.judgements.get(kind="question", subject="1")
    body = {"act": f"question~1~{stored.version}~no", "nonce": "n", "step": "engagement"}
    answer = client.post(
        reverse("judge", args=[evaluation.pk]), body, headers={"HX-Request": "true"}
    ).content.decode()
    assert "How to judge" not in answer, "only what changed is drawn again"
    page = said(client, reverse("rate", args=[evaluation.pk]) + "?step=roles")
    assert "Does this message fit the role of the one who says it?" in guide_of(page, "roles")


def test_an_older_version_shows_what_it_has(client):
    project = make_rating_project()
    old = RubricVersion.objects.get(rubric__key="discussion", number="1.0")
    project.iterations.update(rubric_version=old)
    evaluation = start(project=project)
    client.force_login(evaluation.evaluator)
    page = said(client, reverse("rate", args=[evaluation.pk]))
    guide = guide_of(page, "references")
    assert "A reference to nobody in particular counts as inaccurate." in guide
    assert "Good examples" not in page and "with examples" not in page


@pytest.mark.parametrize("key", ["discussion", "response"])
def test_the_editor_asks_for_examples(client, key):
    client.force_login(make_admin())
    draft = make_draft(key=key)
    page = said(client, reverse("edit_version", args=[key, draft.number]))
    assert "Good examples, one a line" in page and "Bad examples, one a line" in page


def test_every_step_has_a_guide():
    record = discussion_version()
    guides = build_guides(record)
    assert set(guides) == set(STEP_METRICS)
    assert guides["engagement"].guiding_questions == []
    assert (
        bytes_hash(canonical_bytes(record))
        == RubricVersion.objects.get(rubric__key="discussion", number=record.version).sha256
    )
