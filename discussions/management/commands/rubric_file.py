"""Compares, drafts, previews and publishes a rubric version that is kept as a file, such as criteria in Git."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone
from msgspec.structs import replace

from discussions.preview.api import read_preview
from discussions.preview.queries import scored_hash
from rubric.core.records import RubricRecord
from rubric.models import Rubric, RubricVersion
from rubric.preview.actions import ask_for_preview
from rubric.preview.views import scored
from rubric.versions.actions import draft_file, publish_version, read_file
from rubric.versions.core.differences import differences
from rubric.versions.queries import write_file
from rubric.versions.views.version import difference_rows
from workspace.core.refusals import Unacceptable
from workspace.jobs.actions import run_job
from workspace.management.command import BAD_INPUT, DIFFERS, DONE, BadInput, SiteCommand, find_person

COMPARE, DRAFT, PREVIEW, PUBLISH, WRITE = "compare", "draft", "preview", "publish", "write"


class Command(SiteCommand):
    help = (
        "Brings a rubric that is kept as a file up to the site, step by step: compare with the newest published\n"
        "version, draft, preview, publish. Each step does those before it; nothing is done where nothing differs.\n"
        "Exit codes: 0 done or nothing differs, 1 it differs (compare), 2 the file has faults or nothing could begin.\n"
        "Example: manage.py rubric_file criteria.json --rubric response --step publish --reason Agreed "
        "--by admin@example.org"
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the JSON of a version")
        parser.add_argument("--rubric", required=True, metavar="KEY", help="such as response or discussion")
        steps = (COMPARE, DRAFT, PREVIEW, PUBLISH, WRITE)
        parser.add_argument(
            "--step", choices=steps, default=COMPARE, help="write: the file gets the version of the site"
        )
        parser.add_argument(
            "--number", metavar="NUMBER", help="the version to write; default: the newest published"
        )
        parser.add_argument("--new", action="store_true", help="start a response rubric of that key")
        parser.add_argument(
            "--reason", default="", metavar="WHY", help="of the draft, and why it is published"
        )
        parser.add_argument("--by", default="", metavar="EMAIL", help="in whose name: an admin")
        parser.add_argument("--json", action="store_true", help="answer as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        path, rubric = Path(options["file"]), Rubric.objects.filter(key=options["rubric"]).first()
        if rubric is None and not options["new"]:
            known = ", ".join(Rubric.objects.order_by("key").values_list("key", flat=True))
            raise BadInput(
                f'There is no rubric "{options["rubric"]}". There is: {known}. Give --new for a new one.'
            )
        published = RubricVersion.objects.published().filter(rubric=rubric)
        newest = published.order_by("-published_at", "-pk").first()
        try:
            if options["step"] == WRITE:
                path.write_bytes(write_file(_chosen(rubric, newest, options["number"]).to_record()))
                self._say({"file": options["file"]})
            else:
                self._bring(path.read_bytes(), rubric, newest, options)
        except OSError as error:
            raise BadInput(
                f'"{path}" cannot be read or written: {error.strerror}. Check its name and rights.'
            ) from None
        except Unacceptable as refusal:
            faults = refusal.detail.get("faults") or [
                {"pointer": "", "code": refusal.code, "message": str(refusal)}
            ]
            self.say_faults((fault["pointer"], fault["code"], fault["message"]) for fault in faults)
            raise SystemExit(BAD_INPUT) from None

    def _bring(
        self, data: bytes, rubric: Rubric | None, newest: RubricVersion | None, options: dict[str, Any]
    ) -> None:
        record, step = read_file(data), options["step"]
        changes = _list_changes(newest, record)
        said: dict[str, Any] = {"differences": changes, "state": "published" if newest else "new"}
        if step != COMPARE and (changes or newest is None):
            by, reason = find_person(options["by"]), options["reason"]
            given = {"rubric": rubric, "key": options["rubric"], "note": reason, "basis": None}
            draft = draft_file(data=data, **given, by=by, now=timezone.now())
            said |= {"number": draft.number, "state": "draft"}
            if step in (PREVIEW, PUBLISH):
                basis = scored(draft, scored_hash)()
                if job := ask_for_preview(version=draft, basis=basis, by=by, now=timezone.now()):
                    run_job(job=job.pk, clock=timezone.now)
                said["preview"] = read_preview(draft).headline
            if step == PUBLISH:
                basis = draft.sha256
                publish_version(version=draft, basis=basis, reason=reason, by=by, now=timezone.now())
                said["state"] = "published"
        self._say(said)
        raise SystemExit(DIFFERS if step == COMPARE and (changes or newest is None) else DONE)

    def _say(self, said: dict[str, Any]) -> None:
        changes = map("{part}: {what}: {before} -> {after}".format_map, said.get("differences", []))
        others = ", ".join(f"{name}: {said[name]}" for name in said if said[name] and name != "differences")
        self.answer(said, [*changes, others])


def _chosen(rubric: Rubric | None, newest: RubricVersion | None, number: str | None) -> RubricVersion:
    found = RubricVersion.objects.filter(rubric=rubric, number=number).first() if number else newest
    if found is None:
        raise BadInput(f"The rubric has no version {number or 'that is published'}. Correct --number.")
    return found


def _list_changes(newest: RubricVersion | None, record: RubricRecord) -> list[dict[str, str]]:
    """What differs, without the number: a draft gets the next one where the file's is taken."""
    if newest is None:
        return []
    before = newest.to_record()
    found = differences(before, replace(record, version=before.version))
    names = ("part", "what", "before", "after")
    return [dict(zip(names, map(str, row[:4]), strict=True)) for row in difference_rows(found)]
