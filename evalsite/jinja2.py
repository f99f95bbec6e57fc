"""The template language of the site, and the values that every template may use without a view that passes them."""

import re
from collections.abc import Callable, Iterable, MutableMapping
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import django
import jinja2
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.template.defaultfilters import capfirst, date, default_if_none, filesizeformat, floatformat
from django.templatetags.static import static
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language
from django_htmx.jinja import htmx_script
from jinja2 import Environment, FileSystemBytecodeCache, StrictUndefined, Template
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Context, Macro
from jinja2.utils import internalcode

from rubric.results.pages import words as rubric_words
from workspace import markup
from workspace.core.text import format_signed, number, one_line, p_text
from workspace.outbox.core import FEWEST_JOINED
from workspace.outbox.queries import count_unread_lines
from workspace.people.labels import ACTS

# What the frame around a page reads, for pages that are made before a view or a person is known.
FRAME: dict[str, Any] = {
    "request": None,
    "user": AnonymousUser(),
    "theme": "",
    "csrf_token": "",
    "csrf_input": "",
    "project": None,
    "section": "",
    "may_lead": False,
}
# Macros that every template may call without an import, by their file in `templates/components`.
COMPONENTS = {
    "chart_dots": ("chart_dots",),
    "chart_intervals": ("chart_intervals",),
    "chart_legend": ("chart_legend",),
    "chart_shares": ("chart_shares",),
    "chip": ("chip",),
    "criterion_words": ("criterion_words", "word_list"),
    "crumbs": ("crumbs", "project_crumbs", "version_crumbs"),
    "empty": ("empty_box",),
    "field": ("form_buttons", "form_field", "form_parts", "press_form"),
    "form_faults": ("form_faults",),
    "job_lines": ("job_lines",),
    "key_rows": ("fixed_keys", "key_groups", "key_rows", "key_sheet", "single_keys"),
    "markdown_copy": ("markdown_copy",),
    "note": ("note_box",),
    "pager": ("pager",),
    "progress": ("progress_bar",),
    "said_thought_voted": ("said_thought_voted",),
    "secret_field": ("secret_field",),
    "swatch": ("swatch",),
    "too_little": ("too_little",),
    "worker_note": ("say_worker",),
}
INDENTED = re.compile(r"\s*\n\s*")
BLOCKS = (
    "html|head|meta|link|title|body|header|main|nav|aside|section|article|footer|h[1-6]|p|div|ul|ol|li|dl|dt|dd|figure|"
    "figcaption|blockquote|details|summary|dialog|form|fieldset|legend|option|optgroup|table|caption|thead|tbody|tfoot|"
    "tr|th|td|g|path|rect|circle|line"
)
BEFORE_TAG = re.compile(rf" (?=</?(?:{BLOCKS})\b|</button|/?>)")
AFTER_TAG = re.compile(rf"(</?(?:{BLOCKS}|button)\b[^<>]*>) ")
# A browser drops the line break after <textarea> and <pre>, but not a space.
# A percent sign after a number, or at the start of what follows a value.
PERCENT = re.compile(r"(?:\A|(?<=\d)) %")
FIRST_LINE = re.compile(r">\n\Z")
THEMES = ("light", "dark")


def viewer(request: HttpRequest) -> dict[str, object]:
    """The person, the look they chose and the token of forms, for every page.

    A request refused early has no person yet. Django would make each form of a page a token of its own, at 32 reads of
    the system's random numbers; here all forms of a page share one.
    """
    theme = request.COOKIES.get("theme", "")
    token = SimpleLazyObject(lambda: get_token(request))
    return {
        "user": getattr(request, "user", FRAME["user"]),
        "theme": theme if theme in THEMES else "",
        "csrf_token": token,
        "csrf_input": SimpleLazyObject(lambda: markup.token_input(token)),
    }


@lru_cache(maxsize=4096, typed=True)
def url(name: str, *args: Any, **kwargs: Any) -> str:
    """The address of a view, which follows from its name and these alone; a page names dozens."""
    return reverse(name, args=args or None, kwargs=kwargs or None)


@lru_cache(maxsize=512)
def _static(path: str) -> str:
    return static(path)


def static_url(path: str) -> str:
    """The address of a static file; looked up once for each process, as the names with hashes are read once."""
    return static(path) if settings.DEBUG else _static(path)


class PlainContext(Context):
    """Calls what a template calls, and no more.

    For every call, Jinja checks whether the function wants the context. None of ours does, and a page has thousands.
    """

    @internalcode
    def call(
        self,
        obj: Callable[..., Any],
        /,
        *args: Any,
        _loop_vars: object = None,
        _block_vars: object = None,
        **kwargs: Any,
    ) -> Any:
        """Call it; a macro is told whether values are escaped."""
        return obj(self.eval_ctx, *args, **kwargs) if type(obj) is Macro else obj(*args, **kwargs)


class PlainGenerator(CodeGenerator):
    """Compiles templates so that `{{ value }}` is written by `markup.escape_output`, and each template is one text.

    Jinja passes on every piece of an included template separately, through all that include it. Nothing reads pieces
    here.
    """

    def blockvisit(self, nodes: Iterable[Any], frame: Any) -> None:
        """Compile what stands in a template, a block or a tag; the outermost of them collects what is written."""
        if frame.buffer is not None:
            super().blockvisit(nodes, frame)
            return
        self.buffer(frame)
        super().blockvisit(nodes, frame)
        self.writeline(f"yield concat({frame.buffer})")

    def write_commons(self) -> None:
        """Bind what every template needs."""
        super().write_commons()
        self.writeline("escape_output = environment.escape_output")

    def visit_Include(self, node: Any, frame: Any) -> None:  # noqa: N802  Jinja's name
        """Compile an include; Jinja would write one without context before everything that precedes it."""
        if not node.with_context:
            self.fail("an include has the context of the page", node.lineno)
        super().visit_Include(node, frame)

    def _import_common(self, node: Any, frame: Any) -> None:
        if node.with_context:
            super()._import_common(node, frame)
            return
        # All templates have the same globals, which Jinja compares with those of the page at every import.
        self.write("environment.get_template(")
        self.visit(node.template, frame)
        self.write(f", {self.name!r})._get_default_module()")

    def _output_child_pre(self, node: Any, frame: Any, finalize: Any) -> None:
        if frame.eval_ctx.volatile and finalize.src is None:
            # Within macros: whether values are escaped is known when they are called.
            self.write("(escape_output if context.eval_ctx.autoescape else str)(")
        elif not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("escape_output(")


class SiteEnvironment(Environment):
    """Templates share one dictionary of globals, which is filled before the first of them is read."""

    context_class = PlainContext
    code_generator_class = PlainGenerator
    escape_output = staticmethod(markup.escape_output)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.read: dict[str, Template] = {}

    @internalcode
    def get_template(
        self,
        name: str | Template,
        parent: str | None = None,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002  Jinja's name
    ) -> Template:
        """The template; once it was read it is not looked for again, unless templates may change (DEBUG)."""
        found = None if self.auto_reload else self.read.get(name)  # type: ignore[arg-type]
        if found is None:
            found = self.read[name] = super().get_template(name, parent, globals)  # type: ignore[index]
        return found

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """What every template may use; Jinja would search a chain of two."""
        return self.globals | dict(d or {})


class Compact(Extension):
    """Leaves out the indentation of templates, and whitespace where it means nothing: next to a block's tag."""

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        """The same tokens with less whitespace; done once, when a template is compiled.

        A percent sign stays on the line of its number. In a translated text it is bound when the text is looked up.
        """
        before, is_translated = "", False
        for token in stream:
            if before == "block_begin" and token.value in ("trans", "endtrans"):
                is_translated = token.value == "trans"
            before = token.type
            if token.type == "data":
                text = BEFORE_TAG.sub("", INDENTED.sub(" ", token.value))
                if not is_translated:
                    text = PERCENT.sub(f"{markup.NO_BREAK}%", text)
                text = AFTER_TAG.sub(r"\1", text)
                if FIRST_LINE.search(token.value):
                    text = text.removesuffix(" ") + "\n"
                token = Token(token.lineno, "data", text)
            yield token


def language() -> str:
    return get_language() or settings.LANGUAGE_CODE


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates in files, so that the next process loads them: compiling takes most of a second at each start.

    A file is valid for this text of the template, this module and these versions of Jinja and Django. If files cannot
    be written or read, templates are compiled as if there were none.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder), "%s.bin")
        self._compiler = f"{jinja2.__version__} {django.__version__} {Path(__file__).read_text()}"

    def get_source_checksum(self, source: str) -> str:
        """A checksum of the template and of what compiles it."""
        return super().get_source_checksum(f"{self._compiler}\0{source}")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the compiled template, if it is stored."""
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the compiled template, if that is possible."""
        with suppress(OSError):
            Path(self.directory).mkdir(mode=0o700, parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def draw_component(env: Environment, file: str, name: str, *args: Any, **kwargs: Any) -> str:
    return getattr(env.get_template(f"components/{file}.html").module, name)(*args, **kwargs)


def environment(**options: Any) -> Environment:
    """The environment of all templates: values are escaped, an undefined name is an error."""
    options |= {
        "undefined": StrictUndefined,
        "extensions": ["jinja2.ext.i18n", Compact],
        "bytecode_cache": CompiledTemplates(settings.COMPILED_TEMPLATES),
    }
    env = SiteEnvironment(**options)
    env.policies["ext.i18n.trimmed"] = True
    env.newstyle_gettext = True  # type: ignore[attr-defined]
    env.globals.update(FRAME, url=url, static=static_url, htmx_script=htmx_script, get_language=language)
    env.globals.update(_=markup.words, gettext=markup.words, ngettext=markup.words_by_count)
    env.globals.update(markup.GLOBALS, key_acts=ACTS)
    env.globals.update(count_unread_lines=count_unread_lines, fewest_joined=FEWEST_JOINED)
    for file, names in COMPONENTS.items():
        env.globals.update({name: partial(draw_component, env, file, name) for name in names})
    env.filters.update(
        capfirst=capfirst,
        date=date,
        default_if_none=default_if_none,
        filesizeformat=filesizeformat,
        floatformat=floatformat,
        number=number,
        signed=format_signed,
        p_value=p_text,
        one_line=one_line,
        score=rubric_words.two,
        score_range=rubric_words.range_text,
        gap=rubric_words.gap_text,
        share=rubric_words.percent_text,
        weight=rubric_words.weight_text,
        **markup.FILTERS,
    )
    return env
