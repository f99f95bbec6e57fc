"""Judges of a project: what they are asked, how far they are, what they cost, and what people answered beside them."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec
from django.db.models import Count, F, Max, Min, Q, QuerySet, Subquery, Sum
from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.effective import machine_values
from discussions.adjudication.queries import adjudications_in
from discussions.core import judgement_kinds as kinds
from discussions.core.evaluation_states import SUBMITTED
from discussions.core.judgement_kinds import parse_subject
from discussions.core.records import Measurement
from discussions.judges.core.contract import (
    Contract,
    JudgedItem,
    Repeat,
    conclude_contracts,
    find_baseline,
    share_agreeing,
)
from discussions.judges.core.drift import Baseline, Drift, watch_drift
from discussions.judges.core.prompts import CRITERIA, build_judge_prompt
from discussions.metrics.core.parameters import list_sides
from discussions.models import (
    Adjudication,
    Admission,
    Evaluation,
    Game,
    Guideline,
    Judge,
    JudgeAnswer,
    Judgement,
    JudgePrompt,
    JudgeReply,
    Measured,
    MeasuredFindings,
    Withdrawal,
)
from discussions.models.judges import FAILED, OPEN, UNREADABLE
from discussions.models.slots import RATING, REPEAT
from discussions.queries import game_record, load_measurements, measured_for, newest_measured, rubric_record
from discussions.queue.core import active_minutes
from discussions.queue.queries import load_times
from discussions.reliability.queries import game_texts, query_submitted, query_twice, read_answers
from discussions.verdicts.core.people_estimate import POSITIVE, build_strata
from workspace.models import Event, Project
from workspace.statistics.means import predict_share

# Which items of a game are asked: those that people answered blind, or all of the kind.
ANSWERED_BLIND, ALL = "answered", "all"
# Games whose texts and findings are in memory together, and whose evaluations are timed.
MOST_READ = 100
# Games of which people's estimate is computed with and without a judge.
MOST_GAINS = 20
# Game, kind, subject.
Item = tuple[int, str, str]
_FINDINGS: Any = msgspec.json.Decoder(dict[str, Measurement])


def judges_in(project: Project) -> "QuerySet[Judge]":
    rows = Judge.objects.filter(project=project).select_related("project", "created_by")
    return rows.order_by("-number")


def find_admissions(project: Project) -> "QuerySet[Admission]":
    """Those that are open."""
    rows = Admission.objects.filter(judge__project=project, ended_at=None)
    return rows.select_related("judge", "admitted_by").order_by("pk")


def list_admissions(judge: Judge) -> "QuerySet[Admission]":
    """All of the judge, the newest first."""
    return judge.admissions.select_related("admitted_by", "ended_by").order_by("-pk")


def load_admitted(project: Project) -> dict[tuple[str, str], Admission]:
    """(Metric, side) -> which judge is admitted there, for what use and since when; one query."""
    return {(row.metric, row.side): row for row in find_admissions(project)}


class JudgeProgress(Struct, frozen=True):
    """How far a judge is: prompts by state, items with an answer, what its calls cost and took.

    `cost` is None while nothing is known of it; `unpriced` calls have no price. `time` is in ms. `remarks`
    counts the texts on which the reader noted something.
    """

    prompts: int = 0
    open: int = 0
    unread: int = 0
    answers: int = 0
    calls: int = 0
    cost: Decimal | None = None
    unpriced: int = 0
    time: int = 0
    remarks: int = 0


def load_progress(judges: Collection[int]) -> dict[int, JudgeProgress]:
    """Judge -> its progress; three queries for any number of judges."""
    found: dict[int, dict[str, Any]] = {judge: {} for judge in judges}

    def add(rows: Any, **figures: Any) -> None:
        """Count the rows, whose `by` is the key of their judge."""
        for row in rows.order_by().values("by").annotate(**figures):
            found[row.pop("by")] |= row

    prompts = JudgePrompt.objects.filter(judge__in=judges)
    unread = Count("pk", filter=Q(state__in=(UNREADABLE, FAILED)))
    is_open = Count("pk", filter=Q(state=OPEN))
    add(prompts.annotate(by=F("judge")), prompts=Count("pk"), open=is_open, unread=unread)
    answers = JudgeAnswer.objects.filter(prompt__judge__in=judges)
    add(answers.annotate(by=F("prompt__judge")), answers=Count("pk"))
    add(
        JudgeReply.objects.filter(prompt__judge__in=judges).annotate(by=F("prompt__judge")),
        calls=Count("pk"),
        cost=Sum("cost_usd"),
        unpriced=Count("pk", filter=Q(cost_usd=None)),
        time=Sum("took_ms", default=0),
        remarks=Count("pk", filter=~Q(flags=[])),
    )
    return {judge: JudgeProgress(**values) for judge, values in found.items()}


def load_default_guideline(project: Project) -> str:
    newest = Guideline.objects.filter(project=project).order_by("-number").first()
    return newest.text if newest is not None else ""


def list_items(game: Game, kind: str, which: str) -> list[str]:
    """The subjects of that kind in a measured game, unordered; LookupError if it is not measured."""
    measured = newest_measured(game)
    if measured is None:
        raise LookupError(f"game {game.pk} is not measured")
    if which == ANSWERED_BLIND:
        rows = Judgement.objects.filter(
            evaluation__game=game, evaluation__purpose=RATING, evaluation__state=SUBMITTED, kind=kind
        )
        return sorted(set(rows.exclude(blind_value="").values_list("subject", flat=True)))
    if kind == kinds.RATING:
        return [""]
    findings = load_measurements(measured.pk, measured.findings_sha256)
    return _list_all(findings[CRITERIA[kind]], kind)


def _list_all(found: Measurement, kind: str) -> list[str]:
    if kind == kinds.REFERENCE:
        return [reference.subject for reference in found.references if reference.is_counted]
    first = 2 if kind == kinds.COHERENCE else 1
    return [str(finding.message) for finding in found.messages if finding.message >= first]


def list_asked(judge: Judge, games: Collection[int]) -> dict[tuple[int, str, str], set[str]]:
    """(Game, kind, purpose) -> the subjects that the judge answered, or whose answer is to come."""
    asked: dict[tuple[int, str, str], set[str]] = defaultdict(set)
    rows = JudgePrompt.objects.filter(judge=judge, game__in=games).order_by("pk")
    for game, kind, purpose, subjects in rows.filter(state=OPEN).values_list(
        "game", "kind", "purpose", "subjects"
    ):
        asked[game, kind, purpose].update(subjects)
    columns = ("prompt__game", "prompt__kind", "prompt__purpose", "subject")
    answers = JudgeAnswer.objects.filter(prompt__judge=judge, prompt__game__in=games)
    for game, kind, purpose, subject in answers.values_list(*columns):
        asked[game, kind, purpose].add(subject)
    return asked


def prompts_to_build() -> "QuerySet[JudgePrompt]":
    return JudgePrompt.objects.select_related("judge__project", "game", "rubric_version").defer(
        "game__warnings"
    )


def build_text(prompt: JudgePrompt) -> str:
    """The prompt's text; its row comes from `prompts_to_build`."""
    game, version = prompt.game, prompt.rubric_version
    return build_judge_prompt(
        game_record(game.pk, game.content_sha256),
        rubric_record(version.pk, version.sha256),
        kind=prompt.kind,
        subjects=prompt.subjects,
        seed=prompt.seed,
        instruction=prompt.judge.prompt,
    )


def sum_cost(judge: Judge) -> Decimal:
    spent = JudgeReply.objects.filter(prompt__judge=judge).aggregate(cost=Sum("cost_usd"))["cost"]
    return spent or Decimal(0)


def find_open(judge: Judge) -> "QuerySet[JudgePrompt]":
    """The prompts without an answer, as they were made."""
    return prompts_to_build().filter(judge=judge, state=OPEN, game__erased_at=None).order_by("number")


def load_contracts(judge: Judge) -> dict[tuple[str, str], Contract]:
    """(Metric, side) -> what the judge may do there, by the items that people answered blind, too.

    Kept until the judge or people in its project answer again, or its games are withdrawn, restored or measured.
    """
    return _conclude(judge.pk, *_stamp(judge))


def _stamp(judge: Judge) -> tuple[str, tuple[int | None, ...]]:
    """What changes when anything changes that contracts, drift and gain are computed from."""
    replies = JudgeReply.objects.filter(prompt__judge=judge).aggregate(Max("pk"), Count("pk"))
    rated = query_submitted(judge.project).aggregate(Count("pk"), Sum("version"), Max("pk"))
    decided = Adjudication.objects.filter(game__project=judge.project).aggregate(Count("pk"), Max("pk"))
    asked = JudgePrompt.objects.filter(judge=judge).values("game")
    games = [
        rows.filter(game__in=asked).aggregate(Max("pk")) for rows in (Withdrawal.objects, Measured.objects)
    ]
    stamp = (*replies.values(), *rated.values(), *decided.values(), *(one["pk__max"] for one in games))
    return f"{judge.identity} {judge.created_at}", stamp


@lru_cache(maxsize=64)
def _conclude(judge: int, _identity: str, _stamp: tuple[int | None, ...]) -> dict[tuple[str, str], Contract]:
    items, repeats = load_judged_items(judge)
    return conclude_contracts(items, repeats, {CRITERIA[kinds.RATING]})


def load_judged_items(judge: int) -> tuple[list[JudgedItem], list[Repeat]]:
    """Every item that the judge was asked, with people's blind answers on it; and what it answered twice."""
    first, again = _load_answers(judge, RATING), _load_answers(judge, REPEAT)
    items = list(_read_items(first))
    repeats = [
        Repeat(CRITERIA[item[1]], first[item], value, is_permuted=True)
        for item, value in again.items()
        if value and first.get(item)
    ]
    return items, repeats


def load_drifts(judge: Judge) -> dict[tuple[str, str], tuple[Baseline, Drift]]:
    """(Metric, side) -> how the judge agreed with what people had said before it was asked, and with what came after.

    Of a judge that was resumed, all that was said before belongs to its trial. Ratings are not watched.
    """
    resumed = Event.objects.filter(
        chain__project=judge.project, verb="judge:resumed", object_id=str(judge.pk)
    ).aggregate(Max("at"))["at__max"]
    return _watch(judge.pk, *_stamp(judge), resumed)


@lru_cache(maxsize=64)
def _watch(
    judge: int, _identity: str, _stamp: tuple[int | None, ...], resumed: datetime | None
) -> dict[tuple[str, str], tuple[Baseline, Drift]]:
    made = JudgePrompt.objects.filter(judge=judge, purpose=RATING).exclude(kind=kinds.RATING)
    first = made.values_list("game", "kind").annotate(Min("created_at"))
    ends = {(game, CRITERIA[kind]): max(at, resumed or at) for game, kind, at in first}
    rows = Evaluation.objects.submitted_ratings().filter(game__in={game for game, _metric in ends})
    times: dict[tuple[int, int], Any] = {
        row[:2]: row[2] for row in rows.values_list("game", "evaluator", "submitted_at")
    }
    trial: dict[tuple[str, str], list[JudgedItem]] = defaultdict(list)
    later: dict[tuple[str, str], list[tuple[Any, float]]] = defaultdict(list)
    for item in _read_items(_load_answers(judge, RATING)):
        key, end = (item.metric, item.role), ends.get((item.game, item.metric))
        if end is None or not item.judge:
            continue
        before = {person: said for person, said in item.people.items() if times[item.game, person] < end}
        trial[key].append(replace(item, people=before))
        if after := {person: said for person, said in item.people.items() if person not in before}:
            said_at = min(times[item.game, person] for person in after)
            later[key].append((said_at, share_agreeing(item.judge, list(after.values()))))
    return {
        key: (
            baseline := find_baseline(trial[key]),
            watch_drift(baseline, [share for _at, share in sorted(found)]),
        )
        for key, found in later.items()
    }


def _read_items(answers: dict[Item, str]) -> Iterator[JudgedItem]:
    """Each item of measured games with the judge's answer and people's."""
    games = sorted({game for game, _kind, _subject in answers})
    people = _load_people(games)
    keys = {
        (game, one.kind, one.subject): one.value
        for game, found in adjudications_in(games).items()
        for one in found
    }
    parts = [games[at : at + MOST_READ] for at in range(0, len(games), MOST_READ)]
    facts = {game: fact for part in parts for game, fact in _read_facts(part)}
    for (game, kind, subject), value in answers.items():
        if game in facts:
            sides, rules = facts[game]
            side = sides[parse_subject(subject)[0] - 1] if subject else ""
            rule, key = rules.get((kind, subject), ""), keys.get((game, kind, subject), "")
            said = people.get((game, kind, subject), {})
            yield JudgedItem(CRITERIA[kind], side, game, rule, said, value, key)


def _load_answers(judge: int, purpose: str) -> dict[Item, str]:
    """Game, kind and subject of everything asked that counts, with the answer; "" without one."""
    prompts = JudgePrompt.objects.filter(judge=judge, purpose=purpose, game__withdrawn_at=None)
    rows = prompts.exclude(state=OPEN).order_by("pk").values_list("pk", "game", "kind", "subjects")
    asked = {key: (game, kind) for key, game, kind, _subjects in rows}
    found = {(game, kind, subject): "" for _key, game, kind, subjects in rows for subject in subjects}
    answers = JudgeAnswer.objects.filter(prompt__judge=judge, prompt__purpose=purpose).order_by()
    for key, subject, value in answers.values_list("prompt", "subject", "value"):
        if key in asked:
            found[*asked[key], subject] = value
    return found


def _load_people(games: Collection[int]) -> dict[Item, dict[int, str]]:
    """Game, kind and subject -> evaluator -> the blind answer."""
    found: dict[Item, dict[int, str]] = defaultdict(dict)
    evaluations = Evaluation.objects.submitted_ratings().filter(game__in=games)
    rows = Judgement.objects.filter(evaluation__in=evaluations, kind__in=CRITERIA)
    for answer in read_answers(rows):
        found[answer.game, answer.kind, answer.subject][answer.evaluator] = answer.value
    return found


def _read_facts(games: Sequence[int]) -> Iterator[tuple[int, tuple[list[str], dict[tuple[str, str], str]]]]:
    """Game -> the side of the speaker of each message, "" where it is not known, and the automatic values."""
    newest = Subquery(measured_for().order_by("-pk").values("pk")[:1])
    columns = ("pk", "newest", "iteration__rubric_version", "iteration__rubric_version__sha256")
    rows = Game.objects.filter(pk__in=games).annotate(newest=newest).values_list(*columns)
    measured = {game: (findings, version, sha256) for game, findings, version, sha256 in rows if findings}
    bodies = dict(
        MeasuredFindings.objects.filter(measured__in=[row[0] for row in measured.values()]).values_list(
            "measured", "body"
        )
    )
    for game, _number, record in game_texts(game__in=list(measured)):
        findings, version, sha256 = measured[game]
        sides = list_sides(record, rubric_record(version, sha256).lists["role_map"])
        yield game, (sides, machine_values(_FINDINGS.decode(bodies[findings])))


def load_gains(judge: Judge) -> dict[str, tuple[int, int, int]]:
    """Metric -> answers of people in a game, as many as give the same interval without the judge, and how many games.

    Of the newest games of which it answered every message. A width shrinks with the root of the number of answers.
    """
    return _gain(judge.pk, *_stamp(judge))


@lru_cache(maxsize=64)
def _gain(judge: int, _identity: str, _stamp: tuple[int | None, ...]) -> dict[str, tuple[int, int, int]]:
    said: dict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    for (game, kind, subject), value in _load_answers(judge, RATING).items():
        said[game, kind][subject] = value
    games = sorted({game for game, _kind in said})[-MOST_GAINS:]
    people = _load_people(games)
    found: dict[str, list[tuple[int, float, float]]] = defaultdict(list)
    for game, (_sides, rules) in _read_facts(games):
        for kind in POSITIVE:
            machine = {subject: value for (of, subject), value in rules.items() if of == kind}
            # Of coherence nobody is asked about the first message.
            asked = machine.keys() - {"1"} if kind == kinds.COHERENCE else machine.keys()
            answers = {
                subject: Counter(given.values()).most_common(1)[0][0]
                for subject in asked
                if (given := people.get((game, kind, subject)))
            }
            if answers and answers.keys() < asked <= said[game, kind].keys():
                plain, helped = (
                    predict_share(build_strata(kind, machine, answers, answers.keys(), one))
                    for one in (None, said[game, kind])
                )
                found[CRITERIA[kind]].append((len(answers), helped[2] - helped[1], plain[2] - plain[1]))
    return {metric: _average_gain(rows) for metric, rows in found.items()}


def _average_gain(rows: Sequence[tuple[int, float, float]]) -> tuple[int, int, int]:
    answers, helped, plain = (sum(column) / len(rows) for column in zip(*rows, strict=True))
    return round(answers), round(answers * (plain / helped) ** 2), len(rows)


def load_costs(judge: Judge, progress: JudgeProgress) -> dict[str, Any]:
    """Of a hundred judgements: dollars and minutes of the judge, minutes of people; None where nothing is known.

    `repeats` and `own_repeats` are (how many differ, how many there are), `silent` is (without an answer, asked).
    """
    first, again = _load_answers(judge.pk, RATING), _load_answers(judge.pk, REPEAT)
    twice = [(first[item], value) for item, value in again.items() if value and first.get(item)]
    share = 100 / progress.answers if progress.answers else None
    by_call = progress.time / 60_000 if progress.time else None
    return {
        "usd": None if progress.cost is None or share is None else float(progress.cost) * share,
        "minutes": None if by_call is None or share is None else by_call * share,
        "own_minutes": _time_people(sorted({game for game, _kind, _subject in first})[-MOST_READ:]),
        "repeats": (sum(one != other for one, other in twice), len(twice)),
        "own_repeats": _compare_repeats(judge.project),
        "silent": (sum(not value for value in first.values()), len(first)),
    }


def _time_people(games: Collection[int]) -> float | None:
    """Minutes of people's work for a hundred blind answers in these games."""
    rated = Evaluation.objects.submitted_ratings().filter(game__in=games)
    rows = rated.values_list("pk", "created_at", "submitted_at")
    spans = {key: (begun, ended) for key, begun, ended in rows if ended}
    worked = [active_minutes(times) for times in load_times(spans).values()]
    known = [minutes for minutes in worked if minutes is not None]
    answered = Judgement.objects.filter(evaluation__in=rated).exclude(blind_value="").count()
    if not known or not answered:
        return None
    return 100 * sum(known) / len(known) * len(worked) / answered


def _compare_repeats(project: Project) -> tuple[int, int]:
    """Of people's hidden duplicates: how many answers differ, of how many."""
    pairs: dict[tuple[int, int, str, str], dict[str, str]] = defaultdict(dict)
    for one in read_answers(query_twice(project).filter(kind__in=CRITERIA)):
        pairs[one.game, one.evaluator, one.kind, one.subject][one.purpose] = one.value
    both = [list(pair.values()) for pair in pairs.values() if len(pair) == 2]
    return sum(one != other for one, other in both), len(both)
