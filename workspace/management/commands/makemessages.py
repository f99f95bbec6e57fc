"""`manage.py makemessages`, which also finds texts in Jinja templates: Django's own reads only Django's templates."""

from pathlib import Path

from django.core.management.commands import makemessages
from django.template import engines

# Our names for gettext functions, beside those that xgettext and Django know; also those of cores.
KEYWORDS = ("_now", "_lazy", "say", "say_many:1,2", "mark", "mark_many:1,2")


def messages_as_python(source: str) -> str:
    """The texts of a template as gettext calls for xgettext, each on its line in the template."""
    lines: dict[int, list[str]] = {}
    for line, function, message in engines["jinja2"].env.extract_translations(source):  # type: ignore[attr-defined]
        texts = [message] if isinstance(message, str) else message
        if function == "ngettext":
            lines.setdefault(line, []).append(f"ngettext({texts[0]!r}, {texts[1]!r}, 1)")
        else:
            lines.setdefault(line, []).append(f"gettext({texts[0]!r})")
    return "\n".join("; ".join(lines.get(at, [])) for at in range(1, max(lines, default=0) + 1)) + "\n"


class TemplateFile(makemessages.BuildFile):
    def preprocess(self) -> None:
        """Write a template as a Python file beside it; Django removes that file afterwards."""
        if self.is_templatized and self.domain == "django":
            source = Path(self.path).read_text(encoding="utf-8")
            Path(self.work_path).write_text(messages_as_python(source), encoding="utf-8")
        else:
            super().preprocess()


class Command(makemessages.Command):
    build_file_class = TemplateFile
    xgettext_options = [
        *makemessages.Command.xgettext_options,
        *(f"--keyword={keyword}" for keyword in KEYWORDS),
    ]
