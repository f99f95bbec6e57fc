"""The site's addresses and a few more, whose views fail in ways that real ones should not."""

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpResponse
from django.urls import include, path

from evalsite.urls import handler400, handler403, handler404, handler429, handler500  # noqa: F401
from workspace.core.refusals import Conflict, Malformed, NotAllowed, TooOften, Unacceptable, Unavailable
from workspace.web.views import require

FAULTS = {
    "malformed": Malformed("The form was wrong."),
    "refused": NotAllowed("Not now."),
    "denied": PermissionDenied(),
    "missing": Http404("secret of the exception"),
    "conflict": Conflict("Somebody else changed this first.", detail={"yours": 1, "theirs": 2}),
    "large": RequestDataTooBig("secret of the exception"),
    "unacceptable": Unacceptable("Not like that.", field="name"),
    "often": TooOften("Too often.", retry_after=77),
    "away": Unavailable("Away."),
    "suspicious": SuspiciousOperation("secret of the exception"),
    "database": OperationalError("secret of the exception"),
    "broken": ZeroDivisionError("secret of the exception"),
}


@require("anyone", methods=("GET", "POST"))
def fail(_request, what):
    raise FAULTS[what]


@require("anyone")
def download(_request):
    answer = HttpResponse(b"[]", content_type="application/json")
    answer["Content-Disposition"] = 'attachment; filename="report.json"'
    return answer


@require("anyone", methods=("POST",))
def take(request):
    return HttpResponse(str(len(request.POST)))


def unguarded(_request):
    return HttpResponse("nobody said who may see this")


urlpatterns = [
    path("fail/<str:what>/", fail),
    path("download/", download),
    path("take/", take),
    path("unguarded/", unguarded),
    path("", include("evalsite.urls")),
]
