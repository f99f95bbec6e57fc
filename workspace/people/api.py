"""Projects, for programs."""

from workspace.models import Project
from workspace.people.queries import load_projects
from workspace.web.endpoints import Answer, Listed, Operations
from workspace.web.views import SignedIn

router = Operations()


class ProjectAnswer(Answer, of=tuple[Project, str], fields="slug:0.slug name:0.name role:1"):
    """A project. `role` is that of the token's owner: evaluator, lead, or "" for an admin who is no member."""


@router.get("/projects/", "api_projects", "sign_in")
def list_projects(request: SignedIn) -> Listed[ProjectAnswer]:
    """List the projects that you may see."""
    return Listed[ProjectAnswer].read_all(load_projects(request.user))
