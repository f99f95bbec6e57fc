"""Measures games again that another version of the code measured."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from discussions.management.commands.import_transcripts import see_through
from discussions.metrics.queries import outdated_games
from discussions.planning.actions import measure_again
from discussions.queries import MEASURE
from workspace.management.command import DIFFERS, DONE, BadInput, SiteCommand, find_person
from workspace.models import Job, Project


class Command(SiteCommand):
    help = (
        "Measures games again that were measured by another version of the code than today's; `verify` names them.\n"
        "Earlier measurements and recorded verdicts stay. Without --project, the games of all projects.\n"
        "Exit codes: 0 done, or queued for the workers, 1 some games are left after --wait, 2 it could not start.\n"
        "Example: manage.py measure_again --by admin@example.org --wait"
    )
    requires_migrations_checks = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--by", required=True, metavar="EMAIL", help="who asks: a lead or an admin")
        parser.add_argument("--project", action="append", default=[], metavar="SLUG", help="only this one")
        parser.add_argument("--wait", action="store_true", help="measure here and now, without a worker")
        parser.add_argument("--json", action="store_true", help="answer as JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        by, slugs, counts = find_person(options["by"]), options["project"], {}
        projects = list(Project.objects.filter(slug__in=slugs) if slugs else Project.objects.order_by("pk"))
        if missing := sorted(set(slugs) - {project.slug for project in projects}):
            raise BadInput(f'There is no project "{missing[0]}". Correct --project.')
        for project in projects:
            counts[project.slug] = measure_again(project=project, by=by, now=timezone.now())
        left = outdated_games().filter(project__in=projects)
        if options["wait"]:
            iterations = left.values_list("iteration", flat=True).distinct()
            subjects = [f"iteration:{key}" for key in iterations.order_by()]
            see_through(Job.objects.filter(kind=MEASURE, subject__in=subjects))
        self._say(counts, left.count() if options["wait"] else None)
        raise SystemExit(DIFFERS if options["wait"] and left.exists() else DONE)

    def _say(self, counts: dict[str, int], left: int | None) -> None:
        """Say how many games of each project, and how many are left; None of them is known without --wait."""
        state = "are queued" if left is None else "were measured again"
        lines = [f"{slug}: {count} games {state}." for slug, count in counts.items() if count]
        lines = lines or ["Today's code measured every game already."]
        lines += [f"{left} games could not be measured; the status page says why."] if left else []
        self.answer({"games": counts, "left": left}, lines)
