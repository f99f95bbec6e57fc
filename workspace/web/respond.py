"""The last step of every view: a region for htmx, a redirect after a plain form, else the page."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import IO, Any, cast

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django_htmx.http import HttpResponseClientRedirect

from workspace.access.permissions import may_lead
from workspace.models import Person, Project
from workspace.web.require import is_htmx


def respond(
    request: HttpRequest,
    *,
    page: str,
    region: str | None = None,
    context: Mapping[str, Any] | None = None,
    status: int = 200,
    redirect: str | None = None,
) -> HttpResponse:
    """Answer with `region` when htmx asks and there is one, 303 to `redirect` after a plain POST, else with `page`.

    With htmx and no region a `redirect` is followed by the browser itself. A status of 400 and more never redirects:
    the same page or region says what is wrong.
    """
    values = dict(context or {})
    if is_htmx(request):
        if region is not None:
            return _draw(request, region, values, status)
        if redirect is not None and status < 400:
            return HttpResponseClientRedirect(redirect)
    if redirect is not None and request.method == "POST" and status < 400:
        return HttpResponseRedirect(redirect, status=303)
    return _draw(request, page, values, status)


def _draw(request: HttpRequest, template: str, values: dict[str, Any], status: int) -> HttpResponse:
    return HttpResponse(render_to_string(template, values, request), status=status)


def frame(person: Person, project: Project | None = None, section: str = "") -> dict[str, object]:
    """What the frame around every page shows: the project one is in, its sections, whether one leads it."""
    is_lead = project is not None and may_lead(person, project)
    return {"project": project, "section": section, "may_lead": is_lead}


def download(body: bytes, name: str, content_type: str) -> HttpResponse:
    """A file under a name of ours, never shown inline."""
    return HttpResponse(body, content_type=content_type, headers=_name_file(name))


def stream(parts: Iterable[str | bytes], name: str, content_type: str) -> HttpResponse:
    """A file under a name of ours, sent part by part: all together may not fit into memory."""
    answer = StreamingHttpResponse(parts, content_type=content_type, headers=_name_file(name))
    # Views and middleware treat an answer that is sent piece by piece as any other.
    return cast(HttpResponse, answer)


def _name_file(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}


def download_file(file: IO[bytes], name: str, content_type: str) -> HttpResponse:
    """A file of any size under a name of ours, sent piece by piece; it is closed afterwards."""
    answer = FileResponse(file, as_attachment=True, filename=name, content_type=content_type)
    answer["Cache-Control"] = "no-store"
    return cast(HttpResponse, answer)


def tell_saved(answer: HttpResponse, saved_at: datetime | None) -> HttpResponse:
    """Say in a header when the work was stored, if it was."""
    if saved_at:
        answer["X-Saved"] = timezone.localtime(saved_at).strftime("%H:%M:%S")
    return answer
