"""How far the machine is right, from the audit sample: by hand, against independent figures, and in any order.

What became of blind answers once the automatic value was shown: by hand, and what takes no part.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.adjudication.core.judgeable import audit_sample
from discussions.reliability.core.accuracy import (
    APART,
    ASKED,
    AWAY,
    CHECKS,
    ELSEWHERE,
    OBJECTIONS,
    PHRASES,
    REFERENCES,
    SHARES,
    STAYED,
    TO_MACHINE,
    TOGETHER,
    TOWARD,
    AutomaticValues,
    SubmittedAnswer,
    SubmittedEvaluation,
    compute_accuracy,
    iter_answers,
)
from discussions.reliability.core.crosstab import (
    MOST_CASES,
    CellShare,
    CrossedAnswer,
    Tally,
    compute_interval_over_games,
)
from tests.workspace.statistics.jackknife import jackknife_over_groups
from workspace.statistics.means import wilson

DEPTH, ROLE = "strategic_depth", "role_consistency"


# Twelve messages: the machine calls the odd ones strategic.
MACHINE = {(DEPTH, str(position)): "yes" if position % 2 else "no" for position in range(1, 13)}


NOTHING = AutomaticValues(values={}, references={}, phrases={}, passes=None)


def evaluated(*, said=(), sample=(), automatic=None, values=None, message_count=12, **changes):
    """One evaluation; `said` are (kind, subject, blind value) or with a value that followed."""
    automatic = automatic or AutomaticValues(values=values or MACHINE, references={}, phrases={}, passes=None)
    given = {
        "game": 1,
        "evaluator": 7,
        "evaluation": 70,
        "rubric_version": 1,
        "code_version": "1.0.0",
        "samples": dict.fromkeys((DEPTH, "coherence", ROLE), frozenset(sample)),
        "drawn_from": dict.fromkeys((DEPTH, "coherence", ROLE), message_count),
        "revealed": frozenset(),
        **changes,
    }
    judged = [SubmittedAnswer(kind, subject, rest[-1], rest[0]) for kind, subject, *rest in said]
    return SubmittedEvaluation(automatic=automatic, answers=judged, **given)


def make_depth(*many):
    (version,) = compute_accuracy(many).versions
    return version.table(DEPTH)


def by_hand():
    """Machine yes on 1 3 5, no on 2 4; people say yes to 1 3 2 blind. And two overrides outside of the sample."""
    return evaluated(
        sample=(1, 2, 3, 4, 5),
        said=[
            *((DEPTH, position, "yes") for position in ("1", "2", "3")),
            (DEPTH, "4", "no", "yes"),  # changed afterwards: the blind answer counts
            (DEPTH, "5", "no"),
            (DEPTH, "7", "no"),
            (DEPTH, "9", "", "no"),
        ],
    )


def test_a_game_of_twelve_messages_by_hand():
    table = make_depth(by_hand())
    cells = {(cell.row, cell.column): cell.count for cell in table.cells}
    assert cells == {("yes", "yes"): 2, ("yes", "no"): 1, ("no", "yes"): 1, ("no", "no"): 1}
    told = {rate.name: (rate.numerator, rate.denominator) for rate in table.rates}
    assert told == {
        "precision": (2, 3),
        "recall": (2, 3),
        "specificity": (1, 2),
        "by_people": (3, 5),
        "by_machine": (3, 5),
    }
    # Wilson 2 of 3: centre (2/3 + 3.8415/6)/(1 + 3.8415/3) = .5731, half .3653, worked out on paper.
    assert table.rate("precision").interval == pytest.approx((20.77, 93.85), abs=0.01)
    assert table.rate("precision").value == pytest.approx(66.667, abs=0.001)
    assert table.rate("precision").over_games is None
    assert "Games can be compared from 3 on; there are 1." in table.rate("precision").over_games_reason
    assert (table.games, table.evaluators, table.evaluations, table.total) == (1, 1, 1, 5)
    false = next(cell for cell in table.cells if (cell.row, cell.column) == ("yes", "no"))
    assert [(case.game, case.message, case.evaluator) for case in false.cases] == [(1, 5, 7)]


@pytest.mark.parametrize(
    ("over", "of", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3 (the score interval).
        (81, 263, 25.53, 36.62),
        (15, 148, 6.24, 16.05),
        (0, 20, 0.00, 16.11),
        (1, 29, 0.61, 17.18),
    ],
)
def test_intervals_are_those_of_the_literature(over, of, low, high):
    said = [(DEPTH, str(position), "yes" if position <= over else "no") for position in range(1, of + 1)]
    values = {(DEPTH, str(position)): "yes" for position in range(1, of + 1)}
    table = make_depth(evaluated(said=said, sample=range(1, of + 1), values=values, message_count=of))
    rate = table.rate("precision")
    assert (rate.numerator, rate.denominator) == (over, of)
    assert rate.interval == pytest.approx((low, high), abs=0.006)


def test_without_a_blind_answer_nothing_counts():
    alongside = evaluated(sample=(1, 2), said=[(DEPTH, "1", "", "yes"), (DEPTH, "2", "", "no")])
    (version,) = compute_accuracy([alongside]).versions
    assert (version.evaluations, version.blind_evaluations) == (1, 0)
    assert version.tables and all(not table.total for table in version.tables)
    assert version.table(DEPTH).rate("recall").value is None
    assert version.table(DEPTH).rate("recall").interval is None


def test_each_evaluator_counts_on_a_message_that_several_drew():
    other = evaluated(sample=(1, 2), said=[(DEPTH, "1", "no")], evaluator=8, evaluation=80)
    table = make_depth(by_hand(), other)
    assert (table.count("yes", "yes"), table.count("yes", "no")) == (2, 2)
    assert (table.games, table.evaluators, table.evaluations) == (1, 2, 2)


def test_a_sampled_message_stands_for_as_many_as_it_was_drawn_from():
    """5 of 20 messages, 4 right; 10 of 200, 2 right: (4 * 4 + 2 * 20) / (5 * 4 + 10 * 20) = 56 / 220."""
    values = {(DEPTH, str(position)): "yes" for position in range(1, 201)}

    def game(number, size, right, count):
        said = [(DEPTH, str(at), "yes" if at <= right else "no") for at in range(1, size + 1)]
        sample = range(1, size + 1)
        return evaluated(
            game=number, evaluation=number, said=said, sample=sample, values=values, message_count=count
        )

    rate = make_depth(game(1, 5, 4, 20), game(2, 10, 2, 200)).rate("precision")
    assert (rate.numerator, rate.denominator) == (6, 15)
    assert rate.weighted == pytest.approx(100 * 56 / 220)


def test_versions_are_kept_apart_the_newest_first():
    more = [
        evaluated(said=[(DEPTH, "1", "yes")], sample=(1,), rubric_version=rubric, code_version=code)
        for rubric, code in ((1, "1.0.0"), (2, "1.0.0"), (2, "1.1.0"))
    ]
    figures = compute_accuracy(more)
    assert [(version.rubric_version, version.code_version) for version in figures.versions] == [
        (2, "1.1.0"), (2, "1.0.0"), (1, "1.0.0"),
    ]  # fmt: skip
    assert figures.evaluations == 3
    assert [version.table(DEPTH).total for version in figures.versions] == [1, 1, 1]


def test_role_consistency_has_its_sample_and_every_objection():
    values = {(ROLE, "1"): "consistent", (ROLE, "2"): "inconsistent", (ROLE, "3"): "inconsistent",
              (ROLE, "4"): "not_assessable", (ROLE, "5"): "consistent"}  # fmt: skip
    said = [(ROLE, "1", "consistent"), (ROLE, "2", "consistent"), (ROLE, "3", "inconsistent"),
            (ROLE, "4", "consistent"), (ROLE, "5", "not_assessable")]  # fmt: skip
    (version,) = compute_accuracy([evaluated(said=said, sample=(1, 2, 4, 5), values=values)]).versions
    sample = version.table(ROLE)
    assert sample.total == 4
    told = {rate.name: (rate.numerator, rate.denominator) for rate in sample.rates}
    assert told["precision"] == (1, 1)
    assert told["recall"] == (1, 2)
    assert told["by_people"] == (2, 2)
    objections = version.table(OBJECTIONS)
    assert (objections.count("inconsistent", "inconsistent"), objections.total) == (1, 2)


def test_references_kept_taken_in_and_missed_and_what_the_record_said():
    found = AutomaticValues(
        values={},
        references={
            "1.1": (True, "supported"),
            "2.1": (True, "supported"),
            "3.1": (True, "close"),
            "4.1": (True, "cannot_check"),
            "5.1": (False, "cannot_check"),
            "6.1": (False, "close"),
        },
        phrases={},
        passes=None,
    )
    said = [
        ("reference", "1.1", "accurate"),
        ("reference", "2.1", "vague", "accurate"),
        ("reference", "3.1", "inaccurate"),
        ("reference", "4.1", "not_a_reference"),
        ("reference", "5.1", "accurate"),
        ("missed", "9.2", "yes"),
        ("reference", "9.2", "accurate"),
        ("missed", "10.1", "yes"),
        ("reference", "10.1", "not_a_reference"),
    ]
    (version,) = compute_accuracy([evaluated(said=said, automatic=found)]).versions
    told = {rate.name: (rate.numerator, rate.denominator) for rate in version.table(REFERENCES).rates}
    assert told == {"precision": (3, 4), "recall": (3, 5), "wide_recall": (4, 5)}
    checks = version.table(CHECKS)
    assert {(cell.row, cell.column): cell.count for cell in checks.cells} == {
        ("supported", "accurate"): 1,
        ("supported", "vague"): 1,
        ("close", "inaccurate"): 1,
        ("cannot_check", "accurate"): 1,
    }
    told = {rate.name: (rate.numerator, rate.denominator) for rate in checks.rates}
    assert told["supported_accurate"] == (1, 2)
    assert told["close_wrong"] == (1, 1)
    assert told["by_machine"] == (3, 4)


def test_phrases_stand_unless_they_were_accepted_and_checks_stand_beside_the_machine():
    found = AutomaticValues(
        values={}, references={}, phrases={"3|i think that": 2, "1|we all know": 5}, passes=True
    )
    said = [("phrase", "3|i think that", "acceptable")]
    (version,) = compute_accuracy([evaluated(said=said, automatic=found, identified=(False, False))]).versions
    table = version.table(PHRASES)
    assert (table.count("repeated", "stands"), table.count("repeated", "acceptable")) == (1, 1)
    assert [case.message for cell in table.cells for case in cell.cases] == [2, 5]
    assert version.table(ASKED).count("passes", "fails") == 1


def test_leaving_out_games_is_the_jackknife_over_groups():
    rng = random.Random(4)
    hits = [(game, rng.random() < 0.4 + 0.08 * game) for game in range(6) for _n in range(9 + game)]
    sums = [
        (sum(hit for game, hit in hits if game == number), sum(game == number for game, _hit in hits))
        for number in range(6)
    ]
    over, of = sum(number for number, _of in sums), sum(number for _over, number in sums)
    expected = jackknife_over_groups(
        [game for game, _hit in hits], lambda kept: sum(hits[at][1] for at in kept) / len(kept)
    )
    found, reason = compute_interval_over_games(sums, wilson(over, of))
    low, high = wilson(over, of)
    assert found == pytest.approx((min(low, 100 * expected[0]), max(high, 100 * expected[1])))
    assert found[0] < low - 1
    assert reason == ""
    assert compute_interval_over_games([(5, 5)] * 4, wilson(20, 20))[0] == wilson(20, 20)


def test_only_the_newest_cases_are_kept_and_all_are_counted():
    tally = Tally("x")
    numbers = list(range(1, 1201))
    random.Random(1).shuffle(numbers)
    for game in numbers:
        tally.add(CrossedAnswer("x", "yes", "no", game, 1, 1, game))
    (cell,) = tally.table([CellShare("none", (("no", "no"),), (("no", "*"),))]).cells
    assert cell.count == 1200
    assert [case.game for case in cell.cases] == list(range(1200, 1200 - MOST_CASES, -1))


PEOPLE = st.sampled_from((1, 2, 3))


ANSWERS = st.dictionaries(st.integers(1, 12), st.sampled_from(("yes", "no")), max_size=8)


@st.composite
def teams(draw):
    """Evaluations of a few games by a few people, with a reading of coherence too."""
    found = []
    for number, (game, person, blind) in enumerate(
        draw(st.lists(st.tuples(st.integers(1, 4), PEOPLE, ANSWERS), max_size=8))
    ):
        said = [(DEPTH, str(position), value) for position, value in blind.items()]
        size = draw(st.integers(1, 12))
        found.append(
            evaluated(
                game=game,
                evaluator=person,
                evaluation=number,
                said=said,
                sample=range(1, size + 1),
                message_count=draw(st.integers(12, 40)),
            )
        )
    return found


@given(teams(), st.randoms(use_true_random=False))
def test_in_whichever_order_evaluations_come_the_figures_are_the_same(team, rng):
    before = compute_accuracy(team)
    mixed = list(team)
    rng.shuffle(mixed)
    assert compute_accuracy(mixed) == before


@given(teams())
def test_cells_add_up_to_what_was_judged_and_shares_to_their_cells(team):
    for version in compute_accuracy(team).versions:
        table = version.table(DEPTH)
        assert table.total == sum(answer.part == DEPTH for member in team for answer in iter_answers(member))
        yes, no = (table.count(*cell) for cell in (("yes", "yes"), ("no", "yes")))
        assert table.rate("recall").denominator == yes + no
        assert table.rate("by_people").denominator == table.total
        assert {rate.name for rate in table.rates} == {share.name for share in SHARES[DEPTH]}
        for rate in table.rates:
            if rate.over_games is not None:
                assert rate.over_games[0] <= rate.interval[0]
                assert rate.over_games[1] >= rate.interval[1]


SHOWN = frozenset({f"metric:{DEPTH}", f"metric:{ROLE}"})


def anchoring(metric, *many):
    (version,) = compute_accuracy(many).versions
    return next(tally for tally in version.anchoring if tally.metric == metric)


def moved(game=1, evaluator=7, toward=2, apart=4, away=1, together=5, **changes):
    """Of `apart` answers `toward` went to the machine's, of `together` `away` left it. Odd messages are its yes."""
    said, odd, even = [], iter(range(1, 200, 2)), iter(range(2, 200, 2))
    for number in range(apart):
        said.append((DEPTH, str(next(odd)), "no", "yes" if number < toward else "no"))
    for number in range(together):
        said.append((DEPTH, str(next(even)), "no", "yes" if number < away else "no"))
    values = {(DEPTH, str(position)): "yes" if position % 2 else "no" for position in range(1, 200)}
    return evaluated(
        game=game, evaluator=evaluator, evaluation=game, said=said, values=values, revealed=SHOWN, **changes
    )


def test_the_index_by_hand():
    found = anchoring(DEPTH, moved())
    told = {(cell.row, cell.column): cell.count for cell in found.table.cells}
    assert told == {(APART, TO_MACHINE): 2, (APART, STAYED): 2, (TOGETHER, AWAY): 1, (TOGETHER, STAYED): 4}
    assert found.table.rate(TOWARD).value == 50
    assert found.table.rate(AWAY).value == 20
    assert found.index == 30
    assert found.over_games is None


def test_the_interval_is_newcombes_published_one():
    """56/70 less 48/80: 0.20, 0.0524 to 0.3339 (Newcombe, Statistics in Medicine 17, 1998, 873-890, table II, 10)."""
    found = anchoring(DEPTH, moved(toward=56, apart=70, away=48, together=80))
    assert found.index == pytest.approx(20)
    assert found.interval == pytest.approx((5.24, 33.39), abs=0.01)


def test_leaving_out_games_by_hand():
    """Indices without game 1, 2, 3 are worked out here one by one; t(.975, 2) = 4.3027."""
    games = [(1, 4, 0, 4), (2, 4, 1, 4), (4, 4, 0, 4)]
    found = anchoring(
        DEPTH,
        *(
            moved(game=number, toward=toward, apart=apart, away=away, together=together)
            for number, (toward, apart, away, together) in enumerate(games, start=1)
        ),
    )
    without = [6 / 8 - 1 / 8, 5 / 8 - 0, 3 / 8 - 1 / 8]
    mean = sum(without) / 3
    half = 4.30265 * (2 / 3 * sum((value - mean) ** 2 for value in without)) ** 0.5
    assert found.index == pytest.approx(100 * (7 / 12 - 1 / 12))
    assert found.over_games == pytest.approx((100 * (0.5 - half), 100 * min(1.0, 0.5 + half)), abs=0.01)


def test_everybody_has_their_own_counts():
    found = anchoring(DEPTH, moved(), moved(game=2, evaluator=9, toward=0, apart=1, away=0, together=3))
    assert [
        (person.evaluator, person.toward, person.apart, person.away, person.together)
        for person in found.people
    ] == [
        (7, 2, 4, 1, 5),
        (9, 0, 1, 0, 3),
    ]
    assert found.table.rate(TOWARD).denominator == sum(person.apart for person in found.people)


def test_what_was_never_shown_and_what_was_not_blind_takes_no_part():
    hidden = evaluated(said=[(DEPTH, "1", "no", "yes")], sample=(1,))
    seen = evaluated(said=[(DEPTH, "1", "", "yes")], revealed=SHOWN)
    found = anchoring(DEPTH, hidden, seen)
    assert (found.table.total, found.index, found.interval) == (0, None, None)


def test_taking_an_override_back_is_taking_the_machines_word():
    said = [(DEPTH, "1", "no", ""), (DEPTH, "3", "yes", "")]
    found = anchoring(DEPTH, evaluated(said=said, values=MACHINE, revealed=SHOWN))
    assert (found.table.count(APART, TO_MACHINE), found.table.count(TOGETHER, STAYED)) == (1, 1)


def test_a_third_label_is_neither():
    values = {(ROLE, "1"): "consistent", (ROLE, "2"): "consistent"}
    said = [(ROLE, "1", "inconsistent", "not_assessable"), (ROLE, "2", "consistent", "not_assessable")]
    found = anchoring(ROLE, evaluated(said=said, values=values, revealed=SHOWN))
    assert (found.table.count(APART, ELSEWHERE), found.table.count(TOGETHER, AWAY)) == (1, 1)
    assert found.index == -100


def test_of_the_vote_record_only_support_has_a_direction():
    references = {"1.1": (True, "supported"), "2.1": (True, "close"), "3.1": (True, "supported"),
                  "4.1": (True, "supported")}  # fmt: skip
    found = AutomaticValues(values={}, references=references, phrases={}, passes=None)
    said = [
        ("reference", "1.1", "vague", "accurate"),
        ("reference", "2.1", "accurate", "inaccurate"),
        ("reference", "3.1", "accurate", "accurate"),
        ("reference", "4.1", "vague", "accurate"),
    ]
    shown = frozenset({"reference:1.1", "reference:2.1", "reference:3.1"})
    table = anchoring("reference", evaluated(said=said, automatic=found, revealed=shown)).table
    assert {(cell.row, cell.column): cell.count for cell in table.cells} == {
        (APART, TO_MACHINE): 1,
        (TOGETHER, STAYED): 1,
    }


pytestmark = pytest.mark.slow


SENSITIVITY, SPECIFICITY, PREVALENCE = 0.8, 0.7, 0.4


PRECISION = 100 * 0.32 / (0.32 + 0.18)


RECALL = 100 * SENSITIVITY


# How often a person who reads on comes upon a wrong yes of the machine, and upon a wrong no.
NOTICED = {"yes": 0.5, "no": 0.15}


def game(rng, number, *, prevalence=PREVALENCE):
    """What is true of each message, and what the machine says of it."""
    count = rng.choice((20, 40, 80, 160))
    true, machine = {}, {}
    for position in range(1, count + 1):
        true[position] = rng.random() < prevalence
        right = rng.random() < (SENSITIVITY if true[position] else SPECIFICITY)
        machine[DEPTH, str(position)] = "yes" if true[position] == right else "no"
    sample = audit_sample(f"{number}", DEPTH, count)
    said = [(DEPTH, str(position), "yes" if true[position] else "no") for position in sample]
    return true, evaluated(
        game=number, evaluation=number, said=said, sample=sample, values=machine, message_count=count
    )


def overridden(rng, true, evaluation):
    """(yes that stand, yes, people's yes) as whoever looks at overrides alone would count them."""
    stands = yes = people = 0
    for (_metric, subject), machine in evaluation.automatic.values.items():
        is_true = true[int(subject)]
        is_noticed = (machine == "yes") != is_true and rng.random() < NOTICED[machine]
        after = ("no" if machine == "yes" else "yes") if is_noticed else machine
        stands += machine == after == "yes"
        yes += machine == "yes"
        people += after == "yes"
    return stands, yes, people


def test_samples_are_unbiased_and_overrides_are_not():
    precision, recall, by_overrides = [], [], []
    for seed in range(200):
        rng = random.Random(seed)
        games = [game(rng, 1000 * seed + number) for number in range(1, 13)]
        (version,) = compute_accuracy(evaluation for _true, evaluation in games).versions
        precision.append(version.table(DEPTH).rate("precision").value)
        recall.append(version.table(DEPTH).rate("recall").value)
        counted = [overridden(rng, true, evaluation) for true, evaluation in games]
        stands, yes, people = (sum(column) for column in zip(*counted, strict=True))
        by_overrides.append((100 * stands / yes, 100 * stands / people))
    # The spread of one estimate is 6 points, that of the mean of 200 below half a point.
    assert sum(precision) / 200 == pytest.approx(PRECISION, abs=1.2)
    assert sum(recall) / 200 == pytest.approx(RECALL, abs=1.2)
    assert sum(evaluation for evaluation, _two in by_overrides) / 200 > PRECISION + 10
    assert sum(two for _one, two in by_overrides) / 200 > RECALL + 8


def test_where_games_differ_the_interval_over_games_holds_the_truth_and_wilsons_does_not():
    """The share of yes differs between games (0.1 to 0.9, mean 0.5): eight games, 400 times."""
    held = {"wilson": 0, "games": 0}
    for seed in range(400):
        rng = random.Random(seed)
        games = [
            game(rng, 1000 * seed + number, prevalence=rng.uniform(0.1, 0.9))[1] for number in range(1, 9)
        ]
        rate = compute_accuracy(games).versions[0].table(DEPTH).rate("by_people")
        held["wilson"] += rate.interval[0] <= 50 <= rate.interval[1]
        held["games"] += rate.over_games[0] <= 50 <= rate.over_games[1]
    assert held["games"] / 400 > 0.92
    assert held["wilson"] / 400 < 0.85
