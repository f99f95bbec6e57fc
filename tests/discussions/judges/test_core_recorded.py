"""People's estimate with a judge's strata on recorded judgements of people: how often its interval holds."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from benchmarks.statistics.judges import be_right, compare_strata, say

SHARED = Path(__file__).parents[4] / "shared" / "data"
SQUALITY = Path(os.environ.get("SQUALITY_REVIEWS", SHARED / "squality" / "all-responses.jsonl"))
AVALON = SHARED / "avalon_nlu"
pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[3] / "docs" / "judges.md"
RUNS = 700
ASKED = 20
MESSAGES = 60
GOOD = 50


def read_reviews():
    """Of each response: whether it is longer than half of all, and whether each of three reviewers gave 50 or more."""
    responses = [
        response
        for line in SQUALITY.read_text().splitlines()
        for question in json.loads(line)["questions"].values()
        for response in question.values()
        if isinstance(response, dict)
    ]
    lengths = np.array([len(response["response"]) for response in responses])
    good = [
        [review["correctness-rating"] >= GOOD for review in response["reviews"]] for response in responses
    ]
    return lengths > np.median(lengths), np.array(good)


def read_messages():
    """Of each game: whether a message is long, and whether an annotator found an assertion in it."""
    for path in sorted(AVALON.glob("*.json")):
        game = json.loads(path.read_text())
        texts = {message["mid"]: message["msg"] for message in game["messages"].values()}
        labels = [label for label in game["persuasion"].values() if label["mid"] in texts]
        is_long = np.array([len(texts[label["mid"]].split()) > 8 for label in labels])
        yield is_long, np.array([label["persuasion"] == "assertion" for label in labels])


def estimate(random, rule, people, judge, asked):
    numbered = [dict(zip(map(str, range(len(row))), say(row), strict=True)) for row in (rule, people, judge)]
    return compare_strata(*numbered, [str(at) for at in random.choice(len(rule), asked, replace=False)])


def summarise(found):
    """How often the interval holds, and its width as a share of that of the rule's strata, in percent."""
    held, width, alone = np.mean(list(found), axis=0)
    return round(100 * float(held), 1), round(100 * float(width / alone))


def is_told(source, told):
    """Whether the line of docs/judges.md about the source has these figures, in their order."""
    (line,) = (line for line in DOCS.read_text().splitlines() if line.startswith(f"| {source}"))
    figures = " | ".join(f"{case}: {held}/{width}" for case, (held, width) in told.items())
    assert figures in line, (figures, line)
    return True


@pytest.mark.skipif(not SQUALITY.exists(), reason="the reviews of SQuALITY are not here")
def test_a_reviewer_as_the_judge_of_another():
    """The rule says that long responses are good; the judge is a second reviewer of the same 60 responses."""
    rule, good = read_reviews()
    random = np.random.default_rng(20261129)
    found = {10: [], 20: []}
    for asked, rows in found.items():
        for _run in range(RUNS):
            # Responses to one question stand together, as messages of a game do.
            at = (
                3 * random.choice(len(rule) // 3, MESSAGES // 3, replace=False)[:, None] + np.arange(3)
            ).ravel()
            one, other = random.permutation(good.shape[1])[:2]
            rows.append(estimate(random, rule[at], good[at, one], good[at, other], asked))
    told = {asked: summarise(rows) for asked, rows in found.items()}
    assert is_told("SQuALITY", told)
    assert all(93 <= held <= 99 for held, _width in told.values())


@pytest.mark.skipif(not AVALON.exists(), reason="the annotated games of Avalon are not here")
def test_planted_judges_of_annotated_messages():
    """Planted judges, between games with an SD of 10 points: the labels and their order are recorded."""
    random, games, told = np.random.default_rng(20261130), list(read_messages()), {}
    for right in (0.7, 0.9):
        told[round(100 * right)] = summarise(
            estimate(random, rule, people, be_right(right, 0.1)(random, people[None], rule[None])[0], ASKED)
            for _run in range(RUNS // len(games))
            for rule, people in games
        )
    assert is_told("Avalon", told)
    assert all(93 <= held <= 99 for held, _width in told.values())
