"""The template language of the site: what every template may use without being handed it."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.template.defaultfilters import capfirst, date, default_if_none, filesizeformat, floatformat
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, gettext, ngettext
from django_htmx.jinja import htmx_script
from jinja2 import Environment, StrictUndefined

from workspace import markup

# What a view may leave out, also the request. A template that names anything else that it was not given is an error.
OPTIONAL: dict[str, Any] = {
    "request": None,
    "user": AnonymousUser(),
    "theme": "",
    "csrf_token": "",
    "csrf_input": "",
    "project": None,
    "section": "",
    "may_lead": False,
    "oob": False,
}
THEMES = ("light", "dark")


def viewer(request: HttpRequest) -> dict[str, object]:
    """The person and the look they chose, for every page; a request refused early has no person yet."""
    theme = request.COOKIES.get("theme", "")
    return {
        "user": getattr(request, "user", OPTIONAL["user"]),
        "theme": theme if theme in THEMES else "",
    }


def url(name: str, *args: Any, **kwargs: Any) -> str:
    """The address of a view."""
    return reverse(name, args=args or None, kwargs=kwargs or None)


def language() -> str:
    """The language of the page."""
    return get_language() or settings.LANGUAGE_CODE


def environment(**options: Any) -> Environment:
    """The environment of all templates: values are escaped, a name that nobody gave is an error."""
    options |= {"undefined": StrictUndefined, "extensions": ["jinja2.ext.i18n"]}
    env = Environment(**options)
    env.policies["ext.i18n.trimmed"] = True
    env.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    env.globals.update(OPTIONAL, url=url, static=static, htmx_script=htmx_script, get_language=language)
    env.filters.update(
        capfirst=capfirst,
        date=date,
        default_if_none=default_if_none,
        filesizeformat=filesizeformat,
        floatformat=floatformat,
        **markup.FILTERS,
    )
    import evalsite.oldtags as old; old.install(env)
    return env
