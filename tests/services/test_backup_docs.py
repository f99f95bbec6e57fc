"""The drill of docs/backup.md, run as it is printed while somebody goes on judging."""

import itertools
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from discussions.models import Revision
from tests.factories.people import make_lead
from tests.factories.rating import make_rating_project, say, start
from tests.guards.layout import ROOT
from tests.services.places import at
from tools.processes import PATIENCE
from workspace.backups.actions import choose_backup, open_backup
from workspace.models import Person

pytestmark = [pytest.mark.slow, pytest.mark.services, pytest.mark.long]


@contextmanager
def judging(evaluation):
    """Somebody changes their mind about one message again and again, until the end of the block."""
    is_over = threading.Event()

    def judge() -> None:
        try:
            for value in itertools.cycle(("no", "yes")):
                say(evaluation, "coherence", "7", value)
                if is_over.wait(0.02):
                    return
        finally:
            connection.close()

    thread = threading.Thread(target=judge)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def test_the_drill_passes_while_judgements_are_saved(make_installation, tmp_path):
    site, drill = make_installation(is_migrated=True), make_installation(is_migrated=False)
    (code,) = re.findall(r"```bash\n(.*?)```", (ROOT / "docs" / "backup.md").read_text(), re.DOTALL)
    with at(site):
        evaluation = start(project=make_rating_project(slug="mafia"))
        lead = make_lead(project=evaluation.game.project)
        say(evaluation, "coherence", "7", "yes")
        given = {
            "BACKUPS": str(tmp_path),
            "VAR_DIR": str(site.folder),
            "DATABASE_URL": site.url,
            "DRILL_VAR_DIR": str(drill.folder),
            "DRILL_DATABASE_URL": drill.url,
            "PROJECT": "mafia",
            "LEAD": lead.email,
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        }
        with judging(evaluation):
            done = subprocess.run(
                ["bash", "-ec", code.replace(".venv/bin/python", sys.executable)],
                env=os.environ | given,
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
        said_in_all = Revision.objects.count()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "checks, all hold." in done.stdout
    assert "# " in done.stdout.rpartition("all hold.")[2], "the export prints the game"
    with at(drill):
        with open_backup(choose_backup(tmp_path)) as (_archive, manifest):
            assert 0 < manifest.rows[Revision._meta.db_table] == Revision.objects.count() < said_in_all
        visitor = Client()
        visitor.force_login(Person.objects.get(email=lead.email))
        page = visitor.get(reverse("game", args=["mafia", 1]))
        assert page.status_code == 200
        assert evaluation.game.source_id in page.content.decode()
