"""Makes a project with people and measured games in the database of the environment, for the driver.

    python -m benchmarks.team EVALUATORS GAMES

Prints one JSON object: the project's path, the e-mails of a lead and of the evaluators, and their password,
and an access token of the lead that reads and imports.
"""

import contextlib
import json
import os
import secrets
import sys
import tempfile
from pathlib import Path


def main(evaluators: int, games: int) -> None:
    """Make them through the product's own actions."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "evalsite.settings"
    import django

    django.setup()
    from django.core.management import call_command
    from django.utils import timezone

    from benchmarks.bench_import import native
    from discussions.iterations.actions import open_project
    from discussions.models import Iteration
    from workspace.people.actions.people import create_account, system_person
    from workspace.people.actions.projects import add_member
    from workspace.tokens.actions import create_token

    now, password, name = timezone.now(), secrets.token_urlsafe(15), f"bench-{secrets.token_hex(4)}"
    system = system_person(now=now)
    project = open_project(slug=name, name=name, by=system, now=now)
    # The load rates games whose transcripts are open.
    Iteration.objects.filter(project=project).update(identification="question")
    emails = [f"{name}-{number}@example.org" for number in range(evaluators + 1)]
    for email in emails:
        person = create_account(email=email, name=email, password=password, by=system, now=now)
        role = "lead" if email == emails[0] else "evaluator"
        add_member(project=project, person=person, role=role, by=system, now=now)
        if role == "lead":
            token = create_token(
                person=person, name=name, scopes=["read", "import"], days=1, by=person, now=now
            )[1]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.json"
        file.write_text(json.dumps([native(number) for number in range(games)]))
        with contextlib.suppress(SystemExit):  # it ends with its exit code
            call_command(
                "import_transcripts", str(file), project=name, by=emails[0], wait=True, stdout=sys.stderr
            )
    team = {"project": f"/projects/{name}/", "lead": emails[0], "evaluators": emails[1:]}
    print(json.dumps(team | {"password": password, "token": token}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
