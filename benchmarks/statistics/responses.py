"""What the statistics of responses and of agreement do where the truth is known: simulated by the product's functions.

`tables` gives rows for a table; docs/intervals.md quotes them. Every simulation has a seed, so it repeats exactly.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial

import numpy as np
from msgspec.structs import replace

from discussions.core.outcome import OutcomeLine
from discussions.verdicts.core.next_game import NextGame, PlayedGame, predict_next_games
from rubric.results.core.paired_leads import compute_paired_leads
from rubric.results.core.ranking_uncertainty import compute_rounding, count_unanimous, leads
from rubric.results.core.whole_set import Scored
from rubric.reviewer_statistics.core.rater_effects import find_unused, flat_rows
from rubric.reviewer_statistics.core.variance import variance_report
from rubric.reviews.core.score_rows import ReviewRow
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.chance_agreement import gwet_ac, observed_agreement
from workspace.statistics.estimates import Agreement

Random = np.random.Generator
Rows = list[list[str]]
Table = tuple[str, list[str], Rows]
SHARES = {
    "accuracy": Fraction(35, 100),
    "completeness": Fraction(25, 100),
    "conciseness": Fraction(20, 100),
    "clarity": Fraction(20, 100),
}
KEYS = tuple(SHARES)


def tables(runs_factor: float = 1.0) -> Iterator[Table]:
    """Every table; `runs_factor` times as many cases as docs/intervals.md has."""
    for table, runs in (
        (rare_answers, 4000), (next_games, 4000), (single_leads, 2000), (set_leads, 2000),
        (equal_reliability, 400), (straight_lining, 200),
    ):  # fmt: skip
        yield table(max(1, round(runs * runs_factor)))


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}" if whole else "–"


# Agreement where one answer is rare: half of the answers are known to both, the others are given at random.

COEFFICIENTS: dict[str, Callable[[np.ndarray], Agreement]] = {
    "alpha": partial(krippendorff_alpha, level="nominal"),
    "AC1": partial(gwet_ac, scale=[0.0, 1.0]),
    "observed agreement": observed_agreement,
}
KNOWN = 0.7
# Where fewer tables have an interval, those are unlike the others, and are not judged.
LEAST_LEFT = 0.1
RARE_DESIGNS = [
    (raters, items, yes) for raters in (2, 3) for items in (20, 50, 100) for yes in (0.5, 0.1, 0.04)
]


def answer(random: Random, items: int, raters: int, yes: float) -> np.ndarray:
    """Yes (1) and no (0): each rater gives an item's true answer with 70 %, else one at random."""
    true = random.random((items, 1)) < yes
    guessed = random.random((items, raters)) < yes
    return np.where(random.random((items, raters)) < KNOWN, true, guessed).astype(float)


def find_true(name: str, yes: float) -> float:
    """The coefficient's true value: two raters agree by both knowing (.49), else by chance."""
    chance = yes**2 + (1 - yes) ** 2
    agreed = KNOWN**2 + (1 - KNOWN**2) * chance
    if name == "observed agreement":
        return agreed
    expected = chance if name == "alpha" else 2 * yes * (1 - yes)
    return (agreed - expected) / (1 - expected)


def hold_rare(random: Random, name: str, raters: int, items: int, yes: float, runs: int) -> tuple[int, int]:
    """How many of so many tables have an interval, and how many of these intervals hold the true value."""
    statistic, truth = COEFFICIENTS[name], find_true(name, yes)
    found = [statistic(answer(random, items, raters, yes)).interval for _run in range(runs)]
    known = [interval for interval in found if interval is not None]
    return len(known), sum(low - 1e-9 <= truth <= high + 1e-9 for low, high in known)


def rare_answers(runs: int) -> Table:
    rows = []
    for raters, items, yes in RARE_DESIGNS:
        row = [f"{raters}", f"{items}", f"{100 * yes:.0f} %"]
        for name in COEFFICIENTS:
            known, held = hold_rare(np.random.default_rng(20261128), name, raters, items, yes, runs)
            row += [percent(known, runs), percent(held, known) if known >= LEAST_LEFT * runs else "–"]
        rows.append(row)
    header = ["raters", "items", "yes"]
    header += [f"{name}: {what} %" for name in COEFFICIENTS for what in ("has an interval", "holds")]
    return "Agreement where one answer is rare", header, rows


# The next game under a prompt.

# Messages of a game, SD between games, games under the prompt, batches of three under other prompts.
NEXT_DESIGNS = [
    (14, 10, 3, 0), (14, 10, 3, 3), (50, 10, 3, 0), (50, 10, 9, 0), (50, 10, 1, 5), (50, 10, 3, 3), (50, 5, 3, 3),
    (50, 15, 3, 3), (100, 20, 3, 0), (300, 10, 3, 0), (300, 10, 3, 3),
]  # fmt: skip


def play(random: Random, count: int, messages: int, sd: float) -> list[Fraction]:
    """Scores of games whose prompt has 70 % on average."""
    known = 0.21 / (sd / 100) ** 2 - 1
    shares = random.beta(0.7 * known, 0.3 * known, count)
    return [Fraction(100 * int(found), messages) for found in random.binomial(messages, shares)]


def predict(random: Random, messages: int, sd: float, own: int, others: int) -> NextGame:
    games = play(random, own, messages, sd)
    played = [PlayedGame(at, "mine", {"coherence": score}) for at, score in enumerate(games)]
    for batch in range(others):
        scores = play(random, 3, messages, sd)
        played += [
            PlayedGame(100 + 3 * batch + at, f"{batch}", {"coherence": score})
            for at, score in enumerate(scores)
        ]
    found = int(games[0] * messages / 100)
    line = OutcomeLine("coherence", "", "percent", 60.0, found, messages, float(games[0]), passes=True)
    return predict_next_games([line], 0, "mine", played)["coherence"]


def next_games(runs: int) -> Table:
    rows = []
    for messages, sd, own, others in NEXT_DESIGNS:
        random = np.random.default_rng(20261128)
        held, widths = 0, []
        for _run in range(runs):
            found = predict(random, messages, sd, own, others)
            low, high = found.low or 0.0, found.high or 0.0
            held += low - 1e-9 <= float(play(random, 1, messages, sd)[0]) <= high + 1e-9
            widths.append(high - low)
        rows.append(
            [f"{messages}", f"{sd}", f"{own}", f"{others}", percent(held, runs), f"{np.median(widths):.0f}"]
        )
    header = [
        "messages",
        "SD",
        "games under the prompt",
        "batches of 3 under others",
        "holds %",
        "median width",
    ]
    return "The next game, promised 95 %", header, rows


# Leads of equal responses.


def judge(random: Random, responses: int, reviewers: int, effect: float = 0.0) -> list[ReviewRow]:
    """One comparison of equal responses, the first better by `effect`: four whole scores by each reviewer."""
    quality = np.zeros(responses)
    quality[0] = effect
    severity = random.normal(0, 0.6, (reviewers, 1, 1))
    drawn = 7 + quality[None, :, None] + severity + random.normal(0, 1.2, (reviewers, responses, len(KEYS)))
    scores = np.clip(np.round(drawn), 1, 10).astype(int)
    return [
        ReviewRow(
            "1",
            str(response),
            str(reviewer),
            dict(zip(KEYS, map(int, scores[reviewer, response]), strict=True)),
        )
        for reviewer in range(reviewers)
        for response in range(responses)
    ]


def single_leads(runs: int) -> Table:
    rows = []
    for responses, reviewers in ((2, 2), (2, 3), (3, 3), (6, 3), (12, 3), (3, 5), (6, 5), (12, 5)):
        random, counts = np.random.default_rng(12), Counter[str]()
        for _run in range(runs):
            counts.update(_judge_once(judge(random, responses, reviewers)))
            counts.update(
                {f"+2 {key}": n for key, n in _judge_once(judge(random, responses, reviewers, 2.0)).items()}
            )
        names = ("some", "all", "level", "unanimous", "+2 all")
        rows.append([f"{responses}", f"{reviewers}", *(percent(counts[name], runs) for name in names)])
    header = ["responses", "reviewers", "ahead of some %", "ahead of all %", "level %", "all put it first %"]
    return "Ahead in one comparison of equal responses", [*header, "ahead of all, 2 points better %"], rows


def _judge_once(rows: list[ReviewRow]) -> Counter[str]:
    values: dict[str, dict[str, Fraction]] = {}
    for row in rows:
        overall = sum((share * Fraction(row.scores[key]) for key, share in SHARES.items()), Fraction())
        values.setdefault(row.reviewer, {})[row.response] = overall
    responses = sorted({row.response for row in rows}, key=int)
    totals = {name: sum((given[name] for given in values.values()), Fraction()) for name in responses}
    first, *rivals = sorted(responses, key=lambda name: -totals[name])
    words = [
        lead.word for lead in leads(values, first, rivals, compute_rounding(rows, SHARES, {}, kind="rubric"))
    ]
    return Counter(
        some="ahead" in words,
        all=set(words) == {"ahead"},
        level=words[0] == "level",
        unanimous=count_unanimous(values, first) > 0,
    )


def set_leads(runs: int) -> Table:
    rows = []
    for authors, questions, reviewers in (
        (2, 20, 3),
        (3, 20, 3),
        (6, 20, 3),
        (12, 20, 3),
        (12, 100, 3),
        (6, 3, 3),
    ):
        random, some, every = np.random.default_rng(13), 0, 0
        for _run in range(runs):
            words = _lead_set(random, authors, questions, reviewers)
            some += "ahead" in words
            every += set(words) == {"ahead"}
        rows.append([f"{authors}", f"{questions}", percent(some, runs), percent(every, runs)])
    return (
        "Ahead in a set of equal authors",
        ["authors", "questions", "ahead of some %", "ahead of all %"],
        rows,
    )


def _lead_set(random: Random, authors: int, questions: int, reviewers: int) -> list[str]:
    drawn = 7 + random.normal(0, 1, (questions, 1, 1)) + random.normal(0, 1, (questions, authors, 1))
    whole = np.clip(np.round(drawn + random.normal(0, 0.8, (questions, authors, reviewers))), 1, 10).astype(
        int
    )
    scored = [
        Scored(
            str(at),
            str(author),
            {str(who): Fraction(int(whole[at, author, who])) for who in range(reviewers)},
            {},
            None,
        )
        for at in range(questions)
        for author in range(authors)
    ]
    names = {(score.comparison, score.response): score.response for score in scored}
    order = [str(author) for author in np.argsort(-whole.mean(axis=(0, 2)), kind="stable")]
    return [lead.word for lead in compute_paired_leads(scored, names, order[0], order[1:], 1 / 12)]


# Reviewers of sets.


def review(
    random: Random, questions: int, responses: int, reviewers: int, *,
    correlation: float = 0.6, noise: float = 1.0, is_whole: bool = True,
) -> list[ReviewRow]:  # fmt: skip
    """Criteria that correlate, and a holistic score that is as reliable as the overall before either is rounded."""
    weights, rows = np.array([float(share) for share in SHARES.values()]), []
    for question in range(questions):
        common, own = random.normal(0, 1, (responses, 1)), random.normal(0, 1, (responses, len(KEYS)))
        true = 6 + 1.4 * (np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own)
        for reviewer in range(reviewers):
            scores = true + random.normal(0, noise, true.shape)
            holistic = true @ weights + random.normal(0, noise * np.sqrt(np.square(weights).sum()), responses)
            if is_whole:
                scores, holistic = (np.clip(np.round(given), 1, 10) for given in (scores, holistic))
            rows += [
                ReviewRow(
                    f"c{question:03d}", f"r{at}", f"v{reviewer}", dict(zip(KEYS, map(float, scores[at]), strict=True)),
                    holistic=float(holistic[at]),
                )
                for at in range(responses)
            ]  # fmt: skip
    return rows


def count_conclusions(runs: int, *, is_whole: bool, questions: int = 40) -> tuple[Counter[str], float]:
    """The conclusions of success metric 1 at equal reliability, and the mean difference of alphas, not rounded."""
    random = np.random.default_rng(5)
    reports = [
        variance_report(review(random, questions, 4, 4, is_whole=is_whole), SHARES) for _run in range(runs)
    ]
    differences = [report.difference.value for report in reports if report.difference.value is not None]
    return Counter(report.conclusion.code for report in reports), float(np.mean(differences))


def equal_reliability(runs: int) -> Table:
    rows = []
    for is_whole in (True, False):
        counts, difference = count_conclusions(runs, is_whole=is_whole)
        codes = ("holds", "fails", "not_worse", "no_difference", "cannot_tell")
        shares = [percent(counts[code], runs) for code in codes]
        rows.append(["whole numbers" if is_whole else "not rounded", *shares, f"{difference:+.3f}"])
    header = [
        "scores",
        "holds %",
        "fails %",
        "not worse %",
        "no difference %",
        "can't tell %",
        "difference of alphas",
    ]
    return "Success metric 1 at equal reliability, 40 questions, 4 responses, 4 reviewers", header, rows


def straight_line(rows: Iterable[ReviewRow], reviewers: str) -> list[ReviewRow]:
    """The same, but these reviewers give their first score on every criterion."""
    return [
        replace(row, scores=dict.fromkeys(KEYS, row.scores[KEYS[0]])) if row.reviewer in reviewers else row
        for row in rows
    ]


def straight_lining(runs: int) -> Table:
    worlds: dict[str, Callable[[Random], list[ReviewRow]]] = {
        "honest, criteria correlate .6": lambda random: review(random, 20, 3, 3),
        "honest, correlate .95, noise .5": lambda random: review(
            random, 20, 3, 3, correlation=0.95, noise=0.5
        ),
        "two of three straight-line": lambda random: straight_line(review(random, 20, 3, 3), "v0 v1"),
        "all three straight-line": lambda random: straight_line(review(random, 20, 3, 3), "v0 v1 v2"),
    }
    rows = []
    for name, draw in worlds.items():
        random = np.random.default_rng(31)
        found = [flat_rows(draw(random), KEYS) for _run in range(runs)]
        flagged = sum(effect.is_flagged for effects in found for effect in effects)
        told = sum(find_unused(effects) is not None for effects in found)
        rows.append([name, percent(flagged, 3 * runs), percent(told, runs)])
    return "Straight-lining, 20 questions, 3 responses", ["reviewers", "flagged %", "panel is told %"], rows
