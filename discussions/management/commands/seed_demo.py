"""Fills the demo project; only where DEMO is on."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from discussions.demo.actions.fill import PLAN, SLUG, fill_demo
from workspace.management.command import BAD_INPUT, SiteCommand
from workspace.people.actions.people import system_person

LINES = [f"  {who.role:<10} {who.email:<26} {who.password}" for who in PLAN.people]
SIGN_INS = "\n".join(["Sign in as:", *LINES])


class Command(SiteCommand):
    help = (
        "Makes the demo project with its people and games, and prints the sign-ins. A second run changes nothing.\n"
        "Exit codes: 0 it is there, 2 the demo is off (DEMO).\n"
        "Example: manage.py seed_demo"
    )
    requires_migrations_checks = True

    def handle(self, *_args: Any, **_options: Any) -> None:
        if not settings.DEMO:
            raise CommandError(
                "The demo is off. Set DEMO=true (only with EVALSITE_MODE=local), then run this again.",
                returncode=BAD_INPUT,
            )
        now = timezone.now()
        demo = fill_demo(by=system_person(now=now), now=now)
        there = "is there already" if demo.was_there else "is ready"
        counts = f"{demo.game_count} games, {demo.verdict_count} with a verdict"
        self.stdout.write(f"The demo project “{SLUG}” {there}: {counts}.")
        self.stdout.write(SIGN_INS)
