"""Two iterations side by side: the answer first, the target with every figure behind it, the others as guardrails."""

import html
import re
from urllib.parse import urljoin

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from discussions.models import Game
from rubric.models import RubricVersion
from tests.factories.iterations import (
    PROMPT,
    decide_on,
    figures,
    get_lead,
    make_baseline,
    make_iteration,
    make_stage,
    record_figures,
)
from tests.factories.people import make_lead, make_member
from tests.factories.tampering import without_triggers
from tests.factories.transcripts import make_games_project

pytestmark = pytest.mark.django_db


def get_address(iteration, against=None):
    address = reverse("compare_iterations", args=[iteration.project.slug, iteration.number])
    return address if against is None else f"{address}?with={against}"


def get_body(client, iteration, against=None):
    client.force_login(get_lead(iteration.stage))
    answer = client.get(get_address(iteration, against))
    assert answer.status_code == 200, answer.content[:300]
    return answer.content.decode()


def get_text(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def get_part(body, region):
    """The text of one region."""
    return get_text(re.search(rf'<(\w+)[^>]*id="{region}".*?</\1>', body, re.DOTALL)[0])


def rated(*values, key="coherence", **more):
    return [figures(**{key: value}, **more) for value in values]


def pair(control, change, *, target="coherence", **given):
    """A baseline and a change with these games."""
    stage = make_stage()
    make_iteration(stage=stage, games=control)
    return make_iteration(stage=stage, games=change, target=target, **given)


def test_the_tab_does_not_say_newest_on_the_page_of_an_older_change(client):
    stage = make_stage()
    make_iteration(stage=stage, games=rated(60, 70, 80))
    older = make_iteration(stage=stage, games=rated(60, 70, 80), target="coherence")
    decide_on(iteration=older, choice="keep")
    make_iteration(stage=stage, games=rated(60, 70, 80), target="coherence")
    tabs = re.search(r'<ul class="tabs">(.*?)</ul>', get_body(client, older), re.DOTALL)[1]
    assert re.search(r'aria-current="page"[^>]*>\s*Compare\s*<', tabs)


def without_folds(body):
    """The text of what is seen before anything is unfolded, from the answer to the table of games."""
    shown = body[body.index('id="compare-answer"') : body.index('id="games"')]
    return get_text(re.sub(r"<details.*?</details>", "", shown, flags=re.DOTALL))


def test_cannot_tell_yet_comes_first_with_what_is_still_possible(client):
    change = pair(rated(60, 68, 76), rated(64, 72, 80))
    body = get_body(client, change)
    # A spread of 8 with 4 df, by hand: 4 +/- 2.776 * 8 sqrt(2/3) = -14.1 to 22.1.
    says = (
        "Can't tell yet: conversation coherence 72 against 68, "
        "anything from 14 points worse to 22 points better fits these games."
    )
    answer = get_part(body, "compare-answer")
    assert answer.startswith(says)
    assert "Stay with the earlier prompt for now, or collect games." in answer
    assert "1 of the 3 that are allowed for at this pair" in answer
    # 2 (1.645 + 0.84)^2 64 / 25 = 31.6, so 32 games each; shrunken by 0.49 / (0.49 + 2/3).
    why = get_part(body, "compare-why")
    for said in (
        "Difference as played +4.0 95 % interval −14.1 to +22.1",
        "After shrinking +1.7",
        "Exact permutation p 0.70 two-sided; 3 against 3 games cannot give less than 0.10",
        "Games needed 32 games each to see a difference of 5 points",
        "The rubric's own words: the rule says KEEP: 72.0 > 68.0.",
        "differ by a standard deviation of 8.0 (4 df from 2 groups of games)",
    ):
        assert said in why, said
    assert "Probability of better" in why and "Probability that it does not matter" in why
    assert "Conversation coherence the target named beforehand" in get_part(body, "compare-target")


def test_improved_worse_and_no_material_difference(client):
    better = get_body(client, pair(rated(60, 61, 62), rated(90, 91, 92)))
    # 30 +/- 2.776 sqrt(2/3): 27.7 to 32.3.
    says = "Better, almost certainly: conversation coherence 91 against 61, by 28 to 32 points."
    assert get_part(better, "compare-answer").startswith(says)
    assert "Keep the change." in get_part(better, "compare-answer")
    assert says in get_part(better, "decision")
    worse = get_body(client, pair(rated(90, 91, 92), rated(60, 61, 62)))
    assert get_part(worse, "compare-answer").startswith(
        "Worse, almost certainly: conversation coherence 61 against 91, by 28 to 32 points."
    )
    same = get_body(client, pair(rated(80, 80.5, 81), rated(80, 80.5, 81)))
    assert get_part(same, "compare-answer").startswith(
        "No difference that matters: conversation coherence 81 against 81, "
        "from 1 point worse to 1 point better, less than 5 points either way."
    )
    assert [re.search(r'class="answer (\w*)"', body)[1] for body in (better, worse, same)] == [
        "good",
        "bad",
        "",
    ]


def test_the_first_screen_is_free_of_the_words_of_statistics(client):
    for change in (
        pair(rated(60, 68, 76), rated(64, 72, 80)),
        pair(rated(60, 61, 62), rated(90, 91, 92)),
        pair(rated(60, 70, 80), rated(62, 71, 83), target=""),
    ):
        body = get_body(client, change)
        shown = without_folds(body)
        for word in (" df", "Holm", "does not matter", "standard deviation", "permutation", "posterior"):
            assert word not in shown, word
        assert '<details id="compare-why" open' not in body


def test_the_shrunken_estimate_is_muted_where_it_lies_outside_the_raw_interval(client):
    far = get_body(client, pair(rated(60, 61, 62), rated(90, 91, 92)))
    assert 'class="fact muted"' in far and "the games and the expected size disagree" in far
    near = get_body(client, pair(rated(60, 68, 76), rated(64, 72, 80)))
    assert 'class="fact muted"' not in near


def test_engagement_is_told_in_tenths_of_a_point(client):
    ratings = [figures(engagement=rating) for rating in (3, 3.5, 3)], [figures(engagement=5)] * 3
    body = get_body(client, pair(*ratings, target="engagement"))
    assert "engagement 5.0 against 3.2, by 1.4 to 2.3 points." in get_part(body, "compare-answer")


def test_the_other_six_are_guardrails(client):
    control = [figures(coherence=70, memory_accuracy=value) for value in (89, 90, 91)]
    change = [figures(coherence=72, memory_accuracy=value) for value in (60, 61, 62)]
    body = get_body(client, pair(control, change))
    others = get_part(body, "compare-others")
    assert "The other metrics, as guardrails" in others
    # The rubric's sentence speaks of the target alone. SD 1: 5 + 0.84 sqrt(2/3) = 5.7 points are seen.
    assert (
        "check worse a fall of 6 points is marked four times in five; without a fall, hardly ever" in others
    )
    assert "the rule says" not in others
    assert "nobody can say yet how large a fall would be marked" in others
    assert "Check memory accuracy: it probably fell by more than 5 points." in get_part(
        body, "compare-answer"
    )
    assert body.count('<td class="plot-cell">') == 6


def test_a_guardrail_that_seems_to_have_fallen_is_marked_and_says_how_little_it_takes(client):
    control = [figures(coherence=70, memory_accuracy=value) for value in (72, 80, 88)]
    change = [figures(coherence=72, memory_accuracy=value) for value in (66, 74, 82)]
    body = get_body(client, pair(control, change))
    # SD 8: 5 + 0.84 * 8 sqrt(2/3) = 10.5 points; by luck Phi(-5 / 6.5) = .22.
    says = "check can't tell yet a fall of 10 points is marked four times in five; without a fall, one time in five"
    assert says in get_part(body, "compare-others")
    assert "Check memory accuracy: it probably fell by more than 5 points." in get_part(
        body, "compare-answer"
    )


def test_without_a_target_all_seven_answer_together(client):
    body = get_body(client, pair(rated(60, 70, 80), rated(62, 71, 83), target=""))
    assert get_part(body, "compare-answer").startswith(
        "No target was named, so all 7 metrics answer together"
    )
    assert 'id="compare-target"' not in body
    assert body.count('<td class="plot-cell">') == 7


def test_every_dot_and_every_figure_opens_its_game(client):
    few = [figures(coherence=60, memory_accuracy=(3, 3)), *rated(70, 80)]
    change = pair(few, rated(62, None, 83))
    body = get_body(client, change)
    target = re.search(r'<section class="card" id="compare-target".*?</section>', body, re.DOTALL)[0]
    links = re.findall(r'<a href="([^"]+)"><path class="dot"', target)
    assert len(links) == 6 and target.count('class="hole"') == 1
    assert client.get(urljoin(get_address(change), links[0])).status_code == 200
    games = re.search(r'id="games".*?</section>', body, re.DOTALL)[0]
    assert len(re.findall(r'<a href="[^"]+#[\w-]+">', games)) == 6 * 7
    assert "100.0 not applicable" in games and "100.0 on few references" in games
    assert "1 game to which it does not apply is left out" in get_text(target).lower()


def test_games_that_are_not_rated_are_named(client):
    change = pair(rated(60, 70, 80), [None, *rated(62, 83)])
    (number, *_rest) = change.games.order_by("number").values_list("number", flat=True)
    assert f"Still open Game {number} is not rated yet" in get_part(
        get_body(client, change), "compare-answer"
    )


def test_before_a_game_is_rated_nothing_is_answered_or_proposed(client):
    change = pair(rated(66, 70, 74), [None] * 3)
    body = get_body(client, change)
    text = get_text(body)
    assert "Iteration 2 has no rated game yet; the two are compared here once it has." in text
    assert "proposed:" not in text and "Can't tell yet" not in text
    assert "Nothing is proposed before its games are rated." in text


def test_the_reference_of_the_comparison_is_played_again_also_after_a_fresh_baseline(client):
    stage = make_stage()
    make_iteration(stage=stage, games=rated(66, 70, 74))
    make_iteration(stage=stage, games=rated(76, 80, 84), decision="keep", minutes=2)
    change = make_iteration(stage=stage, games=rated(78, 82, 86), minutes=4, prompt="You play, and you win.")
    make_baseline(stage=stage, games=rated(60, 62, 64), minutes=5, name="Fresh")
    assert "Creates an iteration with the prompt of iteration 2," in get_text(get_body(client, change))


def test_a_target_that_was_the_lowest_comes_back_by_itself(client):
    control = [
        figures(coherence=value, engagement=rating) for value, rating in ((40, 4), (48, 4.5), (56, 3.5))
    ]
    lowest = get_body(client, pair(control, rated(48, 56, 64)))
    said = get_part(lowest, "compare-answer")
    # Two metrics differ, of 3 games with 2 df each: 0.564 / sqrt(3) of the SD of 8.
    assert (
        "Regression to the mean +8.0 as played, about +2.6 of it is regression to the mean: conversation coherence was"
        in said
    )
    assert "taken off before judging" in said and "Play the reference again" in get_text(lowest)
    # 5.4 +/- 2.776 * 8 sqrt(2/3).
    assert "Difference judged +5.4 95 % interval −12.7 to +23.5" in get_part(lowest, "compare-why")
    other = get_body(client, pair(control, rated(48, 56, 64), target="engagement"))
    assert "by itself" not in other


def test_any_two_iterations_of_the_stage_can_be_held_against_each_other(client):
    stage = make_stage()
    baseline = make_iteration(stage=stage, games=rated(60, 70, 80), name="First")
    second = make_iteration(stage=stage, games=rated(70, 80, 90), decision="keep", name="Second")
    third = make_iteration(stage=stage, games=rated(72, 80, 90), target="coherence", name="Third")
    body = get_body(client, third)
    assert f"Iteration {third.number} against iteration {second.number}" in body
    assert f"{second.number} Second (what it is compared with)" in get_text(body)
    assert f"{baseline.number} First (baseline)" in get_text(body)
    body = get_body(client, third, baseline.number)
    assert f"Iteration {third.number} against iteration {baseline.number}" in body
    answer = get_part(body, "compare-answer")
    assert "not counted: nothing is decided on this pair" in answer and "What to do by default" not in answer
    assert f"Iteration {baseline.number} against iteration {second.number}" in get_body(
        client, baseline, second.number
    )
    assert "A baseline has no reference. Choose an iteration above" in get_body(client, baseline)


def test_a_baseline_alone_has_nothing_to_be_compared_with(client):
    baseline = make_iteration(stage=make_stage(), games=rated(60, 70, 80))
    body = get_body(client, baseline)
    assert "There is no other iteration in this stage yet to compare it with." in body
    assert 'id="compare-answer"' not in body and "60.0" in get_part(body, "games")


def test_iterations_that_were_judged_in_different_ways_have_no_answer(client):
    stage = make_stage()
    first = make_iteration(stage=stage, games=rated(60, 70, 80))
    first.stage.iterations.filter(pk=first.pk).update(reveal="never")
    change = make_iteration(stage=stage, games=rated(62, 72, 82), target="coherence")
    stage.iterations.filter(pk=change.pk).update(reveal="alongside")
    body = get_body(client, change)
    assert "were judged in different ways" in body and 'id="compare-answer"' not in body
    assert body.count('<td class="plot-cell">') == 7


def test_iterations_under_two_rubric_versions_say_what_to_do(client):
    stage = make_stage()
    first = make_iteration(stage=stage, games=rated(60, 70, 80))
    change = make_iteration(stage=stage, games=rated(62, 72, 82), target="coherence")
    older = RubricVersion.objects.get(rubric__key="discussion", number="1.1")
    stage.iterations.filter(pk=first.pk).update(rubric_version=older)
    body = get_body(client, change)
    assert "were judged by different rubric versions" in body and 'id="compare-answer"' not in body
    assert f"If iteration {first.number} can be moved to the newer version on its page" in body


def test_the_look_is_counted_and_a_fourth_refused(client):
    stage = make_stage()
    make_iteration(stage=stage, games=rated(60, 70, 80))
    prompt = PROMPT.replace("Be brief.", "Be terse.")
    for look in (1, 2, 3):
        games = rated(60 + look, 70 + look, 80 + look)
        change = make_iteration(
            stage=stage, games=games, target="coherence", prompt=prompt, minutes=10 * look
        )
        said = get_part(get_body(client, change), "compare-answer")
        assert f"{look} of the 3 that are allowed for at this pair" in said
        assert ("played the same prompt against the same iteration" in said) == (look > 1)
        decide_on(iteration=change, choice="inconclusive", minutes=10 * look + 5)
    game = Game.objects.filter(iteration=change).first()
    record_figures(game=game, given=figures(coherence=99), minutes=50)
    body = get_body(client, change)
    assert "were compared 3 times already" in html.unescape(body) and 'id="compare-answer"' not in body


def test_what_changed_in_the_prompt_is_folded_away(client):
    change = pair(
        rated(60, 70, 80), rated(61, 70, 80), prompt=PROMPT.replace("Be brief.", "Be <b>terse</b>.")
    )
    body = get_body(client, change)
    diff = re.search(r'<details id="compare-prompt".*?</details>', body, re.DOTALL)[0]
    assert "What changed in the prompt: 1 place" in get_text(diff)
    assert "Be brief." in get_text(diff) and "<b>terse" not in diff and "&lt;b&gt;" in diff
    assert '<details id="compare-prompt" class="card tight" open' not in body


def count_queries(client, iteration):
    get_body(client, iteration)
    with CaptureQueriesContext(connection) as found:
        assert client.get(get_address(iteration)).status_code == 200
    return len(found)


def test_queries_do_not_grow_with_games_or_iterations(client):
    small = pair(rated(60, 70, 80), rated(61, 70, 80))
    stage = make_stage()
    make_iteration(stage=stage, games=rated(60, 70, 80, 85, 90))
    make_iteration(stage=stage, games=rated(60, 70, 80), decision="keep")
    large = make_iteration(stage=stage, games=rated(60, 70, 80, 81), minutes=30)
    assert count_queries(client, small) == count_queries(client, large) <= 15


def test_who_does_not_lead_the_project_knows_of_no_iteration(client):
    change = pair(rated(60, 70, 80), rated(61, 70, 80))
    for person in (make_member(project=change.project), make_lead(project=make_games_project())):
        client.force_login(person)
        assert client.get(get_address(change)).status_code == 404
    client.force_login(get_lead(change.stage))
    unsorted = reverse("compare_iterations", args=[change.project.slug, 0])
    for address, status in (
        (unsorted, 404),
        (get_address(change, change.number), 404),
        (get_address(change, 99), 404),
        (get_address(change, "x"), 400),
        (get_address(change) + "?look=2", 400),
    ):
        assert client.get(address).status_code == status, address


def test_longer_messages_are_said_beside_the_metrics_that_follow_them(client):
    change = pair(rated(60, 68, 76), rated(64, 72, 80))
    with without_triggers():
        Game.objects.filter(iteration=change).update(word_count=2 * F("word_count"))
    others = get_part(get_body(client, change), "compare-others")
    assert others.count("Follows the length of what is said: 100 % more words per message") == 2
