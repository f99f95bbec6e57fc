"""An endpoint of models that never answers, asked for more sets than its worker has processes, while others work."""

import pytest

from tests.faults.test_worker_and_redis_killed import GAMES, UNFINISHED, number, upload
from tests.faults.visitors import make_team
from tests.services.chat_server import silent, talking
from tests.services.live_stack import stack_in
from tests.services.mail_server import mail_server
from tools.launch import Site
from tools.processes import wait_until

pytestmark = [pytest.mark.services(is_long=True), pytest.mark.slow, pytest.mark.long]

ASK = """
from django.db import transaction
from django.utils import timezone
from rubric.comparisons.actions import add_reviewer
from rubric.model_reviewers.actions.jobs import start_asking
from rubric.models.comparisons import MODEL
from tests.factories.comparisons import make_set
from workspace.outbox.actions.queue import queue_email
from workspace.models import Person
now, lead = timezone.now(), Person.objects.get(memberships__role="lead")
for turn in range(4):
    made = make_set(by=lead, name=f"Set {timezone.now()}")
    add_reviewer(comparison_set=made, kind=MODEL, name="one-model", by=made.created_by, now=now)
    start_asking(comparison_set=made, by=made.created_by, now=now)
"""
MAIL = """
with transaction.atomic():
    queue_email(address="ada@example.org", purpose="test", subject="Hello", body="Hello", by=made.created_by, now=now)
"""
ASKING = f"{UNFINISHED} AND kind = 'ask_models'"


def test_an_import_and_an_email_go_on(tmp_path, static_files, migrated_database, fault_table, monkeypatch):
    with talking(silent) as models, mail_server() as mail:
        given = {"REVIEW_MODELS_URL": models.url, "REVIEW_MODELS": "one-model", "EMAIL_SECURITY": "none"}
        given |= {
            "EMAIL_HOST": "127.0.0.1",
            "EMAIL_PORT": str(mail.port),
            "EMAIL_FROM": "evalsite@example.org",
        }
        for name, value in (given | {"SITE_URL": "https://evalsite.example.org"}).items():
            monkeypatch.setenv(name, value)
        with stack_in(tmp_path, static_files, migrated_database) as stack:
            asker = Site(stack.env).worker("models")
            try:
                asker.start()
                team = make_team(stack)
                stack.script(ASK)
                assert wait_until(lambda: len(models.heard) == 2)
                upload(team)
                stack.script(ASK + MAIL)
                assert wait_until(lambda: len(mail.messages) == 1)
                assert wait_until(lambda: number(stack, UNFINISHED) == number(stack, ASKING) == 8)
                assert number(stack, "SELECT COUNT(*) FROM discussions_measured") == GAMES
                assert team.lead.get("/readyz").status == 200
            finally:
                asker.kill()
            held = "an import and an e-mail were done meanwhile"
            fault_table("8 sets are asked", "models never answer", held, acknowledged=GAMES, stack=stack)
