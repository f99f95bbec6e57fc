"""What leaves of stages, iterations and games, for leads; and of an evaluator's own evaluations.

Lines of JSON have every field, tables those with words.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import msgspec
from msgspec import Raw

from discussions import models
from discussions.core import judgement_kinds as kinds
from discussions.exports.core import find_current_verdict
from discussions.models import Evaluation
from rubric.exports.queries import version
from rubric.models import Reviewer
from rubric.models.comparisons import ELSEWHERE
from workspace.exports.core.choices import assign_pseudonyms, name_people
from workspace.exports.core.tables import INTEGER, MOMENT, NUMBER, TEXT, YES_NO, column
from workspace.exports.queries import ACT_COLUMNS, Exported, Line, field, given, list_acts, raw
from workspace.models import Export, Person

OUTSIDE = "outside"


class ExportNames:
    """Names by key of a person or a reviewer, as the export wants them: real ones or pseudonyms."""

    def __init__(self, export: Export) -> None:
        people = Person.objects.order_by("pk").values_list("pk", "name", "email", "is_system")
        rows = list(people)
        self.has_pseudonyms = export.has_pseudonyms
        self.by_key: dict[int, str] = name_people((key, name, email) for key, name, email, _is in rows)
        self.pseudonyms: dict[Hashable, str] = {}
        if export.has_pseudonyms:
            evaluators = Evaluation.objects.filter(game__project=export.project).order_by()
            reviewers = Reviewer.objects.filter(set__project=export.project)
            # Those whose reviews came by file may be people.
            outside = reviewers.filter(kind=ELSEWHERE).values_list("pk", flat=True)
            groups: dict[str, list[Hashable]] = {
                "Evaluator": list(evaluators.values_list("evaluator", flat=True).distinct()),
                "Reviewer": [
                    *reviewers.filter(person__isnull=False).values_list("person", flat=True),
                    *((OUTSIDE, key) for key in outside),
                ],
                "Lead": [key for key, _name, _email, is_system in rows if not is_system],
            }
            self.pseudonyms = assign_pseudonyms(groups, export.seed)
            self.by_key |= {key: self.pseudonyms[key] for key in self.by_key if key in self.pseudonyms}

    def person(self, key: int | None) -> str | None:
        """The person with that key; None for nobody."""
        return None if key is None else self.by_key[key]

    def reviewer(self, key: int, person: int | None, kind: str, name: str) -> str:
        """A reviewer: a person as anywhere else; models keep their names."""
        if person is not None:
            return self.by_key[person]
        return self.pseudonyms.get((OUTSIDE, key), name) if kind == ELSEWHERE else name


# The name of each kind of judgement in exports.
JUDGEMENT_WORDS = {
    **dict.fromkeys((kinds.REFERENCE, kinds.ROLE_CONSISTENCY, kinds.STATEMENT), "label"),
    **dict.fromkeys((kinds.MISSED, kinds.DELIBERATE, kinds.STRATEGIC_DEPTH, kinds.COHERENCE), "override"),
    kinds.PHRASE: "override",
    **dict.fromkeys((kinds.IDENTIFY, kinds.IDENTIFY_DECIDES, kinds.ATTRIBUTION, kinds.QUESTION), "answer"),
    kinds.RATING: "rating",
}
AT, BY = field("at", of="created_at"), field("by", of="created_by")


def _by_hand(kind: str) -> Any:
    """Reads the newest figure of the kind that a lead entered for a game."""

    def read(game: Mapping[str, Any]) -> float | None:
        values = [figure["value"] for figure in game["manual_figures"] if figure["kind"] == kind]
        return float(values[-1]) if values else None

    return read


def _count_submitted(game: Line) -> int:
    return sum(row["state"] == "submitted" and row["purpose"] == "rating" for row in game["evaluations"])


def _passes(game: Line) -> bool | None:
    verdict = find_current_verdict(game)
    return None if verdict is None else verdict["passes"]


def _rename_in_basis(names: ExportNames, basis: str) -> Raw:
    """The basis with pseudonyms in place of the evaluators' keys. Its hash remains that of the stored basis."""
    if not names.has_pseudonyms:
        return Raw(basis)
    read = msgspec.json.decode(basis)
    for evaluation in read["evaluations"]:
        evaluation["evaluator"] = names.person(evaluation["evaluator"])
    return Raw(msgspec.json.encode(read))


def _decided(name: str) -> Any:
    return lambda item: item["decisions"][-1][name] if item["decisions"] else None


# `door` is the gate as it was when the next stage was opened, null before.
STAGES = Exported(
    "stage",
    models.Stage,
    "pk",
    *("number", "name", "goal", "streak_unit", "engagement_rule", "created_at", "created_by"),
    *("stated_at", "stated_by", "statement", "closed_at", "closed_by", raw("door"), "override_reason"),
)
# With the figures that they were made on. A later one supersedes; the last counts.
DECISIONS = Exported(
    "decisions",
    models.Decision,
    "iteration",
    *("number", field("compared_with", of="compared_with__number"), "look", "choice", "reason"),
    *(raw("proposal"), raw("basis"), "basis_sha256", AT, BY),
    order="number",
)
# Unsorted games are iteration 0.
ITERATIONS = Exported(
    "iteration",
    models.Iteration,
    "pk",
    field("number", "number of the iteration in the project", column="iteration"),
    field("stage", "number of the stage; empty for unsorted games", of="stage__number", ahead_of="iteration"),
    field(
        "stage_name",
        "name of the stage",
        of="stage__name",
        make=lambda _names, name: name or "",
        ahead_of="iteration",
    ),
    field("name", "name of the iteration"),
    field("iteration_kind", "unsorted, baseline or change", of="kind", column="kind"),
    field("state", "state of the work"),
    version("rubric_version", "the version that judges its games"),
    field("evaluator_count", "how many evaluators a game needs", column="evaluators"),
    field("reveal", "blind_first, alongside or never"),
    "identification",
    field("prompt", "the agents' prompt"),
    field("prompt_sha256", "SHA-256 of the prompt"),
    field("compared_with", "the iteration that a change is compared with", of="compared_with__number"),
    field("baseline", of="baseline__number"),
    field("replay_of", "the iteration whose prompt is played again", of="replay_of__number"),
    field("target", "key of the metric that is to improve"),
    raw("material"),
    field("change_note", "what was changed and why"),
    *("hunk_count", "hunks_answer", "least_games"),
    given("erased_games", INTEGER, "erased games whose figures still count"),
    field("created_at", "when it was made"),
    field("created_by", "by whom"),
    field("opened_at", "when it was opened for rating"),
    "opened_by",
    DECISIONS,
    column("decision", TEXT, "keep, revert or inconclusive; empty before", _decided("choice")),
    column("decision_reason", TEXT, "why", _decided("reason")),
    column("decided_at", MOMENT, "when", _decided("at")),
    column("decided_by", TEXT, "by whom", _decided("by")),
)
JUDGEMENTS = Exported(
    "judgements",
    models.Judgement,
    "evaluation",
    field(
        "word",
        "label, override, answer or rating",
        of="kind",
        make=lambda _names, kind: JUDGEMENT_WORDS.get(kind, kind),
    ),
    field("kind", "the kind of judgement, such as reference or coherence", column="about"),
    field("subject", "what it is about: 19.2 is sentence 2 of message 19, 19 message 19, 4 question 4"),
    field("value", "what counts now; empty: undone"),
    field("blind_value", "what was said before anything was revealed"),
    field("reason", "the reason, where one was given"),
    list_acts(models.Revision, "judgement", "phase"),
    *ACT_COLUMNS,
)
REMARKS = Exported(
    "remarks",
    models.Remark,
    "evaluation",
    *("kind", "target", "text", AT, BY, "resolved_at", "resolved_by"),
    Exported("replies", models.FlagReply, "flag", "text", AT, BY),
)
# `findings_sha256` names the measurement that it was shown beside, `seed` the draw of its accuracy samples.
EVALUATIONS = Exported(
    "evaluations",
    models.Evaluation,
    "game",
    field("id", "key of the evaluation", of="pk", column="evaluation"),
    field("evaluator", "who judged"),
    field("purpose", "rating, repeat (a hidden duplicate) or calibration"),
    field("state", "state of the evaluation; only submitted ones count"),
    *("seed", "identification", version("rubric_version", of="measured__rubric_version")),
    *(field("findings_sha256", of="measured__findings_sha256"), "created_at"),
    field("submitted_at", "when the evaluation was submitted"),
    *("skipped_reason", "returned_comment", "released_reason", JUDGEMENTS),
    Exported("reveals", models.Reveal, "evaluation", "what", AT),
    REMARKS,
)
# `figures` is metric -> [numerator, denominator, is applicable, is pending]; `findings` metric -> measurement with
# every message, reference, player and phrase that counted.
MEASUREMENTS = Exported(
    "measurements",
    models.Measured,
    "game",
    *(version("rubric_version"), "code_version", "round_offset_number", "input_hash", "findings_sha256"),
    *(AT, raw("figures"), raw("findings", of="findings__body")),
)
# `before` is the superseded decision's answer, null for the first.
ADJUDICATIONS = Exported(
    "adjudications",
    models.Adjudication,
    "game",
    field("kind", "the kind of judgement, such as reference or coherence", column="about"),
    field("subject", "what it is about: 19.2 is sentence 2 of message 19, 19 message 19, 4 question 4"),
    field("number", "counts the decisions on that subject"),
    field("before", of="supersedes__value"),
    field("after", "what counts; empty: it is no reference", of="value", column="value"),
    field("reason", "why"),
    *(field("adopted_evaluation", of="adopted"), "sides_sha256"),
    field("at", "when", of="created_at", column="decided_at"),
    field("by", "by whom", of="created_by", column="decided_by"),
)
# What models answered: no part of an evaluation; a basis has what divided an estimate. `judge_identity` is the hash of
# model, parameters and prompt.
JUDGE_ANSWERS = Exported(
    "judge_answers",
    models.JudgeAnswer,
    "prompt__game",
    field("judge", "number of the judge in the project", of="prompt__judge__number"),
    field("judge_name", "its name", of="prompt__judge__name"),
    field("judge_identity", of="prompt__judge__identity"),
    field("kind", "the kind of judgement, such as reference or coherence", of="prompt__kind", column="about"),
    field("subject", "what it is about: 19.2 is sentence 2 of message 19, 19 message 19; empty: the game"),
    field("value", "what the judge answered; empty: it could not tell"),
    field("purpose", "rating, or repeat: asked a second time, under other names", of="prompt__purpose"),
)
JUDGES = Exported(
    "judge",
    models.Judge,
    "pk",
    *("number", "name", "model", "is_called", "parameters", "prompt", "identity", "created_at", "created_by"),
    *("suspended_at", "suspended_by", "suspended_reason", "ended_at", "ended_by"),
    Exported(
        "admissions",
        models.Admission,
        "judge",
        *(
            "metric",
            "side",
            "use",
            "figures",
            "admitted_at",
            "admitted_by",
            "ended_at",
            "ended_by",
            "ended_why",
        ),
    ),
)
# `supersedes` is the number of the verdict before.
VERDICTS = Exported(
    "verdicts",
    models.Verdict,
    "game",
    field("number", "counts the verdicts on that game"),
    field("passes", "PASS or FAIL"),
    field("passed_count", "how many metrics pass"),
    field("composite", "the weighted sum that lists are sorted by"),
    field("flip_distance", "the fewest judgements that would turn it"),
    field("weak_pass_count", "metrics that pass with little or nothing to count"),
    version("rubric_version", "the version by which it was judged"),
    field("basis", make=_rename_in_basis),
    field("basis_sha256", "SHA-256 of everything that it rests on"),
    raw("outcome"),
    field("reason", "why an earlier one was superseded"),
    field("supersedes", of="supersedes__number"),
    field(
        "is_current",
        "whether no later one supersedes it",
        of="superseded_by",
        make=lambda _names, newer: newer is None,
        kind=YES_NO,
        ahead_of="passes",
    ),
    field("at", "when", of="created_at", column="recorded_at"),
    field("by", "by whom", of="created_by", column="recorded_by"),
)
# `record` is the transcript with every message; then what was measured, judged and decided.
GAMES = Exported(
    "game",
    models.Game,
    "pk",
    field("number", "number of the game in the project", column="game"),
    field("game_id", "what the file calls the game", of="source_id"),
    field("iteration", "number of the iteration; 0 for unsorted games", of="iteration__number"),
    field(
        "stage",
        "number of the stage; empty for unsorted games",
        of="iteration__stage__number",
        ahead_of="iteration",
    ),
    field("file", "name of the imported file", of="transcript__name"),
    field("file_sha256", "SHA-256 of the imported file", of="transcript__sha256"),
    field("content_sha256", "SHA-256 of the game as it was read"),
    field("player_count", "how many players", column="players"),
    field("message_count", "how many messages", column="messages"),
    field("word_count", "how many words in all messages", column="words"),
    field("round_count", "how many rounds", column="rounds"),
    field("vote_count", "how many recorded votes", column="votes"),
    field("cost_usd", "dollars by the file; empty: not reported"),
    column("cost_by_hand_usd", NUMBER, "dollars as a lead entered them, which count then", _by_hand("cost")),
    field("cache_hit_rate", "share from 0 to 1 by the file"),
    column("cache_by_hand", NUMBER, "share as a lead entered it, which counts then", _by_hand("cache")),
    field("input_tokens", "tokens that went in, by the file"),
    field(
        "played_on",
        "day on which it was played, by the file",
        make=lambda _names, day: "" if day is None else day.isoformat(),
    ),
    field("model_build", "builds of its models, by the file"),
    field("seed", "seed of its roles, names and order, by the file"),
    field("pair", "name that games have in common which differ only in the prompt"),
    raw("warnings"),
    field("imported_at", "when it was imported", of="created_at", ahead_of="players"),
    field("imported_by", "who imported it", of="created_by", ahead_of="players"),
    field(
        "is_withdrawn",
        "whether averages leave it out",
        of="withdrawn_at",
        make=lambda _names, at: at is not None,
        kind=YES_NO,
    ),
    *("needed_count", "needed_reason", raw("record", of="text__body")),
    Exported(
        "queue_draws",
        models.QueueDraw,
        "game",
        field("rules", "the version of the queue rules that decided; empty by hand", of="rules__number"),
        *("row", "probability", "chance", "is_in", "drawn_at", "placed_at", "placed_by"),
    ),
    Exported("round_offsets", models.RoundOffset, "game", "number", "offset", AT, BY),
    Exported("manual_figures", models.ManualFigure, "game", "kind", "number", "value", "reason", AT, BY),
    Exported("withdrawals", models.Withdrawal, "game", "number", "is_withdrawn", "reason", AT, BY),
    Exported(
        "codes",
        models.Coding,
        "game",
        field("category", "the category as it was given", of="category__name"),
        field("merged_into", "the category that it was merged into", of="category__end__merged_into__name"),
        *("message", AT, BY, "removed_at", "removed_by"),
    ),
    *(MEASUREMENTS, EVALUATIONS, ADJUDICATIONS, JUDGE_ANSWERS, VERDICTS),
    column("evaluations", INTEGER, "how many evaluations for rating are submitted", _count_submitted),
    column("passes", YES_NO, "the verdict that counts; empty without one", _passes),
)
# What evaluators see of their own work without a reveal; `transcript` is null while it is closed to them.
OWN_EVALUATIONS = Exported(
    "own_evaluation",
    models.Evaluation,
    "pk",
    field("id", "key of the evaluation", of="pk", column="evaluation"),
    given("game", INTEGER, "number under which the evaluator knows the game"),
    field("evaluator", "who judged"),
    field("state", "draft, submitted, returned, skipped or lapsed"),
    field("created_at", "when it was started"),
    field("submitted_at", "when the evaluation was submitted"),
    field("returned_comment", "what a lead said who returned it"),
    JUDGEMENTS,
    Exported("remarks", models.Remark, "evaluation", "kind", "target", "text", AT),
    given("transcript"),
)
