"""The survey on whether a result is clear: who is asked before a result opens, and what is shown while answering."""

from fractions import Fraction

from django.utils.translation import gettext as _
from msgspec import Struct

from rubric.core.records import HOLISTIC, RubricRecord
from rubric.core.scores import round_half_up
from rubric.models import Comparison, Survey
from rubric.surveys.core import Separated
from rubric.surveys.permissions import check_survey
from rubric.surveys.queries import is_asked_enough, load_survey, separated_in
from workspace.access.permissions import may
from workspace.display.core.charts import IntervalRow, IntervalsChart, interval_plot
from workspace.models import Person

WITH = "with"


class MeanLine(Struct, frozen=True):
    """One criterion's mean scores of both responses."""

    label: str
    first: str
    second: str
    apart: str


class SurveyedResponse(Struct, frozen=True):
    """One of the two responses: "A" ranks above "B". `text` is its own."""

    letter: str
    overall: str
    text: str


class SurveyPage(Struct, frozen=True):
    """The survey of one comparison. Before its start, nothing of the result is shown; only one arm has `means`.

    `is_brought` says that criteria have scales of their own, so that all means are brought to the common one.
    """

    comparison: Comparison
    is_started: bool
    responses: list[SurveyedResponse]
    means: list[MeanLine]
    plot: IntervalsChart | None
    is_brought: bool = False


class SurveyDone(Struct, frozen=True):
    """A person's answers on a result, in words, and whether the separating criterion was named."""

    understood: int
    named: str
    is_right: bool
    right: str


def survey_is_due(*, comparison: Comparison, person: Person) -> bool:
    """Whether to ask the person before the result opens: a reviewer of a closed set, at most a few times a set.

    A started survey stays due until it is answered or skipped, so its arm decides what is shown.
    """
    if comparison.set.closed_at is None or comparison.set.mode == HOLISTIC:
        return False
    if not may(check_survey, person, comparison.set):
        return False
    survey = load_survey(comparison, person)
    if survey is not None:
        return survey.answered_at is None
    return not is_asked_enough(comparison, person) and separated_in(comparison) is not None


def list_criteria(comparison: Comparison) -> list[tuple[str, str]]:
    """The criteria to choose from."""
    return [
        (criterion.key, criterion.label) for criterion in comparison.set.rubric_version.to_record().criteria
    ]


def build_survey_page(*, comparison: Comparison, person: Person) -> SurveyPage:
    """The page of a comparison fetched with its set, project and version, for a person who is asked."""
    survey, found = load_survey(comparison, person), separated_in(comparison)
    record = comparison.set.rubric_version.to_record()
    is_started = survey is not None and found is not None
    has_means = is_started and survey is not None and survey.arm == WITH
    return SurveyPage(
        comparison=comparison,
        is_started=is_started,
        responses=_responses(comparison, found) if is_started and found else [],
        means=_means(found, record) if has_means and found else [],
        plot=_plot(found, record) if has_means and found else None,
        is_brought=bool(record.scales),
    )


def build_survey_done(*, comparison: Comparison, person: Person) -> SurveyDone | None:
    """The person's answers on this result; None without any."""
    survey: Survey | None = load_survey(comparison, person)
    if survey is None or survey.understood is None:
        return None
    labels = dict(list_criteria(comparison))
    found = separated_in(comparison)
    return SurveyDone(
        understood=survey.understood,
        named=labels.get(survey.named, ""),
        is_right=bool(survey.is_right),
        right=", ".join(labels[key] for key in found.most) if found else "",
    )


def _responses(comparison: Comparison, found: Separated) -> list[SurveyedResponse]:
    texts = {str(number): text for number, text in comparison.responses.values_list("number", "text")}
    pairs = zip("AB", (found.first, found.second), found.overalls, strict=True)
    return [
        SurveyedResponse(letter, str(round_half_up(overall)), texts[name]) for letter, name, overall in pairs
    ]


def _means(found: Separated, record: RubricRecord) -> list[MeanLine]:
    return [
        MeanLine(
            record.criterion(key).label,
            str(round_half_up(first)),
            str(round_half_up(other)),
            _signed(first - other),
        )
        for key, (first, other) in found.means.items()
    ]


def _plot(found: Separated, record: RubricRecord) -> IntervalsChart:
    rows = [
        IntervalRow(
            label=record.criterion(key).label, value=float(first), text=str(round_half_up(first)), other=float(other),
            says=_("B %(mean)s") % {"mean": round_half_up(other)},
        )
        for key, (first, other) in found.means.items()
    ]  # fmt: skip
    return interval_plot(rows, minimum=1, maximum=10)


def _signed(value: Fraction) -> str:
    shown = round_half_up(value)
    return f"+{shown}" if shown > 0 else str(shown)
