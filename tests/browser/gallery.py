"""The gallery: a running site in which one of everything exists, and the addresses of all its pages for each role.

The pages are computed from the routes and the rights matrix, so that a new route is looked at without being asked for.
"""

import json
from typing import Any

from django.urls import URLPattern, reverse
from playwright.sync_api import Browser, BrowserContext

from tests.factories.routes import named_routes
from tests.factories.world import ARGUMENTS
from tests.services.live_stack import LiveStack
from tests.site.rights_matrix import COLUMNS, MATRIX

NO_PAGES = (
    "team_holds",
    *(name for name in MATRIX if name.startswith("api:") or name == "api_openapi"),
    "llms",
    "docs",
    "healthz",
    "readyz",
    "metrics",
    "report_markdown",
    "report_json",
    "report_csv",
    "export_version",
    "download_recipe",
    "play_list",
    "play_list_json",
    "prompt_text",
    "answer_text",
    "stage_summary_markdown",
    "stage_summary_json",
    "stage_figures",
    "accuracy_cases",  # of a cell; below
    "agent",  # of a name; below
    "packet_markdown",
    "weak_spots_markdown",
    "agent_markdown",
    "categories_markdown",
    "agents_table",
    "audit_file",
    "site_audit_file",
)
# Those whose pages have most kinds of elements first: the others' pages are then mostly like them.
RATERS = ("ready", "hostile", "fresh", "closed")
ROLES = ("lead", *RATERS, "assigned", "admin", "anonymous", "halfway")
STEPS = ("engagement", "references", "depth", "coherence", "repetition", "identify", "roles", "review")
# Where the pages of these two differ from the fresh one's.
SOME_STEPS = {
    "ready": ("coherence", "roles", "review"),
    "hostile": ("references", "repetition", "review"),
}
# An admin sees these as a lead does.
AS_LEADS = (
    "game",
    "games",
    "verdict",
    "report",
    "imports",
    "import_show",
    "map_columns",
    "column_mappings",
    "exports",
    "new_export",
    "webhooks",
    "webhook",
    "members",
    "queue",
    "audit",
    "mine",
    "own_history",
    "accuracy",
    "agreement",
    "agreement_thing",
    "agents",
    "categories",
    "worth_watching",
    "packet",
    "adjudicate",
    "calibrations",
    "calibration",
    "set_calibrations",
    "set_calibration",
    "set_reviewers",
    "set_reviewer",
    "set_agreement",
    "set_success",
    "set_weights",
    "set_answers",
    "model_answer",
    "upload_answers",
    "stage",
    "compare_iterations",
    "open_stage",
    "open_iteration",
    "iteration",
    "edit_iteration",
    "decide_iteration",
    "weak_spots",
    "change_version",
    "enter_figure",
    "edit_stage",
    "withdraw_game",
    "team",
    "team_pace",
    "fill_rules",
    "release_place",
)
_FILL = "import json; from tests.browser.filling import fill; print(json.dumps(fill()))"


class Gallery:
    """A stack with a filled database. `world` holds the arguments of addresses, `cookies` a signed-in one by column."""

    def __init__(self, stack: LiveStack) -> None:
        self.stack, self.url = stack, stack.url
        # The jobs below are run at once; the worker starts after them.
        self.world: dict[str, Any] = json.loads(stack.script(_FILL).splitlines()[-1])
        stack.worker.start()

    def context(self, browser: Browser, arguments: dict[str, Any], role: str, **more: Any) -> BrowserContext:
        """A browser window of somebody of that role."""
        context = browser.new_context(**(arguments | more))
        value = self.world["cookies"].get(role)
        if value:
            context.add_cookies([{"name": "sessionid", "value": value, "url": self.url}])
        return context

    def pages(self, role: str) -> dict[str, str]:
        """Every page that somebody of that role can open: name -> address."""
        if role in RATERS:
            address = f"{self.url}/rate/{self.world[role]}/"
            if role == "closed":
                return {"rate-test": address}
            more = {"rate-at": f"{address}?at=7", "rate-isolated": f"{address}?player=2"}
            steps = SOME_STEPS.get(role, STEPS)
            return {f"rate-{step}": f"{address}?step={step}" for step in steps} | more
        if role == "halfway":  # has given the password, not yet the code
            return {"second_step": f"{self.url}/sign-in/second-step/"}
        column = COLUMNS.index(role)
        named = named_routes()
        found = {}
        for name, rows in MATRIX.items():
            statuses = [row.statuses.split()[column] for row in rows if row.verb == "GET"]
            is_known = role == "admin" and name in AS_LEADS
            if statuses == ["200"] and name not in NO_PAGES and not is_known:
                found[name] = self.address(name, named[name])
        return found | self._refusals(role)

    def address(self, name: str, route: URLPattern) -> str:
        """The address of a route in the world."""
        other = ARGUMENTS.get(name, {})
        arguments = {
            converter: self.world[other.get(converter, converter)] for converter in route.pattern.converters
        }
        return self.url + reverse(name, kwargs=arguments)

    def _refusals(self, role: str) -> dict[str, str]:
        place = f"{self.url}/projects/{self.world['slug']}"
        found = {"refused-404": f"{self.url}/there/is/nothing/"}
        if role == "assigned":
            found |= {"refused-403": f"{place}/people/", "refused-405": f"{place}/next/"}
            found |= {
                part: f"{self.url}/reviews/{self.world[part]}/" for part in ("first_round", "second_round")
            }
        if role == "admin":
            rubric = f"{self.url}/rubrics/{self.world['response_slug']}/{self.world['draft_number']}"
            found |= {"response-edit": f"{rubric}/edit/", "response-draft": f"{rubric}/"}
        if role == "lead":
            shared = f"{self.url}/projects/{self.world['shared_slug']}"
            found["shared-game"] = f"{shared}/games/{self.world['shared_number']}/"
            found["shared-packet"] = f"{shared}/packet/"
            found["shared-agreement"] = f"{shared}/team/agreement/"
            cell = "row=yes&column=no"
            found["shared-agreement-cases"] = f"{shared}/team/agreement/question-1/?{cell}"
            found["agent-file"] = f"{place}/team/agents/file/?agent=Ann"
            found["faulty-import"] = f"{place}/imports/{self.world['faulty']}/"
            cell = "table=strategic_depth&row=yes&column=yes"
            found["accuracy-cases"] = f"{place}/team/accuracy/cases/?{cell}"
            found["rated-iteration"] = f"{place}/iterations/{self.world['baseline']}/"
            found["open-baseline"] = f"{place}/stages/{self.world['stage']}/iterations/new/?kind=baseline"
            found["hostile-game"] = f"{place}/games/{self.world['hostile_number']}/"
        return found
