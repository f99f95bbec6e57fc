"""The page of all components, to check the design by eye."""

from datetime import UTC, datetime, timedelta

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from workspace.design.forms import SampleForm
from workspace.design.permissions import check_see_design
from workspace.display.core import charts
from workspace.web.views import SignedIn, frame, only_parameters, require, respond

SCHEMES = ("light", "dark")
HOSTILE = "Ana\u202e <b>&"


@require("see_design")
def design(request: SignedIn) -> HttpResponse:
    asked = only_parameters(request, "scheme")["scheme"]
    check_see_design(request.user)
    scheme = asked if asked in SCHEMES else ""
    form = SampleForm({"name": "Lantern", "kind": "b", "text": _("Typed text is kept."), "count": "seven"})
    form.is_valid()
    context = {"scheme": scheme, "form": form, **_samples(timezone.now())}
    context |= frame(request.user, None, "overview")
    return respond(request, page="workspace/design/design.html", context=context)


def _samples(now: datetime) -> dict[str, object]:
    long_ago = datetime(2026, 3, 2, 9, 5, tzinfo=UTC)
    columns = ("name", "games", "share", "cost", "change", "at")
    rows = [
        ("Ana", 12, 87.5, 1.8, 4.2, now - timedelta(hours=3)),
        ("Bo", 7, 79.96, 3.004, -3.1, now - timedelta(days=2)),
        (HOSTILE, 0, 100.0, 0.0, None, long_ago),
    ]
    dots = [charts.DotRow(_("Responses"), [3, 6, 6, 8, 9], 6.4, "6.4", 4.1, 8.7, _("4.1 to 8.7"))]
    intervals = [
        charts.IntervalRow("alpha", 0.62, "0.62", 0.48, 0.74),
        charts.IntervalRow(_("Compared"), 0.31, "0.31", hollow=0.4),
    ]
    shares = [
        (_("Won"), "50\u00a0%", 0.5),
        (_("Level"), "25\u00a0%", 0.25),
        (_("Lost"), "15\u00a0%", 0.15),
        (_("None"), "10\u00a0%", 0.1),
    ]
    return {
        "hostile": HOSTILE,
        "rows": [dict(zip(columns, row, strict=True)) for row in rows],
        "dots": charts.dot_plot(dots, minimum=1, maximum=10),
        "intervals": charts.interval_plot(intervals, minimum=0, maximum=1, reference=0.5),
        "shares": charts.share_bar(shares),
        "criterion": {
            "description": _("Does the agent refer to what was said before?"),
            "guiding_questions": [_("Is the message named that it answers?")],
            "good_examples": [_("In round 2 you voted for Bo.")],
            "bad_examples": [_("As somebody said.")],
        },
    }
