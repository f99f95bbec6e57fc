"""What a verdict says of this game, of the next game, and of the rating as the nearer way to turn it."""

from decimal import Decimal
from fractions import Fraction
from math import sqrt

import pytest
from msgspec.structs import replace
from scipy import stats

from discussions.adjudication.core.authorship_test import AuthorshipResult
from discussions.verdicts.core.next_game import PlayedGame, predict_next_games
from discussions.verdicts.core.rule import (
    add_binomial_flags,
    check_test,
    decide,
    find_rating_flip,
    rating_flip_steps,
)
from discussions.verdicts.pages.lines import figure_row, verdict_turns
from tests.factories.verdict_examples import APPENDIX, PASSING, RUBRIC, share, verdict, with_failing

DEPTH = "strategic_depth"
BOTH, NOTHING = "It takes both to change it:", "Nothing that people judge would change it."


def played(game, depth, prompt="mine", **scores):
    return PlayedGame(game, prompt, {DEPTH: Fraction(depth)} | scores)


def next_depth(*games, prompt="mine", scores=APPENDIX):
    """The appendix' strategic depth is 68."""
    outcome = verdict(scores)
    return outcome.line(DEPTH), predict_next_games(outcome.lines, 1, prompt, games)[DEPTH]


def test_this_game_says_what_it_was_counted_on_and_what_would_turn_it():
    rows = {line.key: figure_row(line) for line in verdict(APPENDIX).lines}
    said = {key: (row.count, row.flips) for key, row in rows.items()}
    assert said[DEPTH] == ("34 of 50 messages strategic", "5 messages")
    assert [said[key][1] for key in ("anti_repetition", "personality_diversity")] == ["nothing"] * 2
    assert said["engagement"][1] == "under 3.0"
    failing = figure_row(verdict(with_failing(DEPTH)).line(DEPTH))
    assert failing.flips.endswith("messages")
    assert figure_row(verdict(APPENDIX, rating="2.5").line("engagement")).flips == "3.0 or more"


def test_a_score_from_fewer_than_five_references_says_on_how_many_it_rests():
    few = verdict(PASSING | {"memory_accuracy": share(4, 4)}).line("memory_accuracy")
    assert figure_row(few).count.endswith(", only 4 references")
    enough = verdict(PASSING | {"memory_accuracy": share(5, 5)}).line("memory_accuracy")
    assert "only" not in figure_row(enough).count


def test_the_next_game_follows_from_the_games_under_the_same_prompt():
    """58, 68 and 78 have 200 around their mean; half a game of SD 8: s^2 = (32 + 200) / 2.5 with 2.5 df."""
    line, found = next_depth(played(1, 68), played(2, 58), played(3, 78), played(4, 20, "other"))
    half = stats.t.ppf(0.975, 2.5) * sqrt(232 / 2.5) * sqrt(4 / 3)
    assert (found.count, found.other_count, found.high) == (3, 0, 100)
    assert found.low == pytest.approx(68 - half)
    assert figure_row(line, found).next_game == (
        "28.2 to 100.0\u00a0%, by 3 games under this prompt; so it may fail"
    )


def test_alone_under_its_prompt_a_game_takes_the_spread_of_other_prompts():
    """Deviations 1 and -1 in four batches: 8 with 4 df. The 50 messages of this game alone have an SD of 6.6."""
    others = [played(10 + n, 70 + (1 if n % 2 else -1), f"other {n // 2}") for n in range(8)]
    line, found = next_depth(*others)
    spread = stats.t.ppf(0.975, 4.5) * sqrt((32 + 8) / 4.5)
    least = stats.norm.ppf(0.975) * sqrt(68 * 32 / 50)
    assert (found.count, found.other_count) == (1, 8) and least > spread
    assert found.low == pytest.approx(68 - least * sqrt(2))
    assert figure_row(line, found).next_game == (
        "49.7 to 86.3\u00a0%, by the spread of 8 games under other prompts; so it may fail"
    )


def test_games_that_are_alike_by_chance_do_not_narrow_the_next_below_what_messages_do():
    """Three games of 14 messages, SD 1.4 by luck: messages alone have an SD of 12.5."""
    line = replace(verdict(APPENDIX).line(DEPTH), numerator=9, denominator=14, score=64.3)
    others = [PlayedGame(at, "mine", {DEPTH: Fraction(score)}) for at, score in enumerate((66, 67), start=2)]
    found = predict_next_games([line], 1, "mine", others)[DEPTH]
    assert (round(found.low), round(found.high)) == (37, 94)


def test_other_prompts_moderate_the_spread_of_this_one():
    alike = [played(2, 66), played(3, 70)]
    others = [played(10 + n, 70 + (15 if n % 2 else -15), f"other {n // 2}") for n in range(8)]
    (_line, alone), (line, moderated) = (
        next_depth(played(1, 68), *alike),
        next_depth(played(1, 68), *alike, *others),
    )
    assert moderated.low < alone.low
    assert (
        "by 3 games under this prompt and the spread of 8 under other prompts"
        in figure_row(line, moderated).next_game
    )
    prior = (32 + 4 * 450) / 4.5
    half = stats.t.ppf(0.975, 6.5) * sqrt((4.5 * prior + 8) / 6.5) * sqrt(4 / 3)
    assert moderated.low == pytest.approx(68 - half)


def test_the_next_game_is_unknown_until_two_games_are_played():
    line, found = next_depth(played(1, 68), played(9, 40, "other"))
    assert figure_row(line, found).next_game == "unknown until two games under one prompt have a verdict"
    line, found = next_depth(played(1, 68), played(2, 68))
    assert found.high - found.low > 20, "two equal scores do not say that all are"


def test_unsorted_games_are_no_batch_of_one_prompt():
    _line, found = next_depth(played(2, 40), played(3, 60), prompt="")
    assert (found.count, found.other_count) == (1, 2)


def test_a_metric_that_does_not_apply_has_no_next_game():
    outcome = verdict(PASSING | {"memory_accuracy": share(0, 0, is_applicable=False)})
    assert "memory_accuracy" not in predict_next_games(outcome.lines, 1, "mine", [])


@pytest.mark.parametrize(
    ("rating", "threshold", "raters", "steps"),
    [
        ("3.0", "3.0", 1, 1),
        ("3.5", "3.0", 1, 2),
        ("2.5", "3.0", 1, 1),
        ("3.0", "3.0", 3, 1),
        ("10/3", "3.0", 3, 3),
        ("17/6", "3.0", 3, 1),
        ("5.0", "1.0", 1, None),
        ("4.5", "5.0", 1, 1),
        ("5.0", "5.0", 1, 1),
        ("1.5", "1.5", 1, 1),
        ("1.0", "1.0", 1, None),
        ("1.0", "1.0", 3, None),
        ("4.5", "5.5", 1, None),
    ],
)
def test_the_half_points_that_bring_the_mean_to_the_other_side(rating, threshold, raters, steps):
    assert rating_flip_steps(Fraction(rating), Fraction(threshold), raters) == steps


@pytest.mark.parametrize(
    ("scores", "rating", "cost", "says"),
    [
        (
            APPENDIX,
            "3.0",
            "1.20",
            "5 different judgements would change it, or half a point less in the rating.",
        ),
        (
            APPENDIX,
            "4.0",
            "1.20",
            "5 different judgements would change it, or 1.5 points less in the rating.",
        ),
        (
            PASSING,
            "5.0",
            "1.20",
            "different judgements would change it, or 2.5 points less in the rating.",
        ),
        (PASSING, "2.5", "1.20", ", but half a point more in the rating would."),
        (with_failing("coherence", DEPTH), "2.5", "1.20", ", but half a point more in the rating would."),
        (
            with_failing("coherence", DEPTH, "anti_repetition"),
            "2.5",
            "1.20",
            "It takes both to change it: half a point more in the rating and 60 different judgements.",
        ),
        (with_failing("coherence", DEPTH, "anti_repetition"), "3.5", "1.20", "would change it."),
        (PASSING, "2.5", "9.00", "the cost decides."),
    ],
)
def test_the_rating_is_named_where_it_is_the_nearer_way(scores, rating, cost, says):
    assert verdict_turns(verdict(scores, rating=rating, cost=cost)).endswith(says)


@pytest.mark.parametrize(
    ("mandatory", "needed", "failing", "rating", "says"),
    [
        ("coherence", 4, ["coherence"], "2.5", "70 different judgements would change it."),
        ("coherence", 4, ["coherence"], "3.5", "70 different judgements would change it."),
        ("coherence", 7, ["coherence"], "2.5", f"{BOTH} half a point more in the rating and 70 different"),
        ("", 7, [DEPTH], "2.5", f"{BOTH} half a point more in the rating and 60 different judgements."),
        ("", 7, [DEPTH], "3.5", "60 different judgements would change it."),
        ("", 7, [], "2.5", "No judgement of messages or references would change it, but half a point more"),
        ("engagement", 7, ["anti_repetition"], "2.5", NOTHING),
        ("anti_repetition", 4, ["anti_repetition"], "3.5", NOTHING),
        ("", 6, ["personality_diversity"], "3.0", "21 different judgements would change it, or half a point"),
        ("coherence", 1, [], "3.0", "31 different judgements would change it."),
    ],
)
def test_a_verdict_is_turned_by_judgements_by_the_rating_by_both_or_by_nothing(
    mandatory, needed, failing, rating, says
):
    criteria = [replace(each, is_mandatory=each.key == mandatory) for each in RUBRIC.criteria]
    rubric = replace(RUBRIC, criteria=criteria, parameters=RUBRIC.parameters | {"pass_count": needed})
    outcome = decide(with_failing(*failing), Fraction(rating), Decimal("1.20"), rubric)
    assert verdict_turns(outcome).startswith(says)


def test_a_rating_that_is_farther_than_the_judgements_is_not_named():
    scores = with_failing("coherence", "anti_repetition") | {DEPTH: share(60, 100)}
    outcome = verdict(scores, rating="4.5")
    assert (outcome.flip_distance, find_rating_flip(outcome, 1)) == (1, 4)
    assert verdict_turns(outcome) == "1 different judgement would change it."


def test_of_several_raters_half_a_point_of_one_is_enough():
    assert verdict_turns(verdict(APPENDIX, rating="3.0"), 3).endswith(
        "or half a point less in the sum of 3 ratings."
    )


def test_a_rating_that_is_not_known_flips_nothing():
    waiting = verdict(PASSING, rating=None)
    assert waiting.line("engagement").denominator == 0
    assert find_rating_flip(waiting, 1) is None
    rated = verdict(PASSING, rating="3.5")
    unrated = replace(rated, lines=[line for line in rated.lines if line.key != "engagement"])
    assert (find_rating_flip(rated, 1), find_rating_flip(unrated, 1)) == (2, None)


def test_metrics_that_fail_are_what_a_fail_needs():
    """Two more must pass: the two failing ones that are nearest, however near a passing one is."""
    scores = with_failing("role_consistency") | {
        "coherence": share(69, 100),
        DEPTH: share(58, 100),
        "memory_accuracy": share(80, 100),
    }
    found = replace_needed(verdict(scores))
    assert (found.passes, found.flip_distance) == (False, 3)


def replace_needed(outcome):
    """The same as if all but one of the metrics had to pass."""
    rubric = replace(RUBRIC, parameters=RUBRIC.parameters | {"pass_count": 6})
    scores = {
        line.key: share(line.numerator, line.denominator)
        for line in outcome.lines
        if line.key != "engagement"
    }
    return decide(scores, Fraction("3.5"), Decimal("1.20"), rubric)


def test_a_test_that_guessing_passes_once_in_twenty_is_not_passed():
    assert not check_test(AuthorshipResult(1, 1, 20), decides=True).passes
    assert check_test(AuthorshipResult(1, 1, 21), decides=True).passes


def test_an_interval_of_old_bases_holds_its_upper_end_alone():
    line = verdict(PASSING).line("coherence")
    low, high = add_binomial_flags(verdict(PASSING)).line("coherence").interval
    for threshold, passes, turns in ((low, True, False), (low + 0.1, True, True), (high, False, True)):
        turned = replace(verdict(PASSING), lines=[replace(line, threshold=threshold, passes=passes)])
        assert add_binomial_flags(turned).lines[0].could_go_other_way is turns
    empty = verdict(PASSING | {"coherence": share(0, 0)})
    assert add_binomial_flags(empty).line("coherence") == empty.line("coherence")


def test_a_metric_that_people_fail_falls_short_by_nothing_where_its_score_would_do():
    check = check_test(AuthorshipResult(0, 12, 6), decides=True)
    waiting = share(0, 1, is_pending=True)
    for score in (share(9, 10), waiting):
        outcome = verdict(PASSING | {"personality_diversity": score}, manual_check=check)
        assert [(found.key, found.shortfall) for found in outcome.recommendations] == [
            ("personality_diversity", 0.0)
        ]
    low = verdict(PASSING | {"personality_diversity": share(4, 10)}, manual_check=check)
    assert [found.shortfall for found in low.recommendations] == [pytest.approx(0.1)]
