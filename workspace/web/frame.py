"""What the frame around every page shows: the project one is in, its sections, whether one leads it."""

from workspace.access.permissions import may_lead
from workspace.models import Person, Project


def frame(person: Person, project: Project | None = None, section: str = "") -> dict[str, object]:
    is_lead = project is not None and may_lead(person, project)
    return {"project": project, "section": section, "may_lead": is_lead}
