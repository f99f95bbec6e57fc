"""The template language: what is written finds its way to translators and to the page, escaped."""

from pathlib import Path

import pytest
from django.template import engines
from django.template.loader import get_template, render_to_string
from django.utils.translation import gettext_lazy
from jinja2 import DictLoader, TemplateAssertionError, UndefinedError
from markupsafe import Markup, escape

from evalsite import jinja2 as template_language
from evalsite.jinja2 import CompiledTemplates, environment
from evalsite.preload import MAIN_TEMPLATES, load_templates
from workspace.management.commands.makemessages import messages_as_python

TEMPLATES = Path(__file__).parents[2] / "templates"


class Said(str):
    """A text of a class of its own, as choices of Django are."""


def drawn(source: str, **context: object) -> str:
    return engines["jinja2"].from_string(source).render(context)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('<p>{{ _("Games") }}</p>', "gettext('Games')"),
        ("<p aria-label=\"{{ _('Games') }}\"></p>", "gettext('Games')"),
        ('{{ _("All of "\n   "it") }}', "gettext('All of it')"),
        ('{{ _("Game %(n)s", n=1) }}', "gettext('Game %(n)s')"),
        ('{% set title = _("Games") %}', "gettext('Games')"),
        ('{{ box(_("Games"), text=_("None yet")) }}', "gettext('None yet')"),
        ('{{ _("A") if x else _("B") }}', "gettext('B')"),
        ("{% trans %}Games{% endtrans %}", "gettext('Games')"),
        ("{% trans %}\n  Many\n  games\n{% endtrans %}", "gettext('Many games')"),
        ("{% trans n=1 %}Game {{ n }}{% endtrans %}", "gettext('Game %(n)s')"),
        (
            "{% trans n=1 %}{{ n }} game{% pluralize %}{{ n }} games{% endtrans %}",
            "ngettext('%(n)s game', '%(n)s games', 1)",
        ),
        ('{% macro a() %}{{ _("Games") }}{% endmacro %}', "gettext('Games')"),
        ('{{ _("95 %% interval") }}', "gettext('95 %% interval')"),
    ],
)
def test_translators_find_the_texts_of_every_construct(source, found):
    assert found in messages_as_python(source)


def test_a_text_is_named_with_its_line():
    assert messages_as_python('\n\n{{ _("Games") }}').split("\n")[2] == "gettext('Games')"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("{{ text }}", "&lt;b&gt;"),
        ('{{ _("Not %(text)s", text=text) }}', "Not &lt;b&gt;"),
        ("{% trans text=text %}Not {{ text }}{% endtrans %}", "Not &lt;b&gt;"),
        (
            "{% trans n=2, text=text %}{{ n }} {{ text }}{% pluralize %}{{ n }} {{ text }}s{% endtrans %}",
            "2 &lt;b&gt;s",
        ),
        ("{% macro show(x) %}{{ x }}{% endmacro %}{{ show(text) }}", "&lt;b&gt;"),
        ("{% set said %}{{ text }}{% endset %}{{ said }}", "&lt;b&gt;"),
        ('{{ "%s" % text }}', "&lt;b&gt;"),
    ],
)
def test_values_are_escaped_once_wherever_they_are_written(source, shown):
    assert drawn(source, text="<b>") == shown


def test_a_percent_sign_in_a_text_is_one_on_the_page():
    assert drawn('{{ _("95 %% interval") }}') == "95\u00a0% interval"


def test_a_name_that_no_view_gave_is_an_error():
    with pytest.raises(UndefinedError):
        drawn("{{ page }}")
    with pytest.raises(UndefinedError):
        drawn("{% if page.lines %}{% endif %}", page=object())


def test_whitespace_goes_where_it_means_nothing_and_stays_where_it_does():
    assert drawn("<ul>\n  <li>\n    a\n  </li>\n</ul>") == "<ul><li>a</li></ul>"
    assert drawn("<b>a</b>\n   <i>b</i>") == "<b>a</b> <i>b</i>"
    assert drawn("<b>a</b>  b") == "<b>a</b>  b"


def test_every_template_compiles():
    names = [str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html")]
    assert len(names) > 300
    for name in names:
        get_template(name)


@pytest.mark.parametrize("status", [400, 403, 404, 405, 409, 413, 422, 429, 500, 503])
def test_error_pages_need_no_request(status):
    assert "<main" in render_to_string(
        f"errors/{status}.html", {"reason": "Why", "status": status, "detail": {}}
    )


def test_the_page_of_an_old_form_needs_no_request():
    assert "Why" in render_to_string(
        "errors/too_old.html", {"heading": "That", "reason": "Why", "kept": {"fields": []}}
    )


def test_a_text_area_holds_its_text_and_nothing_before_it():
    template = engines["jinja2"].from_string('<textarea\n  rows="2"\n>\n{{ text }}</textarea>')
    assert template.render({"text": "kept"}) == '<textarea rows="2">\nkept</textarea>'


def test_a_percent_sign_stays_on_the_line_of_its_number():
    assert drawn("<p>{{ score }} % of 80 %</p>", score=5) == "<p>5\u00a0% of 80\u00a0%</p>"
    assert drawn("{% trans n=5 %}{{ n }} % of them{% endtrans %}") == "5\u00a0% of them"


@pytest.mark.parametrize(
    "value",
    ["", "plain", "<b>&'\"", "a < b", Markup("<b>"), 7, True, None, 2.5, gettext_lazy("Games"), Said("<i>")],
)
@pytest.mark.parametrize("source", ["{{ value }}", "{% macro say(x) %}{{ x }}{% endmacro %}{{ say(value) }}"])
def test_a_value_is_written_as_markupsafe_escapes_it(source, value):
    assert drawn(source, value=value) == str(escape(value))


PARTS = {
    "frame": "<p>{% block main %}nothing{% endblock %}{% include 'foot' %}</p>",
    "page": "{% extends 'frame' %}{% from 'macros' import say %}{% set x = 2 %}"
    "{% block main %}{{ say(1) }}{% if x %}{% include 'part' %}{% endif %}3{% endblock %}",
    "part": "{% for n in [x, '<'] %}{{ n }}{% endfor %}",
    "macros": "{% macro say(n) %}{{ n }}{% endmacro %}",
    "foot": "{% filter upper %}end{% endfilter %}",
}


def test_included_parts_stand_where_they_are_included_and_a_template_is_one_text():
    env = environment(loader=DictLoader(PARTS), autoescape=True)
    page = env.get_template("page")
    assert page.render() == "<p>12&lt;3END</p>"
    assert env.get_template("page") is page
    assert len(list(env.get_template("part").generate(x=2))) == 1


def test_an_include_without_context_is_refused():
    with pytest.raises(TemplateAssertionError, match="has the context of the page"):
        drawn("{% include 'base.html' without context %}")


def test_the_main_templates_are_read_before_web_workers_are_forked(monkeypatch):
    monkeypatch.setattr("evalsite.preload.gc.freeze", bool)
    load_templates()
    read = engines["jinja2"].env.read
    assert {"base.html", "discussions/rating/evaluation.html", "discussions/games/game.html"} <= read.keys()
    assert all(any(name.startswith(folder) for name in read) for folder in MAIN_TEMPLATES)


class Counted(CompiledTemplates):
    """How many templates were compiled, since that is what is kept."""

    count = 0

    def dump_bytecode(self, bucket):
        self.count += 1
        super().dump_bytecode(bucket)


def draw_kept(folder, text="<p>{{ 1 + 1 }}</p>"):
    """Draw a template as a process that just started does; what was drawn, and how often it was compiled."""
    env = environment(loader=DictLoader({"a.html": text}), autoescape=True)
    env.bytecode_cache = kept = Counted(folder)
    return env.get_template("a.html").render(), kept.count


def test_a_template_is_compiled_once_until_it_or_what_compiles_it_changes(tmp_path, monkeypatch):
    folder = tmp_path / "cache" / "templates"
    assert draw_kept(folder) == ("<p>2</p>", 1)
    assert draw_kept(folder) == ("<p>2</p>", 0)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert draw_kept(folder, "<p>{{ 1 + 2 }}</p>") == ("<p>3</p>", 1)
    assert len(list(folder.iterdir())) == 1
    changed = tmp_path / "jinja2.py"
    changed.write_text("# another compiler")
    monkeypatch.setattr(template_language, "__file__", str(changed))
    assert draw_kept(folder, "<p>{{ 1 + 2 }}</p>") == ("<p>3</p>", 1)


def test_without_a_place_for_them_templates_are_compiled_each_time(tmp_path):
    taken = tmp_path / "a file"
    taken.write_text("")
    assert draw_kept(taken / "templates") == ("<p>2</p>", 1)
    assert draw_kept(taken / "templates") == ("<p>2</p>", 1)


def test_a_damaged_file_is_compiled_again(tmp_path):
    draw_kept(tmp_path)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:-7])
    assert draw_kept(tmp_path) == ("<p>2</p>", 1)


def test_a_table_is_written_from_its_columns():
    rows = "<tr><th>1</th><td>2</td><td>3</td><td></td></tr>"
    columns = '"<A>", ("B", "num"), none, ("C", "acts hidden"), ""'
    assert drawn(f'{{% call titled_table("t", {columns}) %}}{rows}{{% endcall %}}') == (
        '<div class="table-box" tabindex="0" role="group" aria-labelledby="t"><table class="table" data-cards>'
        '<thead><tr><th scope="col">&lt;A&gt;</th><th scope="col" class="num">B</th>'
        '<th scope="col" class="acts"><span class="visually-hidden">C</span></th><td></td></tr></thead>'
        '<tbody><tr><th>1</th><td data-label="B">2</td><td>3</td><td></td></tr></tbody></table></div>'
    )


def test_common_components_need_no_import():
    assert drawn('{{ chip("a<b", tone="pass") }}') == '<span class="chip pass">a&lt;b</span>'
