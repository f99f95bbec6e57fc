"""Blind first: what an evaluator may see when, what they are asked, and what is missing before submitting.

Nothing automatic of any metric is visible before the five questions and the rating are in, and nothing of a metric
before the evaluator's own blind answers on it are. What was revealed stays visible: reveals are stored as rows with the
names "roles", "scores", "transcript", "reference:19.2" and "metric:coherence"; "more:role_consistency:2" for the second
batch of messages that the evaluator asked for, and "suggestions:12.1-40.2" once the
evaluator has looked at the suggested references from one to another ("suggestions": at all of them). What agents
thought opens ("thoughts") once everything about the roles, and before them, is answered. With "alongside"
everything is visible from the start; with "never" the automatic values stay hidden until a verdict is recorded. If the
evaluation begins with the blind test, the transcript stays closed under every setting until the test is answered and
the evaluator opens it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from discussions.adjudication.core.judgeable import SUGGESTIONS, list_unasked
from discussions.core import judgement_kinds
from discussions.core.iteration_states import ALONGSIDE, BLIND_FIRST, NEVER
from discussions.core.judgement_kinds import JudgeableSubjects, parse_subject
from discussions.metrics.core.registry import METRICS
from discussions.verdicts.core.people_estimate import AccuracySample
from workspace.core.words import say

ROLES, SCORES, TRANSCRIPT, THOUGHTS = "roles", "scores", "transcript", "thoughts"
MORE_MESSAGES = "more"


SAMPLED = (judgement_kinds.STRATEGIC_DEPTH, judgement_kinds.COHERENCE)


STEP_BY_KIND = {
    judgement_kinds.REFERENCE: "references",
    judgement_kinds.MISSED: "references",
    judgement_kinds.DELIBERATE: "references",
    judgement_kinds.STRATEGIC_DEPTH: "depth",
    judgement_kinds.COHERENCE: "coherence",
    judgement_kinds.PHRASE: "repetition",
    judgement_kinds.IDENTIFY: "identify",
    judgement_kinds.IDENTIFY_DECIDES: "identify",
    judgement_kinds.ATTRIBUTION: "identify",
    judgement_kinds.QUESTION: "engagement",
    judgement_kinds.RATING: "engagement",
    "reveal": "roles",
    judgement_kinds.ROLE_CONSISTENCY: "roles",
    judgement_kinds.STATEMENT: "statements",
}


# Engagement is judged right after reading: of all metrics, it is the one that automatic values would influence most.
STEPS = (
    "engagement",
    "references",
    "depth",
    "coherence",
    "identify",
    "repetition",
    "roles",
    "statements",
    "review",
)


class Progress(Struct, frozen=True):
    """The progress of one evaluation: its settings, its judgements, and what was shown.

    `values` are the evaluator's newest values, kind -> subject -> value, without unset ones; `samples` the positions of
    the accuracy samples by metric; `inconsistent` the messages that violate the rules of role consistency; `yes_needed`
    and `least_rating` are the rubric's rule for the rating. `drawn` describes how the samples were drawn. `has_private`
    says that the game keeps what not everybody could hear, `statements` are the sentences of the optional step,
    `is_role_open` that more answers on the roles may be asked for. `is_test_over` says that the blind test is decided
    and asks nothing further; `may_skip_test` that it may be left undecided.
    """

    reveal: str
    is_recorded: bool
    judgeable: JudgeableSubjects
    values: Mapping[str, Mapping[str, str]]
    revealed: frozenset[str]
    samples: Mapping[str, tuple[int, ...]]
    inconsistent: tuple[int, ...]
    yes_needed: int
    least_rating: Fraction
    drawn: Mapping[str, AccuracySample] = {}
    has_private: bool = False
    statements: tuple[str, ...] = ()
    is_role_open: bool = False
    is_test_over: bool = False
    may_skip_test: bool = False

    def value(self, kind: str, subject: str) -> str:
        return self.values.get(kind, {}).get(subject, "")

    def wants_more(self, metric: str) -> bool:
        """Whether a metric asks for more messages than its accuracy sample has."""
        return metric in self.drawn and self.drawn[metric].times > 0


class Missing(Struct, frozen=True):
    """A judgement that is missing before submitting, its step, and the sentence that names it."""

    kind: str
    subject: str
    step: str
    says: str


class Visibility(Struct, frozen=True):
    """What may be seen now: checks of references by subject, findings and figures by metric, and the rest by name.

    `facts` stay hidden until the verdict: vote justifications, winner, model, prompt, iteration. `rated` says that the
    rating is in: what the evaluator needs for other judgements, but not before it, may be seen. `thoughts` says that
    the private track of the game may be seen.
    """

    checks: frozenset[str]
    findings: frozenset[str]
    figures: frozenset[str]
    roles: bool
    can_reveal_roles: bool
    preview: bool
    cost: bool
    facts: bool
    missing: tuple[Missing, ...]
    transcript: bool = True
    rated: bool = False
    thoughts: bool = False


def compute_visibility(progress: Progress) -> Visibility:
    before_roles = tuple(_before_roles(progress))
    roles = roles_seen(progress)
    after_roles = (
        tuple(_role_labels(progress))
        if roles
        else (
            _missing(
                "reveal", ROLES, say("The roles are not revealed yet; role consistency is judged after that.")
            ),
        )
    )
    missing = before_roles + after_roles
    machine = progress.reveal == ALONGSIDE or progress.is_recorded
    hidden = progress.reveal == NEVER and not progress.is_recorded
    found = frozenset(progress.judgeable.counted + progress.judgeable.possible)
    metrics = (*SAMPLED, judgement_kinds.ROLE_CONSISTENCY)
    return Visibility(
        checks=_either(found, machine, hidden, {s for s in found if f"reference:{s}" in progress.revealed}),
        findings=_either(
            metrics, machine, hidden, {m for m in metrics if f"metric:{m}" in progress.revealed}
        ),
        figures=_either(METRICS, machine, hidden, _figures_in(before_roles, after_roles)),
        roles=roles,
        can_reveal_roles=not before_roles and not roles,
        preview=not missing and not hidden,
        cost=not missing or machine,
        facts=progress.is_recorded,
        missing=missing,
        transcript=transcript_seen(progress),
        rated=machine or is_rated(progress),
        thoughts=thoughts_seen(progress),
    )


def due_reveals(progress: Progress) -> frozenset[str]:
    """The reveals that the evaluator's judgements have made due; the caller stores each as a row, once."""
    thoughts = {THOUGHTS} if progress.has_private and may_open_thoughts(progress) else set()
    return frozenset(_due_values(progress) | thoughts) - progress.revealed


def _due_values(progress: Progress) -> set[str]:
    if progress.reveal != BLIND_FIRST or not is_rated(progress):
        return set()
    due = set()
    if not any(_references(progress)):
        found = frozenset(progress.judgeable.counted + progress.judgeable.possible)
        labelled = progress.values.get(judgement_kinds.REFERENCE, {})
        due = {f"reference:{subject}" for subject in labelled if subject in found}
    due |= {f"metric:{metric}" for metric in SAMPLED if not any(_sample(progress, metric))}
    if roles_seen(progress) and not any(_role_labels(progress)):
        due.add(f"metric:{judgement_kinds.ROLE_CONSISTENCY}")
        if not any(_before_roles(progress)):
            due.add(SCORES)
    return due


def get_phase(progress: Progress, kind: str, subject: str) -> str:
    """ "revealed" if the automatic value was already shown to this evaluator, else "blind"."""
    if kind == judgement_kinds.ATTRIBUTION:
        return "blind"
    if progress.reveal == ALONGSIDE or {SCORES, THOUGHTS} & progress.revealed:
        return "revealed"
    if kind in (judgement_kinds.QUESTION, judgement_kinds.RATING) and any(map(is_value, progress.revealed)):
        return "revealed"
    if kind in (judgement_kinds.ROLE_CONSISTENCY, judgement_kinds.DELIBERATE):
        return "revealed" if f"metric:{judgement_kinds.ROLE_CONSISTENCY}" in progress.revealed else "blind"
    shown = {
        ROLES,
        f"metric:{kind}",
        f"reference:{subject}" if kind in judgement_kinds.SENTENCE_KINDS else ROLES,
    }
    return "revealed" if shown & progress.revealed else "blind"


def list_references(progress: Progress) -> list[str]:
    """Every subject that can be labelled as a reference: found automatically, or marked by the evaluator."""
    marked = progress.values.get(judgement_kinds.MISSED, {})
    return sorted({*progress.judgeable.counted, *progress.judgeable.possible, *marked}, key=parse_subject)


def asked_references(progress: Progress) -> list[str]:
    """The references that need a label, in transcript order: the counted ones and those the evaluator marked."""
    return sorted(
        {*progress.judgeable.counted, *progress.values.get(judgement_kinds.MISSED, {})}, key=parse_subject
    )


def open_suggestions(progress: Progress) -> list[str]:
    """The suggested references that the evaluator neither marked, labelled nor dismissed."""
    kinds = (judgement_kinds.MISSED, judgement_kinds.REFERENCE)
    judged = {subject for kind in kinds for subject in progress.values.get(kind, {})}
    return list_unasked(progress.judgeable.possible, judged, progress.revealed)


def asks_for_others(progress: Progress) -> bool:
    """Whether no sentence counts as a reference, none is suggested, and the evaluator has not said so."""
    judgeable, labels = progress.judgeable, progress.values.get(judgement_kinds.REFERENCE, {})
    return (
        judgeable.asks_suggestions
        and not judgeable.possible
        and SUGGESTIONS not in progress.revealed
        and all(labels.get(s) == judgement_kinds.NOT_A_REFERENCE for s in asked_references(progress))
    )


def make_dismissal(shown: Sequence[str]) -> str:
    """The reveal name that says: the evaluator looked at these suggested references and marked none."""
    return f"{SUGGESTIONS}:{shown[0]}-{shown[-1]}"


def is_dismissal(what: str) -> bool:
    return what.partition(":")[0] == SUGGESTIONS


def is_possible_dismissal(progress: Progress, what: str) -> bool:
    """Whether the name stands for all suggested references, or for a range of those in the game."""
    first, _, last = what.partition(":")[2].partition("-")
    possible = progress.judgeable.possible
    is_range = {first, last} <= set(possible) and parse_subject(first) <= parse_subject(last)
    return what == SUGGESTIONS or is_range


def asked_roles(progress: Progress) -> list[int]:
    """The messages that need a label of role consistency: those that violate the rules, and the sample."""
    return sorted({*progress.inconsistent, *progress.samples[judgement_kinds.ROLE_CONSISTENCY]})


def asked_count(progress: Progress) -> int:
    """How many judgements are required, as far as the evaluator may know; reveals are none.

    Before the reveal it counts the sample of role consistency alone: how many messages violate the rules stays hidden.
    """
    roles = asked_roles(progress) if roles_seen(progress) else _role_sample(progress)
    samples = sum(len(progress.samples[metric]) for metric in SAMPLED)
    rating = progress.judgeable.question_count + 1
    is_whole = progress.judgeable.asks_suggestions
    references = list_references(progress) if is_whole else asked_references(progress)
    return asked_in_test(progress) + rating + len(references) + samples + len(roles)


def asked_in_test(progress: Progress) -> int:
    """How many messages the blind test asks about; once it is over or skipped, those that were answered."""
    is_done = progress.is_test_over or transcript_seen(progress)
    answers = progress.values.get(judgement_kinds.ATTRIBUTION, {})
    return len(answers) if is_done else progress.judgeable.unseen_count


def count_judged(progress: Progress, missing: Iterable[Missing]) -> tuple[int, int]:
    """How many judgements are given of those that are required, and `asked_count`, when these are missing."""
    needed = asked_count(progress)
    later = 0 if roles_seen(progress) else len(_role_sample(progress))
    given = needed - later - sum(judgement.kind != "reveal" for judgement in missing)
    return max(given, 0), needed


def _role_sample(progress: Progress) -> tuple[int, ...]:
    return progress.samples[judgement_kinds.ROLE_CONSISTENCY]


def is_rated(progress: Progress) -> bool:
    """Whether the questions are answered and a rating that fits them is given."""
    return not any(_engagement(progress))


def count_more(revealed: Iterable[str]) -> Counter[str]:
    """How many further batches of messages the evaluator asked for, by metric."""
    return Counter(what.split(":")[1] for what in revealed if what.startswith(f"{MORE_MESSAGES}:"))


def is_value(what: str) -> bool:
    return what.partition(":")[0] in ("reference", "metric")


def _either(everything: Iterable[str], machine: bool, hidden: bool, earned: set[str]) -> frozenset[str]:
    return frozenset(everything) if machine else frozenset() if hidden else frozenset(earned)


def transcript_seen(progress: Progress) -> bool:
    return not progress.judgeable.unseen_count or TRANSCRIPT in progress.revealed or progress.is_recorded


def roles_seen(progress: Progress) -> bool:
    return ROLES in progress.revealed or progress.reveal == ALONGSIDE


def thoughts_seen(progress: Progress) -> bool:
    """Whether what agents thought, and what only some heard, may be seen: the one gate of the private track."""
    return progress.has_private and (THOUGHTS in progress.revealed or progress.is_recorded)


def may_open_thoughts(progress: Progress) -> bool:
    """Whether every answer on the roles is stored, which thoughts would give away, and every answer before them."""
    if not roles_seen(progress) or any(_before_roles(progress)) or progress.is_role_open:
        return False
    return not any(_role_labels(progress))


def _figures_in(before_roles: tuple[Missing, ...], after_roles: tuple[Missing, ...]) -> set[str]:
    """Metrics whose score depends on no missing judgement; none before the rating is in."""
    steps = {missing.step for missing in before_roles}
    if "engagement" in steps:
        return set()
    is_done = {"": not before_roles, "roles": not before_roles and not after_roles}
    return {key for key, metric in METRICS.items() if is_done.get(metric.step, metric.step not in steps)}


def _before_roles(progress: Progress) -> Iterator[Missing]:
    if not transcript_seen(progress):
        yield from _test(progress)
    yield from _engagement(progress)
    yield from _references(progress)
    for metric in SAMPLED:
        yield from _sample(progress, metric)
    if progress.value(judgement_kinds.IDENTIFY_DECIDES, ""):
        for player in list_unidentified(progress):
            yield _missing(
                judgement_kinds.IDENTIFY,
                str(player),
                say("Agent {player} of the manual check has no answer yet.", player=player),
            )


def _test(progress: Progress) -> Iterator[Missing]:
    for number in () if progress.is_test_over else range(1, progress.judgeable.unseen_count + 1):
        if not progress.value(judgement_kinds.ATTRIBUTION, str(number)):
            says = say("Message {number} of the test is assigned to nobody yet.", number=number)
            yield _missing(judgement_kinds.ATTRIBUTION, str(number), says)
    yield Missing(
        "reveal", TRANSCRIPT, "identify", say("The transcript is still closed; open it after the test.")
    )


def _references(progress: Progress) -> Iterator[Missing]:
    for subject in asked_references(progress):
        if not progress.value(judgement_kinds.REFERENCE, subject):
            yield _missing(
                judgement_kinds.REFERENCE,
                subject,
                say(
                    "The reference in message {message} has no label yet.",
                    message=parse_subject(subject)[0],
                ),
            )
    for subject in open_suggestions(progress) if progress.judgeable.asks_suggestions else ():
        says = say(
            "The suggested reference in message {message} has no answer yet.",
            message=parse_subject(subject)[0],
        )
        yield _missing(judgement_kinds.REFERENCE, subject, says)
    if asks_for_others(progress):
        says = say("No reference is found: say that there is none, or mark one.")
        yield Missing("reveal", SUGGESTIONS, "references", says)


def _sample(progress: Progress, metric: str) -> Iterator[Missing]:
    name = say("coherence") if metric == judgement_kinds.COHERENCE else say("strategic depth")
    for position in progress.samples[metric]:
        if not progress.value(metric, str(position)):
            says = say(
                "Message {position} of the {name} sample is not judged yet.", position=position, name=name
            )
            yield _missing(metric, str(position), says)


def _engagement(progress: Progress) -> Iterator[Missing]:
    count = progress.judgeable.question_count
    for number in range(1, count + 1):
        if not progress.value(judgement_kinds.QUESTION, str(number)):
            yield _missing(
                judgement_kinds.QUESTION,
                str(number),
                say("Question {number} is not answered yet.", number=number),
            )
    rating = judgement_kinds.parse_rating(progress.value(judgement_kinds.RATING, ""))
    if rating is None:
        yield _missing(judgement_kinds.RATING, "", say("The rating is not given yet."))
        return
    yes = sum(
        answer == judgement_kinds.YES for answer in progress.values.get(judgement_kinds.QUESTION, {}).values()
    )
    if yes >= progress.yes_needed and rating < progress.least_rating:
        least = f"{float(progress.least_rating):g}"
        says = say(
            "{yes} of {count} answers are yes: the rubric puts the rating at {least} or more. ",
            yes=yes,
            count=count,
            least=least,
        )
        yield _missing(judgement_kinds.RATING, "", says + say("Change the rating or an answer."))


def _role_labels(progress: Progress) -> Iterator[Missing]:
    for position in asked_roles(progress):
        if not progress.value(judgement_kinds.ROLE_CONSISTENCY, str(position)):
            says = say("Message {position} has no label of role consistency yet.", position=position)
            yield _missing(judgement_kinds.ROLE_CONSISTENCY, str(position), says)


def list_unidentified(progress: Progress) -> list[int]:
    """The agents without an answer in the manual check; none if the test replaces it."""
    if progress.judgeable.unseen_count:
        return []
    return [
        player
        for player in progress.judgeable.speakers
        if not progress.value(judgement_kinds.IDENTIFY, str(player))
    ]


def _missing(kind: str, subject: str, says: str) -> Missing:
    return Missing(kind, subject, STEP_BY_KIND[kind], says)
