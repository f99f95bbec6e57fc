"""The rights matrix: every route, every verb it understands, and what each kind of person is answered.

A row is `Row(verb, "status ...", body)`; the statuses stand in the order of `COLUMNS`. `{names}` in bodies and the
arguments of addresses are looked up in the world that tests/web/world.py makes. Adding a route: add its name with one
row per verb; the arguments of its address are found by their names.

As htmx the same is expected, but that whoever is not signed in gets 401 instead of the way to the sign-in, and that
a redirect after an act (303) is answered 200 with the address for the browser; `htmx` names what differs otherwise.
"""

from collections.abc import Mapping
from typing import NamedTuple

COLUMNS = (
    "anonymous",
    "assigned",  # an evaluator who has a place on the game
    "same_project",  # an evaluator of the project without a place
    "elsewhere",  # an evaluator of another project
    "lead",
    "lead_elsewhere",
    "admin",
    "deactivated",  # was an evaluator of the project, with a cookie that still lives
)


class Row(NamedTuple):
    """One verb of one route: what each column is answered."""

    verb: str
    statuses: str
    body: Mapping[str, str] = {}
    htmx: str = ""

    def expected(self, column: str, *, as_htmx: bool) -> int:
        """The status for that kind of person."""
        plain = int(self.statuses.split()[COLUMNS.index(column)])
        if not as_htmx:
            return plain
        if self.htmx:
            return int(self.htmx.split()[COLUMNS.index(column)])
        signed_out = column in ("anonymous", "deactivated")
        return {302: 401 if signed_out else 302, 303: 200}.get(plain, plain)


NEW_PERSON = {"email": "newcomer@example.org", "role": "evaluator"}

MATRIX: dict[str, list[Row]] = {
    # before the sign-in
    "account_login": [
        Row("GET", "200 302 302 302 302 302 302 200", htmx="200 302 302 302 302 302 302 200"),
        Row("POST", "422 302 302 302 302 302 302 422", {"login": "a@example.org", "password": "x"}),
    ],
    "account_logout": [
        Row("POST", "303 303 303 303 303 303 303 303", htmx="303 303 303 303 303 303 303 303"),
    ],
    "invitation": [
        Row("GET", "200 200 200 200 200 200 200 200"),
        Row(
            "POST",
            "303 400 400 400 400 400 400 303",
            {"name": "Newcomer", "password": "seven green parrots"},
        ),
    ],
    "set_theme": [
        Row("POST", "303 303 303 303 303 303 303 303", {"theme": "dark"}, "303 303 303 303 303 303 303 303"),
    ],
    "healthz": [Row("GET", "200 200 200 200 200 200 200 200")],
    "readyz": [Row("GET", "503 503 503 503 503 503 503 503")],
    # one's own
    "settings": [
        Row("GET", "302 200 200 200 200 200 200 302"),
        Row("POST", "401 303 303 303 303 303 303 401", {"name": "Somebody", "time_zone": "UTC"}),
    ],
    "account_change_password": [
        Row("GET", "302 200 200 200 200 200 200 302"),
        Row("POST", "401 422 422 422 422 422 422 401", {"old": "wrong", "password": "seven green parrots"}),
    ],
    # projects
    "projects": [Row("GET", "302 200 200 200 200 200 200 302")],
    "create_project": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 303 401", {"name": "New", "slug": "brand-new"}),
    ],
    "project": [Row("GET", "302 200 200 404 200 404 200 302")],
    "members": [Row("GET", "302 403 403 404 200 404 200 302")],
    "add_to_project": [Row("POST", "401 403 403 404 403 404 200 401", NEW_PERSON)],
    "change_member": [Row("POST", "401 403 403 404 403 404 303 401", {"role": "lead"})],
    "end_member": [Row("POST", "401 403 403 404 403 404 303 401")],
    "withdraw_from_project": [Row("POST", "401 403 403 404 403 404 303 401")],
    "audit": [Row("GET", "302 403 403 404 200 404 200 302")],
    # rating: "assigned" has an open evaluation in which nothing is judged yet
    "home": [Row("GET", "302 200 200 200 200 200 200 302")],
    "mine": [Row("GET", "302 200 200 200 200 200 200 302")],
    "queue": [Row("GET", "302 200 200 404 200 404 200 302")],
    "next_game": [Row("POST", "401 303 303 404 403 404 403 401")],
    "rate": [Row("GET", "302 200 404 404 404 404 404 302")],
    "judge": [Row("POST", "401 303 404 404 404 404 404 401", {"act": "coherence~2~0~yes", "nonce": "n"})],
    "undo": [Row("POST", "401 422 404 404 404 404 404 401", {"key": "k"})],
    "submit_evaluation": [Row("POST", "401 422 404 404 404 404 404 401")],
    "skip_game": [Row("POST", "401 303 404 404 404 404 404 401", {"text": "I know this one"})],
    "return_to_game": [Row("POST", "401 303 404 404 404 404 404 401")],
    # what comes in, by import
    "imports": [Row("GET", "302 403 403 404 200 404 200 302")],
    "import_upload": [Row("POST", "401 403 403 404 422 404 422 401")],
    "import_show": [Row("GET", "302 403 403 404 200 404 200 302")],
    "import_cancel": [Row("POST", "401 403 403 404 303 404 303 401")],
    "import_resume": [Row("POST", "401 403 403 404 303 404 303 401")],
    "import_separate": [Row("POST", "401 403 403 404 303 404 303 401")],
    "change_iteration": [
        Row("GET", "302 403 403 404 200 404 200 302"),
        Row("POST", "401 403 403 404 303 404 303 401", {"identification": "test"}),
    ],
    # games and verdicts; those of verdicts on a game that "assigned" rated and whose verdict is recorded
    "games": [Row("GET", "302 302 302 404 200 404 200 302")],
    "game": [Row("GET", "302 404 404 404 200 404 200 302")],
    "verdict": [Row("GET", "302 200 404 404 200 404 200 302")],
    "record_verdict": [Row("POST", "401 422 404 404 422 404 422 401")],
    "replay_verdict": [Row("POST", "401 200 404 404 200 404 200 401")],
    "report": [Row("GET", "302 200 404 404 200 404 200 302")],
    "report_markdown": [Row("GET", "302 200 404 404 200 404 200 302")],
    "report_json": [Row("GET", "302 200 404 404 200 404 200 302")],
    # the installation
    "people": [Row("GET", "302 403 403 403 403 403 200 302")],
    "invite_admin": [Row("POST", "401 403 403 403 403 403 200 401", {"email": "boss@example.org"})],
    "withdraw_admin": [Row("POST", "401 403 403 403 403 403 303 401")],
    "switch_off": [Row("POST", "401 403 403 403 403 403 303 401")],
    "switch_on": [Row("POST", "401 403 403 403 403 403 409 401")],
    "site_audit": [Row("GET", "302 403 403 403 403 403 200 302")],
    "status": [Row("GET", "302 403 403 403 200 200 200 302")],
    # rubrics
    "rubrics": [Row("GET", "302 200 200 200 200 200 200 302")],
    "rubric_version": [Row("GET", "302 200 200 200 200 200 200 302")],
    "compare_versions": [Row("GET", "302 200 200 200 200 200 200 302")],
    "export_version": [Row("GET", "302 403 403 403 200 200 200 302")],
    "import_rubric": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 422 401", {"note": "From elsewhere"}),
    ],
    "draft_version": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 303 401", {"note": "To try other weights"}),
    ],
    "edit_version": [  # of a draft, which nobody but admins knows of
        Row("GET", "302 404 404 404 404 404 200 302"),
        Row(
            "POST",
            "401 404 404 404 404 404 422 401",
            {"do": "check", "c0-key": "coherence", "c0-weight": "2"},
        ),
    ],
    "publish_version": [
        Row("GET", "302 404 404 404 404 404 200 302"),
        Row("POST", "401 404 404 404 404 404 303 401", {"reason": "Agreed", "basis": "{draft_sha256}"}),
    ],
    "retire_version": [
        Row("GET", "302 403 403 403 403 403 200 302"),
        Row("POST", "401 403 403 403 403 403 303 401", {"reason": "Superseded"}),
    ],
}
