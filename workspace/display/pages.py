"""Markdown files: the templates `templates/**/*.md`, in Jinja2.

Filters: `md` escapes our own sentences and those of the rubric, `plain` everything that somebody else wrote, `fenced`
puts longer text in a fence; `day` and `minute` show dates. A long line of the document continues in the template after
`{#- #}` or `{{-`, which remove the line break.
"""

from functools import cache

from django.conf import settings
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from workspace.core.markdown import escape_inline, fenced, plain


def render_markdown(template: str, **context: object) -> str:
    return _environment().get_template(template).render(context).rstrip("\n") + "\n"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(settings.BASE_DIR / "templates"),
        autoescape=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"md": escape_inline, "plain": plain, "fenced": fenced}
    made.filters |= {"day": "{:%Y-%m-%d}".format, "minute": "{:%Y-%m-%d %H:%M} UTC".format}
    return made
