"""Projects, for programs."""

from workspace.projects.queries import load_projects
from workspace.web.endpoints import Answer, Listed, Operations
from workspace.web.require import SignedIn

router = Operations()


class ProjectAnswer(Answer):
    """A project. `role` is that of the token's owner: evaluator, lead, or "" for an admin who is no member."""

    slug: str
    name: str
    role: str


@router.get("/projects/", "api_projects", "sign_in")
def list_projects(request: SignedIn) -> Listed[ProjectAnswer]:
    """List the projects that you may see."""
    projects = load_projects(request.user)
    return Listed[ProjectAnswer](
        items=[ProjectAnswer(slug=project.slug, name=project.name, role=role) for project, role in projects]
    )
