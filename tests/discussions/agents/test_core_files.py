"""Figures of agents against others of the same role: what counts, whose judgement, intervals over games, moments."""

import numpy as np
import pytest
from msgspec.structs import replace

from discussions.adjudication.core.effective import Effective
from discussions.agents.core.categories import Code, compute_agreement, count_shares, find_roots, merge_codes
from discussions.agents.core.files import (
    AGENT,
    BETTER,
    FEW,
    ITERATION,
    MODEL,
    MOST_FILES,
    UNCLEAR,
    WON,
    WORSE,
    Seat,
    compute_files,
    list_seats,
)
from discussions.core.records import (
    GameRecord,
    Measurement,
    Message,
    MessageFinding,
    PhraseFinding,
    Player,
    PlayerFinding,
    ReferenceFinding,
)
from discussions.history.core.weak_spots import ExaminedGame, Speaker, Spot

ROLES = {"mafia": ["mafia", "werewolf"], "village": ["villager", "seer"]}


def seat(game, name="Ada", role="mafia", *, spots=None, **counts):
    known = {measure: (right, of, 0) for measure, (right, of) in counts.items()}
    names = {AGENT: name, MODEL: "", ITERATION: ""}
    return Seat(game, names, role, 10, known, spots or {})


def spot(kind="coherence", game=1, message=1, **more):
    return Spot(
        kind, game, message, Speaker("Ada", "mafia", ""), "text", "", **{"is_by_people": False, **more}
    )


TEXTS = [
    ("Ada", "As I said before, we voted for Bo. I never lie."),
    ("Bo", "Turnips grow slowly, turnips grow slowly."),
    ("Ada", "We lynched Cy in round 1, and then you, Bo, in round 2."),
    ("Bo", "Nobody did."),
]


def examined(values=None, **more):
    players = [Player("Ada", "Werewolf"), Player("Bo", "Villager"), Player("Cy", "Seer")]
    numbers = {"Ada": 1, "Bo": 2}
    messages = [Message(at, numbers[who], text, 1) for at, (who, text) in enumerate(TEXTS, start=1)]
    record = GameRecord("g", players, messages, **more)
    counted = [ReferenceFinding(1, 1, 0, 34, "As I said before, we voted for Bo.", True, "p", "close"),
               ReferenceFinding(3, 1, 0, 24, "We lynched Cy in round 1", True, "p", "supported"),
               ReferenceFinding(4, 1, 0, 11, "Nobody did.", True, "p", "cannot_check")]  # fmt: skip
    said = [MessageFinding(at, at != 2, "first" if at == 1 else "no_link") for at in range(1, 5)]
    roles = [MessageFinding(1, False, "confesses"), MessageFinding(2, False, "unknown_side")]
    measurements = {
        "memory_accuracy": Measurement("memory_accuracy", 0, 0, references=counted),
        "coherence": Measurement("coherence", 3, 4, messages=said),
        "role_consistency": Measurement("role_consistency", 0, 2, messages=roles),
        "strategic_depth": Measurement("strategic_depth", 4, 4, messages=said),
        "anti_repetition": Measurement("anti_repetition", 0, 0, phrases=[
            PhraseFinding(2, "turnips grow slowly", 2, [2])]),
        "personality_diversity": Measurement("personality_diversity", 0, 0, players=[
            PlayerFinding(1, True, True), PlayerFinding(2, True, False), PlayerFinding(3, False, False)]),
    }  # fmt: skip
    return ExaminedGame(7, record, measurements, Effective(values or {}))


def counts_of(game, name):
    (found,) = [seat for seat in list_seats(game, "m", "3", ROLES) if seat.names[AGENT] == name]
    return found.counts


def test_where_nobody_judged_the_rule_counts_and_what_it_cannot_check_is_left_out():
    assert counts_of(examined(), "Ada") == {
        "memory_accuracy": (1, 2, 0),
        "coherence": (1, 1, 0),
        "role_consistency": (0, 1, 0),
        "strategic_depth": (1, 1, 0),
        "anti_repetition": (2, 2, 0),
        "personality_diversity": (1, 1, 0),
    }
    assert counts_of(examined(), "Bo") == {
        "coherence": (1, 2, 0),
        "strategic_depth": (1, 2, 0),
        "anti_repetition": (1, 2, 0),
        "personality_diversity": (0, 1, 0),
    }


def test_people_count_before_the_rule():
    values = {
        "reference": {"1.1": "accurate", "3.1": "not_a_reference", "4.1": "vague"},
        "coherence": {"2": "yes"},
        "role_consistency": {"2": "inconsistent"},
        "phrase": {"2|turnips grow slowly": "acceptable"},
    }
    game = examined(values)
    assert counts_of(game, "Ada")["memory_accuracy"] == (1, 1, 1)
    assert counts_of(game, "Bo")["memory_accuracy"] == (0, 1, 1)
    assert counts_of(game, "Bo")["coherence"] == (2, 2, 1)
    assert counts_of(game, "Bo")["role_consistency"] == (0, 1, 1)
    assert counts_of(game, "Bo")["anti_repetition"] == (2, 2, 1)


@pytest.mark.parametrize(
    ("winner", "ada", "bo"),
    [("Werewolves", True, False), ("villagers", False, True), ("MAFIA", True, False), ("draw", None, None)],
)
def test_a_win_is_that_of_the_players_side(winner, ada, bo):
    found = {
        seat.names[AGENT]: seat.counts.get(WON) for seat in list_seats(examined(winner=winner), "", "", ROLES)
    }
    expected = {name: None if won is None else (int(won), 1, 0) for name, won in (("Ada", ada), ("Bo", bo))}
    assert found == expected


def test_spots_are_placed_by_their_words_and_the_silent_have_no_seat():
    ada, bo = list_seats(examined(), "m", "3", ROLES)
    assert (ada.role, ada.message_count, ada.names) == (
        "Werewolf",
        2,
        {AGENT: "Ada", MODEL: "m", ITERATION: "3"},
    )
    _spot, start, end = ada.spots["reference"]
    assert TEXTS[0][1][start:end] == "As I said before, we voted for Bo."
    _spot, start, end = bo.spots["phrase"]
    assert TEXTS[1][1][start:end] == "Turnips grow slowly"
    assert bo.spots["coherence"][1:] == (0, 0)


def test_worse_and_better_need_an_interval_on_one_side_and_three_games_each():
    seats = [seat(game, coherence=(5, 10), won=(0, 1)) for game in range(6)]
    seats += [seat(game, "Bo", coherence=(9, 10), won=(1, 1)) for game in range(6)]
    seats += [seat(game, "Cy", role="seer", coherence=(9, 10)) for game in range(2)]
    files = compute_files(seats).files[AGENT]
    assert [file.name for file in files] == ["Ada", "Bo", "Cy"]
    ada, bo, cy = (file.roles[0].figures["coherence"] for file in files)
    assert (ada.word, ada.share, ada.others, ada.games) == (WORSE, 50, 90, 6)
    assert ada.apart[0] < -40 < ada.apart[1] < 0
    assert bo.word == BETTER and files[0].figure("mafia", WON).word == WORSE
    assert (cy.word, cy.interval, cy.others, cy.apart) == (FEW, None, None, None)
    alike = compute_files(
        [seat(game, name, coherence=(8, 10)) for game in range(6) for name in ("Ada", "Bo")]
    )
    assert alike.files[AGENT][0].roles[0].figures["coherence"].word == UNCLEAR


def test_a_role_is_written_as_most_files_write_it():
    files = compute_files(
        [seat(1, role="MAFIA"), seat(2, role="Mafia"), seat(3, role="MAFIA"), seat(4, role="")]
    )
    assert [found.role for found in files.find(AGENT, "Ada").roles] == ["MAFIA", ""]


def test_games_that_differ_widen_the_interval():
    steady = [seat(game, coherence=(5, 10)) for game in range(8)]
    uneven = [seat(game, coherence=(10 * (game % 2), 10)) for game in range(8)]
    widths = []
    for own in (steady, uneven):
        others = [seat(game, "Bo", coherence=(8, 10)) for game in range(8)]
        figure = compute_files([*own, *others]).find(AGENT, "Ada").figure("mafia", "coherence")
        widths.append(figure.apart[1] - figure.apart[0])
    assert widths[1] > 1.5 * widths[0]


def test_moments_are_chosen_by_the_stated_rule():
    def placed(**more):
        found = spot(**more)
        return {found.kind: (found, 0, 0)}

    ada = [
        seat(1, coherence=(2, 10), role_consistency=(9, 10), spots=placed(game=1, message=4)),
        seat(
            2, coherence=(2, 10), role_consistency=(9, 10), spots=placed(game=2, message=3, is_by_people=True)
        ),
        seat(3, coherence=(2, 10), role_consistency=(9, 10), spots=placed(kind="role_consistency", game=3)),
        seat(4, role="seer", coherence=(9, 10), spots=placed(game=4, is_by_people=True)),
    ]
    bo = [seat(game, "Bo", coherence=(9, 10), role_consistency=(9, 10)) for game in range(1, 4)]
    moments = compute_files([*ada, *bo]).find(AGENT, "Ada").moments
    assert [(row.kind, row.role, row.game) for row in moments] == [
        ("coherence", "mafia", 2),
        ("role_consistency", "mafia", 3),
    ]


def test_only_those_with_the_most_games_have_a_file():
    many = [seat(game, f"n{game:03}", coherence=(1, 2)) for game in range(MOST_FILES + 5)]
    files = compute_files([*many, seat(0, "zoe"), seat(1, "zoe")]).files
    assert len(files[AGENT]) == MOST_FILES and files[AGENT][0].name == "zoe"
    assert files[MODEL] == files[ITERATION] == []


def test_the_same_seats_give_the_same_files_in_any_order():
    random = np.random.default_rng(3)
    seats = [
        seat(
            game,
            name,
            coherence=(int(random.integers(0, 9)), 9),
            spots={"coherence": (spot(game=game), 0, 0)},
        )
        for game in range(5)
        for name in ("Ada", "Bo")
    ]
    assert compute_files(seats) == compute_files(seats[::-1])
    assert replace(compute_files(seats), games=0) != compute_files(seats[:-1])


def test_games_weigh_by_how_they_entered_the_queue_and_one_weight_changes_nothing():
    rows = [(1, 5, 10), (2, 5, 10), (3, 9, 10), (4, 8, 10)]
    seats = [seat(game, who, coherence=(right, of)) for game, right, of in rows for who in ("Ada", "Bo")]
    plain = compute_files(seats)
    assert compute_files([replace(each, weight=5.0) for each in seats]) == plain
    assert not plain.find(AGENT, "Ada").is_weighted
    weighted = compute_files([replace(each, weight=5.0 if each.game > 2 else 1.0) for each in seats])
    file = weighted.find(AGENT, "Ada")
    figure = file.figure("mafia", "coherence")
    assert file.is_weighted and (figure.right, figure.of) == (27, 40)
    assert figure.share == pytest.approx(100 * (5 + 5 + 5 * 17) / 120) == figure.others
    assert figure.difference == 0 and figure.apart[0] < 0 < figure.apart[1]
    assert figure.interval[0] < figure.share < figure.interval[1]


def test_a_merge_is_followed_to_its_end_and_a_circle_is_refused():
    assert find_roots({1: 2, 2: 3, 3: None, 4: None}) == {1: 3, 2: 3, 3: 3, 4: 4}
    with pytest.raises(ValueError, match="merged into itself"):
        find_roots({1: 2, 2: 1})


def test_codes_of_one_coder_under_merged_categories_count_once():
    codes = [Code(1, 5, 1, 7), Code(1, 5, 2, 7), Code(1, 5, 2, 8), Code(1, 6, 4, 7)]
    assert merge_codes(codes, {1: 2, 2: 2, 4: 4}, ended=[4]) == [Code(1, 5, 2, 7), Code(1, 5, 2, 8)]


def test_shares_are_of_the_messages_of_games_with_a_code():
    said = {game: ["Ada", "Bo", "Ada", ""] for game in (1, 2, 3, 4)}
    codes = [Code(1, 1, 9, 7), Code(1, 1, 9, 8), Code(2, 3, 9, 7), Code(3, 0, 5, 7)]
    ada, bo = count_shares(codes, 9, said)
    assert (ada.name, ada.coded, ada.of, ada.games) == ("Ada", 2, 6, 3)
    assert (bo.name, bo.coded, bo.of) == ("Bo", 0, 3)
    low, high = ada.interval
    assert low < 100 / 3 < high
    assert count_shares([Code(1, 1, 9, 7)], 9, said)[0].interval is None


def test_agreement_is_over_games_that_two_coded():
    lengths = {1: 10, 2: 10, 3: 10, 4: 10}
    both = [
        Code(game, message, 9, coder) for game in (1, 2, 3) for message in (1, 2, 3, 4) for coder in (7, 8)
    ]
    found = compute_agreement(both, 9, lengths)
    assert (found.value, found.items, found.raters) == (1, 30, 2)
    apart = [code for code in both if code.coder == 7 or code.message < 4]
    assert 0.7 < compute_agreement(apart, 9, lengths).value < 1
    alone = [Code(4, 1, 9, 7)]
    assert compute_agreement(alone, 9, lengths).value is None
