"""The API, assembled from the operations of the packages: its addresses and its description."""

from functools import cache

import msgspec
from django.conf import settings
from ninja import NinjaAPI

from discussions.adjudication.api import router as disagreements
from discussions.agents.api import router as agents
from discussions.archives.api import router as erasures
from discussions.calibration.api import calibrations, guidelines
from discussions.comparison.api import router as decisions
from discussions.exports.api import router as exports
from discussions.games.api import changes as game_changes
from discussions.games.api import games
from discussions.home.api import router as home
from discussions.imports.api import router as columns
from discussions.iterations.api import router as stages
from discussions.judges.api import router as judges
from discussions.planning.api.intake import intake, upgrades
from discussions.planning.api.plans import router as iterations
from discussions.preview.api import router as previews
from discussions.queue.api import router as queue
from discussions.rating.api import router as rating
from discussions.reliability.api import router as worth_watching
from discussions.search.api import router as messages
from discussions.transcripts.api import router as transcripts
from discussions.verdicts.api import router as verdicts
from rubric.calibration.api import router as set_calibrations
from rubric.comparisons.api import router as comparisons
from rubric.human_reviewers.api import router as reviews
from rubric.model_reviewers.api import router as models
from rubric.results.api.sets import router as results
from rubric.results.api.surveys import router as surveys
from rubric.versions.api import router as versions
from workspace.audit.api import router as audit
from workspace.checks.api import router as jobs
from workspace.outbox.api import notifications, webhooks
from workspace.people.api import router as projects
from workspace.tokens.api import QuickRenderer, StrictParser, TokenScheme, gated_urls, handle_faults
from workspace.web.problems import API

ROUTERS = {
    "projects": projects,
    "dashboard and overview": home,
    "jobs": jobs,
    "imports": transcripts,
    "columns": columns,
    "games": games,
    "messages": messages,
    "changes of games": game_changes,
    "disagreements": disagreements,
    "verdicts": verdicts,
    "evaluations": rating,
    "guidelines": guidelines,
    "queue and team": queue,
    "queue rules": intake,
    "worth watching": worth_watching,
    "agents": agents,
    "calibration": calibrations,
    "judges": judges,
    "stages": stages,
    "iterations": iterations,
    "decisions": decisions,
    "rubric versions of iterations": upgrades,
    "rubrics": versions,
    "previews of rubrics": previews,
    "comparisons": comparisons,
    "calibration of reviewers": set_calibrations,
    "reviews": reviews,
    "models that review": models,
    "surveys": surveys,
    "results": results,
    "exports": exports,
    "webhooks": webhooks,
    "notifications": notifications,
    "audit log": audit,
    "erasures": erasures,
}

api = NinjaAPI(
    title="evalsite",
    version=settings.VERSION,
    description="Programs sign in with an access token. The docs page of the site and docs/api.md explain it.",
    openapi_url=None,
    docs_url=None,
    auth=TokenScheme(),
    parser=StrictParser(),
    renderer=QuickRenderer(),
)
handle_faults(api)
for tag, router in ROUTERS.items():
    api.add_router("", router.router, tags=[tag])
urlpatterns = gated_urls(api, ROUTERS.values())


@cache
def describe() -> bytes:
    return msgspec.json.encode(api.get_openapi_schema(path_prefix=API))
