"""Whether a person judges as the team agreed: compares first answers with a round's keys; and what practice says."""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.core import judgement_kinds as kinds
from discussions.core.outcome import DIVERSITY, ENGAGEMENT, MEMORY, REPETITION
from discussions.core.records import Elimination, GameRecord, Message, Player, Vote
from rubric.calibration.core import RoundResult, agrees_enough
from workspace.core.words import mark
from workspace.statistics.means import exact_mean

# The kinds that a key has answers for. Marks, tests and who decides are ways of working, not judgements to agree on.
COMPARED = (
    kinds.REFERENCE,
    kinds.STRATEGIC_DEPTH,
    kinds.COHERENCE,
    kinds.ROLE_CONSISTENCY,
    kinds.QUESTION,
    kinds.IDENTIFY,
)


class Key(Struct, frozen=True):
    """What the team agreed on for one game: kind -> subject -> value, and the mean rating as "7/2" ("" without one)."""

    values: dict[str, dict[str, str]]
    rating: str = ""


class KeyDifference(Struct, frozen=True):
    kind: str
    subject: str
    given: str
    agreed: str


class ComparedAnswers(Struct, frozen=True):
    """One game: `alike` of `count` answers as in the key, by kind in `by_kind`; the rating and the key's."""

    alike: int
    count: int
    by_kind: dict[str, tuple[int, int]]
    differences: list[KeyDifference]
    rating: Fraction | None = None
    agreed_rating: Fraction | None = None

    @property
    def rating_error(self) -> Fraction | None:
        if self.rating is None or self.agreed_rating is None:
            return None
        return abs(self.rating - self.agreed_rating)


def build_key(effective: Effective) -> Key:
    """The key from a verdict: the values that people gave, without those that are only automatic."""
    values = {kind: dict(effective.values[kind]) for kind in COMPARED if effective.values.get(kind)}
    return Key(values, "" if effective.rating is None else str(effective.rating))


def compare(key: Key, answers: Mapping[tuple[str, str], str]) -> ComparedAnswers:
    """Compare first answers, by (kind, subject), with the key. Subjects that only one of them has are left out."""
    by_kind: dict[str, tuple[int, int]] = {}
    differences = []
    for kind, agreed in key.values.items():
        asked = [subject for subject in agreed if answers.get((kind, subject))]
        other = [subject for subject in asked if answers[kind, subject] != agreed[subject]]
        if asked:
            by_kind[kind] = (len(asked) - len(other), len(asked))
        differences += [
            KeyDifference(kind, subject, answers[kind, subject], agreed[subject])
            for subject in sorted(other, key=kinds.parse_subject)
        ]
    return ComparedAnswers(
        alike=sum(alike for alike, _count in by_kind.values()),
        count=sum(count for _alike, count in by_kind.values()),
        by_kind=by_kind,
        differences=differences,
        rating=kinds.parse_rating(answers.get((kinds.RATING, ""), "")),
        agreed_rating=kinds.parse_rating(key.rating),
    )


def compute_result(
    compared: Iterable[ComparedAnswers], *, asked: int, pass_percent: int, rating_within: Decimal
) -> RoundResult:
    """`rating_within` limits the mean distance of ratings; `asked` is how many games the person is to rate."""
    done = list(compared)
    alike, count = sum(game.alike for game in done), sum(game.count for game in done)
    error = exact_mean([error for game in done if (error := game.rating_error) is not None])
    passes: bool | None = None
    if len(done) >= asked:
        agrees = agrees_enough(alike, count, pass_percent)
        passes = agrees and (error is None or error <= Fraction(rating_within))
    return RoundResult(
        done=len(done), asked=asked, alike=alike, count=count, rating_error=error, passes=passes
    )


# The invented game of practice: (name, role), and who says what in which round. Names of invented players are not
# translated: the votes name them, too.
CAST = (
    ("Lena", "mafia"),
    ("Otis", "villager"),
    ("Pia", "villager"),
    ("Kuno", "doctor"),
    ("Mira", "villager"),
)
EXCHANGE = (
    ("Otis", 1, mark("Mira, where were you when the lights went out? I will ask again, mark my words.")),
    ("Mira", 1, mark("Ask what you like, Otis. I would rather hear Pia.")),
    ("Pia", 1, mark("I was with Kuno, and nobody asked me for a thing.")),
    (
        "Lena",
        2,
        mark("Mira is gone, and she was innocent. Otis, you were the first to vote for her in round 1."),
    ),
    (
        "Otis",
        2,
        mark("Aye, I was. She dodged my question twice, and that rang like a cracked bell, mark my words."),
    ),
    ("Pia", 2, mark("Otis and I both voted for Lena in round 1.")),
    ("Kuno", 2, mark("We should all stay alert and play well.")),
    ("Pia", 2, mark("Then why did you vote for me without a word, Lena?")),
    ("Otis", 2, mark("Aye, answer her. A fair wind blows for us now, mark my words.")),
)
VOTES = (("Otis", "Mira"), ("Lena", "Pia"), ("Pia", "Mira"), ("Kuno", "Lena"), ("Mira", "Lena"))


class Lesson(Struct, frozen=True):
    """What practice explains of one judgement: its metric, kind and subject, the right answer, and why it is right.

    A rating is right if it fits the answers; `yes` and `least` in its words come from the rubric version.
    """

    metric: str
    kind: str
    subject: str
    right: str
    why: str


# In the order of the steps of rating.
LESSONS = (
    Lesson(
        ENGAGEMENT,
        kinds.RATING,
        "",
        "",
        mark(
            "With {yes} or more yes the rubric puts the rating at {least} or more. Otherwise rating and answers are "
            "your own opinion: nothing is right or wrong there."
        ),
    ),
    Lesson(
        MEMORY,
        kinds.REFERENCE,
        "4.2",
        kinds.ACCURATE,
        mark("Accurate: in the vote record of round 1, Otis votes for Mira, and first."),
    ),
    Lesson(
        MEMORY,
        kinds.REFERENCE,
        "6.1",
        kinds.INACCURATE,
        mark(
            "Inaccurate: the vote record of round 1 has Otis and Pia voting for Mira. Had Pia said “somebody voted for "
            "Lena”, it would be vague: nobody can tell who is meant."
        ),
    ),
    Lesson(
        kinds.STRATEGIC_DEPTH,
        kinds.STRATEGIC_DEPTH,
        "5",
        kinds.YES,
        mark(
            "Strategic: Otis gives a reason, that Mira dodged a question twice. Whether the reason is good does not "
            "matter."
        ),
    ),
    Lesson(
        kinds.COHERENCE,
        kinds.COHERENCE,
        "7",
        kinds.NO,
        mark("No: the message responds to nothing that was said, and could appear anywhere in a game."),
    ),
    Lesson(
        DIVERSITY,
        kinds.IDENTIFY,
        "2",
        kinds.YES,
        mark("Yes: “aye”, bells and winds are words that no other agent uses."),
    ),
    Lesson(
        REPETITION,
        kinds.PHRASE,
        "2|mark my words",
        kinds.ACCEPTABLE,
        mark(
            "Acceptable: it is a habit that makes Otis recognisable. A template such as “I think we should look at” is "
            "not."
        ),
    ),
    Lesson(
        kinds.ROLE_CONSISTENCY,
        kinds.ROLE_CONSISTENCY,
        "4",
        kinds.CONSISTENT,
        mark(
            "Consistent: Lena plays for the mafia, looks helpful and steers suspicion to Otis. Had she said who her "
            "fellows are, it would be inconsistent."
        ),
    ),
)


def find_lesson(kind: str, subject: str) -> Lesson | None:
    return next((lesson for lesson in LESSONS if (lesson.kind, lesson.subject) == (kind, subject)), None)


def build_practice_game(say: Callable[[str], str]) -> GameRecord:
    """The invented game, with what is said in the words of `say`."""
    number = {name: place for place, (name, _role) in enumerate(CAST, start=1)}
    return GameRecord(
        "practice",
        [Player(name, role) for name, role in CAST],
        [
            Message(place, number[name], say(text), round_number)
            for place, (name, round_number, text) in enumerate(EXCHANGE, start=1)
        ],
        [Vote(1, number[voter], number[target]) for voter, target in VOTES],
        [Elimination(1, number["Mira"], "vote")],
    )
