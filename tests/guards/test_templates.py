"""Templates: nothing inline that the security policy would refuse, nothing unescaped, a link or form under all htmx."""

import re
from html.parser import HTMLParser

import pytest
from jinja2 import Environment, nodes

from tests.guards.layout import python_files, short, templates

UNSAFE = {
    r"\|\s*safe\b": "|safe: values are escaped, always",
    r"filter\s+safe\b": "filter safe: values are escaped, always",
    r"{%-?\s*autoescape\b": "autoescape: values are escaped, always",
    r"\bMarkup\b": "Markup: only workspace/markup.py makes any",
    r"\n\s*{% (?:if|elif)[^%]*%}[.,;:)]": "a space before a comma: begin the block with {%-",
    r"javascript:": "javascript: address",
    r"\bhx-on\b": "hx-on: needs eval; put the behaviour in a module under static/",
    r"hx-vals\s*=\s*[\"']js:": "hx-vals js: needs eval",
    r"hx-trigger\s*=\s*\"[^\"]*\[": "a trigger filter needs eval",
}
LINE = 120
BY_ITSELF = ("every", "load", "revealed", "intersect")


class Inline(HTMLParser):
    """Collects what breaks the rules in the elements of one template."""

    def __init__(self, name: str) -> None:
        super().__init__(convert_charrefs=False)
        self.name, self.faults = name, []

    def handle_starttag(self, tag, attrs):
        """Look at one element."""
        names = dict(attrs)
        line = f"{self.name}:{self.getpos()[0]}"
        if tag == "style" or "style" in names:
            self.faults.append(f"{line} inline style: use a class")
        if tag == "script" and "src" not in names and names.get("type") != "application/json":
            self.faults.append(f"{line} inline script: put it in a module under static/")
        self.faults += [
            f"{line} {name}=: put it in a module under static/" for name in names if name.startswith("on")
        ]
        asks = [name for name in names if name in ("hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete")]
        if asks and not stands_on_plain_html(tag, names):
            self.faults.append(f"{line} <{tag} {asks[0]}> has no link or form underneath")

    handle_startendtag = handle_starttag


def stands_on_plain_html(tag: str, names: dict[str, str | None]) -> bool:
    """Whether the element does the same without script, or acts by itself (polling) and needs not."""
    if tag in ("button", "input", "select", "textarea") or (tag == "a" and names.get("href")):
        return True
    if tag == "form" and ("action" in names or "hx-get" in names):
        return "action" in names
    return any(word in (names.get("hx-trigger") or "") for word in BY_ITSELF)


def bare_options(text: str) -> list[str]:
    """What stands in options as it came; a score is a number."""
    inside = "".join(re.findall(r"<option\b.*?</option>", text, re.DOTALL))
    values = re.findall(r"(?<=>)\s*{{ (.+?) }}\s*(?=</option>)", inside)
    return [
        value for value in values if not value.startswith("_(") and "|plain" not in value and value != "point"
    ]


def test_options_name_hidden_characters():
    assert bare_options("<option>{{ name }}</option><option>{{ name|plain }}</option>") == ["name"]
    assert {
        short(path): bare_options(path.read_text()) for path in templates() if bare_options(path.read_text())
    } == {}


def faults_in(name: str, text: str) -> list[str]:
    """All faults of one template; template tags are blanked out, their values kept out of the way."""
    text = re.sub(r"{#.*?#}", "", text, flags=re.DOTALL)
    found = [f"{name}: {reason}" for pattern, reason in UNSAFE.items() if re.search(pattern, text)]
    parser = Inline(name)
    said = re.sub(r"{{.*?}}", "x", text, flags=re.DOTALL)
    parser.feed(re.sub(r"{%.*?%}", "", said, flags=re.DOTALL))
    long = [at for at, line in enumerate(text.splitlines(), 1) if len(line) > LINE]
    return (
        found
        + parser.faults
        + [f"{name}:{at} is longer than {LINE} characters: make fix, or break it" for at in long]
    )


def test_templates_are_clean():
    faults = [fault for path in templates() for fault in faults_in(short(path), path.read_text())]
    assert not faults, "\n".join(faults)


def test_no_code_makes_markup():
    words = ("mark_safe", "SafeString", "SafeText", "__html__", "format_html", "Markup(", "import Markup")
    faults = [
        f"{short(path)}: {word}"
        for path in python_files()
        if short(path) != "workspace/markup.py"
        for word in words
        if word in path.read_text()
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "text",
    [
        "<p style='color:red'>x</p>",
        "<style>p {}</style>",
        "<script>alert(1)</script>",
        '<button onclick="go()">x</button>',
        "{{ text|safe }}",
        "{% autoescape false %}{{ text }}{% endautoescape %}",
        "{%- autoescape false %}{{ text }}{% endautoescape %}",
        "{% filter safe %}{{ text }}{% endfilter %}",
        "{{ Markup(text) }}",
        "<p>\n  {{ a }}{% if b %}, b{% endif %}\n  {% if c %}, {{ c }}{% endif %}\n</p>",
        f"<p>{'x' * 120}</p>",
        '<a href="javascript:go()">x</a>',
        '<div hx-get="/x">x</div>',
        '<a hx-get="/x">x</a>',
        '<form hx-post="/x">x</form>',
        '<a href="/x" hx-get="/x" hx-trigger="click[ctrlKey]">x</a>',
    ],
)
def test_the_template_guard_can_fail(text):
    assert faults_in("a.html", text)


@pytest.mark.parametrize(
    "text",
    [
        '<script src="{{ static("a.js") }}" type="module"></script>',
        '<a href="{{ url("x") }}" hx-get="{{ url("x") }}">x</a>',
        '<form action="/x" method="post" hx-post="/x">x</form>',
        '<div id="a"{% if more %} hx-get="/x" hx-trigger="every 1s"{% endif %}>x</div>',
        "{# style='x' #}<p>{{ text }}</p>",
    ],
)
def test_the_template_guard_lets_good_ones_through(text):
    assert not faults_in("a.html", text)


def set_elsewhere(source: str) -> list[str]:
    """Names that one branch of an `if` reads and only another branch sets: an error on the page that takes it."""
    faults = []
    for node in Environment(extensions=["jinja2.ext.i18n"]).parse(source).find_all(nodes.If):
        branches = [node.body, *(branch.body for branch in node.elif_), node.else_]
        read, made = ([_names(branch, kind) for branch in branches] for kind in ("load", "store"))
        for place, names in enumerate(read):
            others = set().union(*(other for at, other in enumerate(made) if at != place))
            faults += [f"{node.lineno} reads {name}" for name in sorted((names & others) - made[place])]
    return faults


def _names(branch: list[nodes.Node], kind: str) -> set[str]:
    return {
        name.name
        for node in branch
        for name in (node, *node.find_all(nodes.Name))
        if getattr(name, "ctx", "") == kind
    }


def test_no_branch_reads_a_name_that_another_sets():
    assert set_elsewhere("{% if a %}{% set link = 1 %}{% else %}{{ link }}{% endif %}") == ["1 reads link"]
    faults = [f"{short(path)}:{fault}" for path in templates() for fault in set_elsewhere(path.read_text())]
    assert not faults, "\n".join(faults)


# Tables that are read across and down: they keep their columns and scroll in their own box.
READ_ACROSS = re.compile(
    r"wide|games|crossed|history|guardrails|sparks|effects|by-game|differences|summary-table|scores"
)


def plain_tables(source: str) -> list[str]:
    """The classes of tables of three columns and more that do not become cards on a narrow screen."""
    found = re.findall(r'<table class="table\b([^"]*)">(.*?)</thead>', source, re.DOTALL)
    return [kind for kind, head in found if not READ_ACROSS.search(kind) and head.count("<th ") > 2]


def test_tables_become_cards():
    head = "<thead><tr>" + '<th scope="col">A</th>' * 3 + "</tr></thead>"
    assert plain_tables(f'<table class="table fit">{head}</table>') == [" fit"]
    assert not plain_tables(f'<table class="table wide">{head}</table>')
    assert not [short(path) for path in templates() if plain_tables(path.read_text())]
