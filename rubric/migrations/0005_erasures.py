from django.db import migrations

from workspace.database.append_only import ForbidChange


class Migration(migrations.Migration):
    """Rows that an erasure names pass the triggers that freeze them."""

    dependencies = [("rubric", "0004_discussion_version_1_3"), ("workspace", "0005_erasures")]

    operations = [
        ForbidChange("rubric_answer"),
        ForbidChange("rubric_calibrationcomparison"),
        ForbidChange(
            "rubric_calibrationround",
            columns=(
                "set_id",
                "number",
                "name",
                "is_required",
                "mark_within",
                "pass_percent",
                "first_percent",
                "created_at",
                "created_by_id",
            ),
        ),
        ForbidChange("rubric_calibrationwaiver"),
        ForbidChange("rubric_comparison"),
        ForbidChange(
            "rubric_comparisonset",
            columns=(
                "project_id",
                "number",
                "rubric_version_id",
                "mode",
                "has_second_round",
                "created_at",
                "created_by_id",
            ),
        ),
        ForbidChange("rubric_impactpreview"),
        ForbidChange("rubric_mark", columns=("review_id", "kind", "subject")),
        ForbidChange("rubric_markrevision"),
        ForbidChange("rubric_response"),
        ForbidChange(
            "rubric_review",
            columns=(
                "comparison_id",
                "reviewer_id",
                "round",
                "purpose",
                "seed",
                "order",
                "created_at",
                "read_from_id",
                "correction",
                "corrected_by_id",
                "corrected_at",
            ),
        ),
        ForbidChange("rubric_reviewedresponse"),
        ForbidChange(
            "rubric_reviewer",
            columns=("set_id", "kind", "name", "person_id", "model", "created_at", "created_by_id"),
        ),
        ForbidChange("rubric_reviewprompt"),
        ForbidChange(
            "rubric_rubricversion",
            columns=(
                "rubric_id",
                "number",
                "body",
                "sha256",
                "note",
                "created_at",
                "created_by_id",
                "edited_at",
                "edited_by_id",
                "published_at",
                "published_by_id",
                "reason",
                "discarded_at",
                "discarded_by_id",
                "discarded_reason",
            ),
            once="OLD.published_at IS NOT NULL OR OLD.discarded_at IS NOT NULL",
        ),
        ForbidChange("rubric_scoringchoice"),
        ForbidChange("rubric_setfigures"),
        ForbidChange("rubric_survey", once="OLD.answered_at IS NOT NULL"),
        ForbidChange("rubric_wholeprompt"),
    ]
