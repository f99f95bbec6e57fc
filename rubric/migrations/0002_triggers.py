from django.db import migrations

from workspace.database.append_only import ForbidChange
from workspace.database.squashed import list_replaced


class Migration(migrations.Migration):
    """Published versions, reviews and what they rest on are never changed."""

    replaces = list_replaced("rubric", "0002_triggers")
    dependencies = [("rubric", "0001_squashed")]

    operations = [
        ForbidChange(
            "rubric_rubricversion",
            columns=(
                "rubric_id", "number", "body", "sha256", "note", "created_at", "created_by_id", "edited_at",
                "edited_by_id", "published_at", "published_by_id", "reason", "discarded_at", "discarded_by_id",
                "discarded_reason",
            ),
            once="OLD.published_at IS NOT NULL OR OLD.discarded_at IS NOT NULL",
        ),
        ForbidChange(
            "rubric_comparisonset",
            columns=(
                "project_id", "number", "rubric_version_id", "mode", "has_second_round", "created_at",
                "created_by_id",
            ),
        ),
        ForbidChange("rubric_comparison"),
        ForbidChange("rubric_response"),
        ForbidChange(
            "rubric_reviewer",
            columns=("set_id", "kind", "name", "person_id", "model", "created_at", "created_by_id"),
        ),
        ForbidChange(
            "rubric_review",
            columns=(
                "comparison_id", "reviewer_id", "round", "purpose", "seed", "order", "created_at", "read_from_id",
                "correction", "corrected_by_id", "corrected_at",
            ),
        ),
        ForbidChange("rubric_reviewedresponse"),
        ForbidChange("rubric_mark", columns=("review_id", "kind", "subject")),
        ForbidChange("rubric_markrevision"),
        ForbidChange("rubric_reviewprompt"),
        ForbidChange("rubric_answer"),
        ForbidChange("rubric_setfigures"),
        ForbidChange("rubric_impactpreview"),
        ForbidChange("rubric_scoringchoice"),
        ForbidChange("rubric_survey", once="OLD.answered_at IS NOT NULL"),
        ForbidChange("rubric_wholeprompt"),
        ForbidChange(
            "rubric_calibrationround",
            columns=(
                "set_id", "number", "name", "is_required", "mark_within", "pass_percent", "first_percent",
                "created_at", "created_by_id",
            ),
        ),
        ForbidChange("rubric_calibrationcomparison"),
        ForbidChange("rubric_calibrationwaiver"),
    ]
