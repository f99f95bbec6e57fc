"""Fills the demo project; only where DEMO is on."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from discussions.demo.actions.fill import SLUG, fill_demo
from workspace.people.actions import system_person


class Command(BaseCommand):
    """manage.py seed_demo"""

    help = "Makes the demo project with its people and games, and prints the sign-ins. A second run changes nothing."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Fill it, and say what is there."""
        if not settings.DEMO:
            raise CommandError(
                "The demo is off. Set DEMO=true (only with EVALSITE_MODE=local), then run this again."
            )
        now = timezone.now()
        demo = fill_demo(by=system_person(now=now), now=now)
        there = "is there already" if demo.was_there else "is ready"
        self.stdout.write(
            f"The demo project “{SLUG}” {there}: {demo.game_count} games, {demo.verdict_count} with a verdict."
        )
        self.stdout.write("Sign in as:")
        for account in demo.people:
            self.stdout.write(f"  {account.role:<10} {account.email:<26} {account.password}")
