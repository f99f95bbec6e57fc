"""What leaves of rubric versions, comparison sets and reviews. People are named as in the rest of the export."""

from collections.abc import Iterator
from typing import Any, Protocol

from rubric import models
from rubric.core.records import HOLISTIC, RubricRecord
from rubric.core.response_order import map_labels
from rubric.core.scores import round_half_up, score_marks
from rubric.reviews.queries import load_own_numbers
from workspace.exports.core.tables import INTEGER, MOMENT, NUMBER, TEXT, YES_NO, ExportTable, column
from workspace.exports.queries import (
    ACT_COLUMNS,
    Exported,
    Field,
    Line,
    PeopleNames,
    field,
    given,
    list_acts,
    list_batches,
)
from workspace.models import Person, Project

# The number of comparisons in memory at once.
BATCH = 50
# What a set leaves without while its owner may not see its reviews and authors.
HIDDEN = frozenset({"reviews", "author", "id"})


class ReviewerNames(PeopleNames, Protocol):
    def reviewer(self, key: int, person: int | None, kind: str, name: str) -> str:
        """A reviewer; models keep their names."""


def version(name: str, says: str = "", *, of: str = "") -> Field:
    """A rubric version: key of its rubric and number."""
    lookups = (f"{of or name}__rubric__key", f"{of or name}__number")
    return field(name, says, of=lookups, make=lambda _names, *parts: " ".join(parts), kind=TEXT)


def _reviewer(path: str) -> Any:
    return [f"{path}{name}" for name in ("pk", "person", "kind", "name")]


VERSIONS = Exported(
    "rubric_version",
    models.RubricVersion,
    "pk",
    *(field("rubric", of="rubric__key"), "number", "state", "sha256", "note", "published_at", "published_by"),
    field("body", make=lambda _names, body: models.RubricVersion(body=body).to_record()),
)
# `left_out` says why reviews and authors are not in this export, "" if they are.
SETS = Exported(
    "comparison_set",
    models.ComparisonSet,
    "pk",
    *("number", "name", version("rubric_version"), "mode", "has_second_round", "people_needed"),
    *("created_at", "created_by", "closed_at", "closed_by"),
    Exported(
        "reviewers",
        models.Reviewer,
        "set",
        field("name", of=_reviewer(""), make=lambda names, *reviewer: names.reviewer(*reviewer)),
        *("kind", "model", "parameters", "ended_at"),
    ),
    given("left_out"),
)
# Subjects number responses in the order shown.
MARKS = Exported(
    "marks",
    models.Mark,
    "review",
    field("about", "holistic, score, notes or ranking", of="kind"),
    field("subject", "place of the response as shown, with the criterion"),
    field("value", "what counts now; cannot is “cannot judge”"),
    field("reason", "the reason, where one was given"),
    list_acts(models.MarkRevision, "mark"),
    *ACT_COLUMNS,
)


def _finish_reviews(reviews: list[Line]) -> None:
    for review in reviews:
        label_of = {number: label for label, number in review["labels"].items()}
        rows = {label_of[row["number"]]: row for row in review.pop("reviewed")}
        rubric = models.RubricVersion(body=review.pop("rubric")).to_record()
        review["answer"] = build_answer(
            review.pop("ranking"), {label: _write_scores(row, rubric) for label, row in rows.items()}
        )
        review["cannot_judge"] = {
            label: row["cannot_judge"] for label, row in rows.items() if row["cannot_judge"]
        }
        review["incomplete"] = [label for label, row in rows.items() if row["is_incomplete"]]
        review["own"] = [label for label, row in rows.items() if row["is_own"]]


def build_answer(ranking: list[list[str]], evaluations: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The decision record's JSON of a review: a place with a single label is that label, not a list of one."""
    places = [place[0] if len(place) == 1 else place for place in ranking]
    return {"ranking": places, "evaluations": evaluations}


def _write_scores(row: Line, rubric: RubricRecord) -> dict[str, Any]:
    """A response in the decision record's JSON: scores as given, our overall on the common scale to two places."""
    overall = score_marks(row["scores"], rubric).value
    written: dict[str, Any] = dict(row["scores"])
    if overall is not None:
        written["overall"] = float(round_half_up(overall))
    if row["holistic"] is not None:
        written["holistic"] = row["holistic"]
    if row["notes"]:
        written["notes"] = row["notes"]
    return written


# A review, also a superseded one; only those whose purpose is "rating" count. `labels` says which response each label
# stood for; `answer` is the decision record's JSON. It has a `ranking` of labels (a list of labels if several share a
# place) and for each label under `evaluations` the scores by criterion with `overall`, `holistic` and `notes`.
# `cannot_judge` is label -> criterion -> reason, `own` the labels of the reviewer's own responses.
REVIEWS = Exported(
    "reviews",
    models.Review,
    "comparison",
    field("id", of="pk"),
    field("reviewer", of=_reviewer("reviewer__"), make=lambda names, *reviewer: names.reviewer(*reviewer)),
    *(field("reviewer_kind", of="reviewer__kind"), "round", "purpose", "state", "mode", "is_blind"),
    *("criteria_first", field("labels", of="order", make=lambda _names, order: map_labels(order))),
    *(given("answer"), given("cannot_judge"), given("incomplete"), given("own"), "flags", "correction"),
    *("corrected_at", "corrected_by", "created_at", "submitted_at", MARKS),
    Exported(
        "answers",
        models.Answer,
        "review",
        *("attempt", "source", "part", "model", "parameters", "text", "finish_reason", "prompt_tokens"),
        *(
            "answer_tokens",
            field("cost_usd", make=lambda _names, cost: None if cost is None else float(cost)),
        ),
        *("took_ms", "error", field("at", of="created_at")),
        order="attempt",
    ),
    # What `finish` makes the answer from.
    Exported(
        "reviewed",
        models.ReviewedResponse,
        "review",
        *(field("number", of="response__number"), "scores", "holistic", "notes", "cannot_judge"),
        *("is_incomplete", "is_own"),
        order="position",
    ),
    field("rubric", of="reviewer__set__rubric_version__body"),
    field("ranking", of=("reported_ranking", "ranking"), make=lambda _names, reported, own: reported or own),
    finish=_finish_reviews,
)
# The author is the name of a model or person as given, "" if unknown.
RESPONSES = Exported(
    "responses",
    models.Response,
    "comparison",
    field("number", "number of the response in its comparison", column="response"),
    field("id", "its name in the file that it was imported from", of="key"),
    field(
        "author",
        "the model or person that wrote it, where known",
        of=("author", "written_by"),
        make=lambda names, author, person: names.person(person) or author,
        kind=TEXT,
    ),
    field("words", "how many words it has", of="word_count"),
    field("text", "the response"),
    order="number",
)
PLACE = (
    column("set", INTEGER, "number of the comparison set in the project"),
    column("set_name", TEXT, "name of the comparison set"),
)
ROUND = column("round", INTEGER, "round of the review, 1 or 2")
NUMBER_IN_SET = column("comparison", INTEGER, "number of the comparison in its set")
COMPARISONS = Exported(
    "comparison",
    models.Comparison,
    "pk",
    field("set", PLACE[0].says, of="set__number"),
    field("set_name", PLACE[1].says, of="set__name"),
    field("number", NUMBER_IN_SET.says, column="comparison"),
    field("id", "its name in the file that it was imported from", of="key"),
    field("question", "the question that the responses answer"),
    column("responses", INTEGER, "how many responses it has", lambda item: len(item["responses"])),
    column(
        "reviews",
        INTEGER,
        "how many reviews of it were submitted",
        lambda item: sum(review["state"] == "submitted" for review in item["reviews"]),
    ),
    field("created_at", "when it was made"),
    field("created_by", "by whom"),
    *(RESPONSES, REVIEWS),
)
OWN_NUMBER = "number under which the reviewer knows the comparison: 1 for the first that they started"
# A reviewer's own review, with what they were shown: `responses` under their labels, and no author. A hidden duplicate
# looks like any other review: it has the number and the states that its page shows.
OWN_REVIEWS = Exported(
    "own_review",
    models.Review,
    "pk",
    field("set", PLACE[0].says, of="comparison__set__number"),
    field("set_name", PLACE[1].says, of="comparison__set__name"),
    given("comparison", INTEGER, OWN_NUMBER),
    field("question", "the question that the responses answer", of="comparison__question"),
    given("responses"),
    field("reviewer", "who reviewed", of="reviewer__person"),
    field("round", "round of the review, 1 or 2"),
    field(
        "state",
        "draft or submitted",
        of="submitted_at",
        make=lambda _names, at: "submitted" if at else "draft",
        kind=TEXT,
    ),
    field("created_at", "when it was started"),
    field("submitted_at", "when the review was submitted"),
    MARKS,
)

TABLES = (
    ExportTable("comparisons", "A row for each comparison.", tuple(COMPARISONS.list_columns())),
    ExportTable(
        "responses",
        "A row for each response of a comparison.",
        (*PLACE, NUMBER_IN_SET, *RESPONSES.list_columns()),
    ),
    ExportTable(
        "marks",
        "A row for each entry of each review that was submitted: a score, or why there is none, or notes.",
        (
            *(*PLACE, NUMBER_IN_SET),
            column("response", INTEGER, "number of the response in its comparison"),
            column("reviewer", TEXT, "who reviewed"),
            column("reviewer_kind", TEXT, "person, model or elsewhere"),
            ROUND,
            column("is_blind", YES_NO, "whether the reviewer could not see answers before"),
            column("position", INTEGER, "place at which the response was shown, from 1"),
            column("is_own", YES_NO, "whether the reviewer wrote the response"),
            column(
                "criterion",
                TEXT,
                "key of the criterion; holistic (a holistic score), overall (the weighted sum, computed), notes",
            ),
            column(
                "score",
                NUMBER,
                "as given, on the criterion's scale; empty where it cannot be judged, and for notes",
            ),
            column("text", TEXT, "the notes, or why it cannot be judged"),
            column("submitted_at", MOMENT, "when the review was submitted"),
        ),
    ),
)
_OWN_PLACE = (*PLACE, column("comparison", INTEGER, OWN_NUMBER), ROUND)
OWN_TABLES = (
    ExportTable("reviews", "A row for each review of one's own.", tuple(OWN_REVIEWS.list_columns())),
    ExportTable(
        "responses",
        "A row for each response, under the label that the reviewer saw.",
        (
            *_OWN_PLACE,
            column("label", TEXT, "Response A, Response B and so on"),
            column("text", TEXT, "the response"),
        ),
    ),
    ExportTable(
        "marks", "A row for each thing that the reviewer said.", (*_OWN_PLACE, *MARKS.list_columns())
    ),
)


def rows_of(item: Line) -> Iterator[tuple[str, Line]]:
    """The rows for a line about comparisons, each with the name of its table; none for other lines."""
    if item["kind"] == COMPARISONS.name:
        yield "comparisons", item
        place = {"set": item["set"], "set_name": item["set_name"], "comparison": item["number"]}
        yield from (("responses", {**place, **response}) for response in item["responses"])
        for review in item["reviews"]:
            if review["state"] == "submitted":
                yield from (("marks", {**place, **review, **entry}) for entry in _entries(review))
    elif item["kind"] == OWN_REVIEWS.name:
        yield "reviews", item
        yield from (
            ("responses", {**item, "label": label, "text": text}) for label, text in item["responses"].items()
        )
        yield from (("marks", {**item, **mark}) for mark in item["marks"])


def _entries(review: Line) -> Iterator[Line]:
    """What a submitted review says of each response by criterion."""
    for position, (label, number) in enumerate(review["labels"].items(), start=1):
        about = {"response": number, "position": position, "is_own": label in review["own"]}
        for criterion, value in review["answer"]["evaluations"].get(label, {}).items():
            if criterion == "notes":
                yield {**about, "criterion": criterion, "score": None, "text": value}
            elif value is not None:
                yield {**about, "criterion": criterion, "score": float(value), "text": ""}
        for criterion, reason in review["cannot_judge"].get(label, {}).items():
            yield {**about, "criterion": criterion or HOLISTIC, "score": None, "text": reason}


def stream_set(row: models.ComparisonSet, *, left_out: str, names: ReviewerNames) -> Iterator[Line]:
    """A set, then its comparisons; with `left_out` without reviews and authors."""
    for line in SETS.stream([[row.pk]], names):
        yield {**line, "left_out": left_out}
    hidden = HIDDEN if left_out else frozenset[str]()
    yield from COMPARISONS.stream(list_batches(row.comparisons.all(), BATCH), names, hidden)


def stream_own_reviews(project: Project, person: Person, names: ReviewerNames) -> Iterator[Line]:
    """The person's own reviews of a project, with what the person was shown to review them."""
    rows = models.Review.objects.visible_to(person).filter(reviewer__set__project=project)
    numbers = dict[int, int]()
    for keys in list_batches(rows, BATCH):
        reviews = models.Review.objects.filter(pk__in=keys).order_by("pk")
        texts = {
            (comparison, number): text
            for comparison, number, text in models.Response.objects.filter(
                comparison__reviews__in=keys
            ).values_list("comparison", "number", "text")
        }
        lines = OWN_REVIEWS.stream([keys], names)
        for line, (key, reviewer, comparison, order) in zip(
            lines, reviews.values_list("pk", "reviewer", "comparison", "order"), strict=True
        ):
            if key not in numbers:
                numbers |= load_own_numbers(reviewer)
            shown = {label: texts[comparison, number] for label, number in map_labels(order).items()}
            yield {**line, "comparison": numbers[key], "responses": shown}
