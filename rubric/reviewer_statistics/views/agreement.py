"""The page of agreement: how far reviewers agree on each criterion, the overall and the holistic score."""

from django.http import HttpResponse
from django.utils.translation import gettext as _

from rubric.core.records import RubricRecord
from rubric.reviewer_statistics.core.agreement import OVERALL, AgreedOn
from rubric.reviewer_statistics.core.figure_kinds import AGREEMENT, AgreementFigures
from rubric.reviewer_statistics.views.state import get_results_set, load_figures
from rubric.sets.queries import reviewer_names
from workspace.statistics.conclusions import Figure
from workspace.statistics.estimates import Agreement
from workspace.statistics.labels import agreement_plot, list_undefined
from workspace.stored_statistics.pages import decode_body
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

MOST_PAIRS = 100


@require("see_results")
def set_agreement(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Pairs that agree least come first; names of others are for leads."""
    comparison_set = get_results_set(request, slug, number)
    head, context, row = load_figures(request, comparison_set, AGREEMENT)
    if row is not None:
        report = decode_body(row, AgreementFigures).report
        record = comparison_set.rubric_version.to_record()
        lines = [
            (_label(agreement, record), agreement, _list_reasons(agreement)) for agreement in report.lines
        ]
        pairs = sorted(report.pairs, key=lambda pair: 2.0 if pair.alpha.value is None else pair.alpha.value)
        context |= {
            "plot": agreement_plot([(label, agreement.alpha, None) for label, agreement, _reasons in lines]),
            "lines": lines,
            "pairs": pairs[:MOST_PAIRS],
            "more_pairs": max(0, len(pairs) - MOST_PAIRS),
            "pairs_on": _("overall") if report.pairs_on == OVERALL else _("holistic score"),
            "names": reviewer_names(comparison_set, request.user, is_lead=head.may_lead),
        }
    return respond(
        request,
        page="rubric/reviewer_statistics/agreement.html",
        region="rubric/reviewer_statistics/_agreement.html",
        context=context,
    )


def _label(agreement: AgreedOn, record: RubricRecord) -> str:
    if agreement.part == OVERALL:
        return _("Weighted overall")
    return record.criterion(agreement.key).label if agreement.key else _("Holistic score")


def _list_reasons(agreement: AgreedOn) -> list[str]:
    """What is undefined, and why."""
    coefficients: list[tuple[str, Agreement | Figure]] = [
        ("alpha", agreement.alpha),
        ("AC2", agreement.ac2),
        ("ICC(2,1)", agreement.icc),
        ("W", agreement.w),
    ]
    return list_undefined(coefficients, agreement.alpha, _("alpha"))
