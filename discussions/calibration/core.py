"""Whether a person judges as the team agreed: compares their first answers with the keys of a calibration round."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from discussions.adjudication.core.effective import Effective
from discussions.core import judgement_kinds as kinds
from discussions.core.outcome import DIVERSITY, ENGAGEMENT, MEMORY, REPETITION
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


class GamesResult(RoundResult, frozen=True, kw_only=True):
    """All games of a round together. `rating_error` is the mean distance of the ratings, None without any."""

    rating_error: Fraction | None


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
) -> GamesResult:
    """`rating_within` limits the mean distance of ratings; `asked` is how many games the person is to rate."""
    done = list(compared)
    alike, count = sum(game.alike for game in done), sum(game.count for game in done)
    error = exact_mean([error for game in done if (error := game.rating_error) is not None])
    passes: bool | None = None
    if len(done) >= asked:
        agrees = agrees_enough(alike, count, pass_percent)
        passes = agrees and (error is None or error <= Fraction(rating_within))
    return GamesResult(
        done=len(done), asked=asked, alike=alike, count=count, rating_error=error, passes=passes
    )


ENOUGH, TOO_LOW = "enough", "too_low"
NOT_ACCEPTABLE = "not_acceptable"
LABELS = (kinds.ACCURATE, kinds.INACCURATE, kinds.VAGUE, kinds.NOT_A_REFERENCE)
FITS = (kinds.CONSISTENT, kinds.INCONSISTENT, kinds.NOT_ASSESSABLE)
# Names of invented players are not translated: the votes name them, too.
EXCHANGE = (
    (
        "Lena",
        mark("Mira is gone, and she was innocent. Otis, you were the first to vote for her in round 1."),
    ),
    (
        "Otis",
        mark("Aye, I was. She dodged my question twice, and that rang like a cracked bell, mark my words."),
    ),
    ("Pia", mark("Otis and I both voted for Lena in round 1.")),
    ("Kuno", mark("We should all stay alert and play well.")),
    ("Pia", mark("Then why did you vote for me without a word, Lena?")),
)
VOTES = (("Otis", "Mira"), ("Lena", "Pia"), ("Pia", "Mira"), ("Kuno", "Lena"), ("Mira", "Lena"))


class PracticeQuestion(Struct, frozen=True):
    """One question: its metric, the kind of its judgement, the right answer, and the answers as their buttons stand.

    `about` is the question where the rubric's own needs its subject, `why` says why the right answer is right.
    `message` is the one that it is about, 0 for none.
    """

    metric: str
    kind: str
    right: str
    answers: tuple[str, ...]
    about: str
    why: str
    message: int = 0


# In the order of the steps of rating. `yes` and `least` come from the rubric version.
QUESTIONS = (
    PracticeQuestion(
        ENGAGEMENT,
        kinds.RATING,
        ENOUGH,
        (TOO_LOW, ENOUGH),
        mark("You answered yes to {yes} of the questions on this game. Which rating fits?"),
        mark(
            "With {yes} or more yes the rubric puts the rating at {least} or more. Otherwise rating and answers are "
            "your own opinion: nothing is right or wrong there."
        ),
    ),
    PracticeQuestion(
        MEMORY,
        kinds.REFERENCE,
        kinds.INACCURATE,
        LABELS,
        mark("Pia, message 3"),
        mark(
            "Inaccurate: the vote record of round 1 has Otis and Pia voting for Mira. Had Pia said “somebody voted for "
            "Lena”, it would be vague: nobody can tell who is meant."
        ),
        message=3,
    ),
    PracticeQuestion(
        kinds.STRATEGIC_DEPTH,
        kinds.STRATEGIC_DEPTH,
        kinds.YES,
        (kinds.YES, kinds.NO),
        mark("Otis, message 2"),
        mark(
            "Strategic: Otis gives a reason, that Mira dodged a question twice. Whether the reason is good does not "
            "matter."
        ),
        message=2,
    ),
    PracticeQuestion(
        kinds.COHERENCE,
        kinds.COHERENCE,
        kinds.NO,
        (kinds.YES, kinds.NO),
        mark("Kuno, message 4, after messages 1 to 3"),
        mark("No: the message responds to nothing that was said, and could appear anywhere in a game."),
        message=4,
    ),
    PracticeQuestion(
        REPETITION,
        kinds.PHRASE,
        kinds.ACCEPTABLE,
        (kinds.ACCEPTABLE, NOT_ACCEPTABLE),
        mark("“mark my words”, said by Otis in three rounds"),
        mark(
            "Acceptable: it is a habit that makes Otis recognisable. A template such as “I think we should look at” is "
            "not."
        ),
    ),
    PracticeQuestion(
        DIVERSITY,
        kinds.IDENTIFY,
        kinds.YES,
        (kinds.YES, kinds.NO),
        mark("Otis, message 2 and others like it: “Aye, the tide turns.” “Aye, a fair wind, that vote.”"),
        mark("Yes: “aye”, bells and tides are words that no other agent uses."),
    ),
    PracticeQuestion(
        kinds.ROLE_CONSISTENCY,
        kinds.ROLE_CONSISTENCY,
        kinds.CONSISTENT,
        FITS,
        mark("Lena, message 1. The roles are revealed by now: Lena plays for the mafia"),
        mark(
            "Consistent: she looks helpful and steers suspicion to Otis, as the mafia should. Had she said who her "
            "fellows are, it would be inconsistent."
        ),
        message=1,
    ),
)


def keep_answers(answers: Mapping[str, str]) -> dict[str, str]:
    """Metric -> answer, keeping only answers that the questions allow."""
    return {
        question.metric: answers[question.metric]
        for question in QUESTIONS
        if answers.get(question.metric, "") in question.answers
    }


def too_low(least: Fraction) -> Fraction:
    """A rating below the least that the rubric allows, a point lower; at least 1."""
    return max(least - 1, Fraction(1))
