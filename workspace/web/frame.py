"""What the frame around every page shows: the project one is in, its sections, whether one leads it."""

from workspace.access.permissions import role_in
from workspace.models import Person, Project


def frame(person: Person, project: Project | None = None, section: str = "") -> dict[str, object]:
    """The values that templates/base.html reads."""
    may_lead = project is not None and role_in(person, project) in ("admin", "lead")
    return {"project": project, "section": section, "may_lead": may_lead}
