"""Jobs that compute the statistics of a comparison set, and drafts made from fitted weights.

Figures are stored with the hash of their input, one kind after the other.
"""

from datetime import datetime

from django.utils.translation import gettext as _
from msgspec.structs import replace

from rubric.models import ComparisonSet, RubricVersion
from rubric.reviewer_statistics.core.figure_kinds import TUNING, TuningFigures
from rubric.reviewer_statistics.core.weights_fit import Tuning
from rubric.reviewer_statistics.permissions import check_tune
from rubric.reviewer_statistics.queries import SET_STATISTICS, present_figures
from rubric.reviews.permissions import check_see_results
from rubric.versions.actions import import_version
from rubric.versions.permissions import check_edit_rubrics
from workspace.core.limits import LONGEST_REASON
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.words import decode_stored
from workspace.jobs.actions import Clock
from workspace.models import Job, Person
from workspace.stored_statistics.actions import compute_missing, enqueue_missing


def ask_for_figures(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> Job | None:
    """Queue a job for the set's figures that are not stored; None when nothing is missing. Raises NotAllowed."""
    check_see_results(by, comparison_set)
    return queue_figures(comparison_set=comparison_set, by=by, now=now)


def queue_figures(*, comparison_set: ComparisonSet, by: Person, now: datetime) -> Job | None:
    """Do the same without a permission check, for an act that was allowed already, such as closing the set."""
    return enqueue_missing(store=SET_STATISTICS, owner=comparison_set, by=by, now=now)


def compute_figures(*, job: Job, clock: Clock) -> None:
    """Compute what is missing. Raises JobLost when the job was taken over."""
    compute_missing(store=SET_STATISTICS, job=job, clock=clock)


TARGETS = ("holistic", "preferences")


def adopt_weights(
    *, comparison_set: ComparisonSet, target: str, basis: str, by: Person, now: datetime
) -> RubricVersion:
    """Make a draft of the set's version with the weights fitted to `target`; its change note is the fit.

    `basis` is the input hash of the figures that the person saw. Raises NotAllowed, Conflict when the input has changed
    since, Unacceptable where the evidence speaks against adopting.
    """
    check_edit_rubrics(by)
    check_tune(by, comparison_set)
    if target not in TARGETS:
        raise Unacceptable(_("Choose which of the two fits to adopt."), field="target")
    row = present_figures(comparison_set, TUNING)
    if row is None or row.input_sha256 != basis:
        says = _(
            "The reviews have changed since you opened the page. Compute the figures again and look at them."
        )
        raise Conflict(says, code="figures_changed")
    fit: Tuning = getattr(decode_stored(row.body, TuningFigures), target)
    if fit.weights is None or not fit.is_worth_adopting:
        raise Unacceptable(_("These weights cannot be adopted: %(reason)s") % {"reason": fit.reason})
    version = comparison_set.rubric_version
    record = version.to_record()
    criteria = [replace(criterion, weight=float(fit.weights[criterion.key])) for criterion in record.criteria]
    return import_version(
        record=replace(record, criteria=criteria),
        rubric=version.rubric,
        note=write_change_note(comparison_set, fit, basis)[:LONGEST_REASON],
        by=by,
        now=now,
    )


def write_change_note(comparison_set: ComparisonSet, fit: Tuning, basis: str) -> str:
    """The change note: what was fitted to what, on how much data, how well it fits, and the hash of the data."""
    version = comparison_set.rubric_version
    weights = ", ".join(
        f"{key} {value} ({fit.default[key]:.4f})" for key, value in (fit.weights or {}).items()
    )
    values = {
        "target": _("holistic scores") if fit.target == "holistic" else _("preferences told by rankings"),
        "number": comparison_set.number,
        "project": comparison_set.project.slug,
        "name": comparison_set.name,
        "version": version.number,
        "responses": fit.responses,
        "comparisons": fit.comparisons,
        "weights": weights,
        "fitted": f"{fit.fitted_error:.4f}",
        "default": f"{fit.default_error:.4f}",
        "gain": f"{fit.gain:.4f}",
        "error": f"{fit.gain_error:.4f}",
        "shrinkage": f"{fit.shrinkage:g}",
        "basis": basis,
    }
    return (
        _(
            "Weights fitted to %(target)s in comparison set %(number)d of %(project)s (%(name)s), reviewed under "
            "version %(version)s: %(responses)d responses to %(comparisons)d questions. Fitted weight (default): "
            "%(weights)s. Error on questions left out %(fitted)s, with the default weights %(default)s: a gain of "
            "%(gain)s, standard error %(error)s. Shrinkage %(shrinkage)s. Data %(basis)s."
        )
        % values
    )
