"""The page of all components, to check the design by eye."""

from django.http import HttpResponse
from django.utils import timezone

from workspace.design.forms import make_sample
from workspace.design.pages import build_design_page
from workspace.design.permissions import check_see_design
from workspace.web.bind_form import only_parameters
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

SCHEMES = ("light", "dark")


@require("see_design")
def design(request: SignedIn) -> HttpResponse:
    """All components in light, in dark, or as the browser is set."""
    asked = only_parameters(request, "scheme")["scheme"]
    check_see_design(request.user)
    scheme = asked if asked in SCHEMES else ""
    page = build_design_page(scheme=scheme, now=timezone.now())
    context = {"page": page, "form": make_sample(), **frame(request.user, None, "overview")}
    return respond(request, page="workspace/design/design.html", context=context)
