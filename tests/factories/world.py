"""The world in which the rights matrix is tried: two projects, one person per column, and one of every thing."""

from typing import Any

from django.utils import timezone

from discussions.adjudication.queries import handle_of
from discussions.calibration.actions import confirm_guideline, write_guideline
from discussions.queue.actions import assign_game, take_next_game
from discussions.rating.actions import remark
from rubric.human_reviewers.actions import open_review
from rubric.models.comparisons import ELSEWHERE
from rubric.versions.actions import publish_version
from tests.factories.adjudication import TIE, make_differing, page_hash
from tests.factories.calibration import make_trained
from tests.factories.categories import make_coded
from tests.factories.columns import make_mapping
from tests.factories.comparisons import RECORD_SCORES, make_set, review_with
from tests.factories.exports import make_export
from tests.factories.iterations import figures, make_baseline, make_change, make_stage
from tests.factories.jobs import make_failed_job
from tests.factories.judges import make_judged
from tests.factories.model_reviewers import make_asked
from tests.factories.outbox import make_webhook, measure_games
from tests.factories.people import load_membership, make_admin, make_lead, make_member
from tests.factories.preview import asked, draft_with, thresholds
from tests.factories.reliability import figure_agents, figure_team
from tests.factories.response_calibration import make_set_round
from tests.factories.reviewer_statistics import make_figured
from tests.factories.sign_in import make_secured
from tests.factories.tokens import make_account, make_token
from tests.factories.transcripts import import_game, make_games_project, repeated_messages, upload
from tests.factories.verdicts import record_next_verdict
from tests.factories.versions import make_changed_draft, make_imported_version
from tests.site.rights_matrix import COLUMNS
from workspace.models import Notification, Person
from workspace.people.actions.people import invite
from workspace.people.queries import password_links


def make_world() -> dict[str, Any]:
    """People by column under "people"; all other keys are arguments of addresses, by the name the address uses."""
    now = timezone.now()
    project, other = make_games_project(slug="here", now=now), make_games_project(slug="there", now=now)
    admin = make_admin(now=now)
    people: dict[str, Person | None] = {
        "anonymous": None,
        "assigned": make_member(project=project, now=now),
        "same_project": make_member(project=project, now=now),
        "elsewhere": make_member(project=other, now=now),
        "lead": make_lead(project=project, now=now),
        "lead_elsewhere": make_lead(project=other, now=now),
        "admin": admin,
        "deactivated": make_member(project=project, now=now),
    }
    assert tuple(people) == COLUMNS
    bystander = make_secured(make_member(project=project, now=now), now=now)[0]
    invited = invite(email="guest@example.org", role="evaluator", project=project, by=admin, now=now)
    as_admin = invite(email="chief@example.org", role="admin", project=None, by=admin, now=now)
    resolved = import_game(project=project, by=people["lead"], now=now)
    verdict = record_next_verdict(project=project, by=people["assigned"])
    game = import_game(project=project, by=people["lead"], now=now)
    evaluation = take_next_game(project=project, by=people["assigned"], now=now)
    about = {
        "evaluation": evaluation,
        "kind": "flag",
        "target": "message:1",
        "text": "Cut off?",
        "key": "flag",
    }
    flag = remark(**about, by=people["assigned"], now=now)
    written = write_guideline(project=project, text="Heed votes", after=0, by=people["lead"], now=now)
    for person in (people["assigned"], people["same_project"], bystander):
        confirm_guideline(guideline=written, by=person, now=now)
    waiting_game = import_game(project=project, by=people["lead"], now=now)
    kept = assign_game(game=waiting_game, person=bystander, by=people["lead"], now=now)
    repeated = import_game(project=project, by=people["lead"], messages=repeated_messages(), now=now)
    stage = make_stage(project=project, by=people["lead"])
    baseline = make_baseline(stage=stage, games=[figures(), figures(coherence=40), figures(cost=None)])
    coming = make_change(stage=stage)
    version = game.iteration.rubric_version
    newer = make_changed_draft(by=admin, now=now)
    publish_version(version=newer, basis=newer.sha256, reason="Agreed", by=admin, now=now)
    draft = make_changed_draft(by=admin, weights=(0.3, 0.3, 0.2, 0.2), now=now)
    stricter = draft_with(thresholds(engagement=4), by=admin)
    imported = make_imported_version(by=admin, now=now)
    compared = make_set(by=people["lead"], questions=2, mode="both", people=[people["assigned"]], elsewhere=1)
    started, waiting = compared.comparisons.order_by("number")
    review_with(comparison=started, reviewer=compared.reviewers.get(kind=ELSEWHERE), scores=RECORD_SCORES)
    review = open_review(comparison=started, by=people["assigned"], now=now)
    drilled = make_set(by=people["lead"], mode="holistic", people=[people["assigned"]], name="Drill")
    drill = make_set_round(drilled)
    figure_team(project, by=people["lead"])
    trained = make_trained(leads=[people["lead"]], trainee=people["assigned"], slug="trained")
    shared = make_differing(leads=[people["lead"]], slug="shared")
    figure_team(shared.project, by=people["lead"])
    mapping = make_mapping(project=project, by=people["lead"], now=now)
    make_token(people["assigned"])
    account = make_account(project=project, by=admin)
    export = make_export(project, people["lead"], now=now)
    make_judged(project, people["lead"], [game.number])
    category = make_coded(game, people["lead"])
    webhook = make_webhook(project=project, by=people["lead"], now=now).webhook
    delivery = measure_games(project, resolved.number, now=now)[0]
    failed = make_failed_job(project=project, by=people["lead"], now=now)
    figure_agents(project, by=people["lead"])
    asked(stricter)  # last: it is to wait, and what is made above runs the jobs that wait
    return {
        "people": people,
        **make_asked(by=people["lead"], people=[people["assigned"]]),
        **make_figured(by=people["lead"], people=[people["assigned"]]),
        **trained,
        "slug": project.slug,
        "other_slug": other.slug,
        "membership": load_membership(person=bystander, project=project).pk,
        "person": bystander.pk,
        "secret": invited.secret,
        "format_name": "csv",
        "uidb36": "1",
        "key": "set-password",
        "password_secret": password_links.make_token(bystander),
        "token": people["assigned"].access_tokens.get().pk,
        "account": account.pk,
        "invitation": invited.invitation.pk,
        "admin_invitation": as_admin.invitation.pk,
        "number": game.number,
        "slot": kept.pk,
        "repeated_number": repeated.number,
        "kept_number": waiting_game.number,
        "shared_slug": shared.project.slug,
        "shared_number": shared.number,
        "thing": "rating",
        "shared_evaluation": handle_of(shared.evaluations.order_by("pk")[0].pk),
        "shared_sides": page_hash(shared, *TIE),
        "resolved_number": resolved.number,
        "verdict": verdict.number,
        "evaluation": evaluation.pk,
        "flag": flag.pk,
        "notification": Notification.objects.get(subject=f"flag:{flag.pk}", person=people["lead"]).pk,
        "rubric_slug": version.rubric.key,
        "rubric_number": version.number,
        "docs_page": "api.md",
        "response_slug": newer.rubric.key,
        "response_number": newer.number,
        "response_version": newer.pk,
        "draft_number": draft.number,
        "draft_sha256": draft.sha256,
        "imported_number": imported.number,
        "long_number": stricter.number,
        "long_sha256": stricter.sha256,
        "export": export.pk,
        "judge": 1,
        "category": category.pk,
        "coding": category.codings.filter(removed_at=None).get().pk,
        "webhook": webhook.pk,
        "job": failed.pk,
        "delivery": delivery.pk,
        "identifier": delivery.identifier,
        "transcript": upload(project=project, by=admin, now=now).pk,
        "table": mapping.transcript.pk,
        "mapping": mapping.pk,
        "set_number": compared.number,
        "comparison": compared.comparisons.get(number=1).number,
        "review": review.pk,
        "waiting_comparison": waiting.pk,
        "waiting_set": compared.pk,
        "drilled_number": drilled.number,
        "drill": drill.number,
        "drilled_reviewer": drilled.reviewers.get().pk,
        "reviewer": compared.reviewers.get(kind=ELSEWHERE).pk,
        "stage": stage.number,
        "baseline": baseline.number,
        "iteration": coming.number,
    }


# Where an address names its argument like another one's, but means another thing.
ARGUMENTS = {
    **{
        name: {"number": "repeated_number"} for name in ("drop_repeats", "set_round_offset", "api:api_rounds")
    },
    **{
        name: {"slug": "shared_slug", "number": "shared_number", "evaluation": "shared_evaluation"}
        for name in (
            "adjudicate",
            "adjudicate_one",
            "adjudicate_group",
            "send_ties",
            "show_names",
            "return_evaluation",
            "need_fewer",
            "api:api_disagreements",
            "api:api_send_ties",
            "api:api_game_evaluations",
            "api:api_names",
            "api:api_return_evaluation",
        )
    },
    **{
        name: {"number": "resolved_number"}
        for name in (
            "verdict",
            "record_verdict",
            "replay_verdict",
            "report",
            "report_markdown",
            "report_json",
            "report_csv",
        )
    },
    **{
        name: {"number": "set_number"}
        for name in (
            "comparison_set",
            "set_results",
            "comparison_result",
            "add_comparison",
            "import_comparisons",
            "add_reviewer",
            "end_reviewer",
            "close_set",
            "reopen_set",
        )
    },
    **{
        name: {"slug": "trained_slug", "number": "trained_round", "person": "trainee"}
        for name in ("calibrations", "calibration", "close_calibration", "let_rate", "take_calibration")
    },
    **{
        name: {"slug": "trained_slug", "calibration": "trained_round", "person": "trainee"}
        for name in (
            "api:api_calibrations",
            "api:api_calibration",
            "api:api_calibration_close",
            "api:api_let_rate",
        )
    },
    **{
        name: {"number": "judge"}
        for name in (
            "show_judge",
            "run_judge",
            "ask_judge",
            "stop_judge",
            "judge_answers",
            "judge_prompts",
            "upload_judge_answers",
            "admit_judge",
            "withdraw_admission",
            "suspend_judge",
            "resume_judge",
            "end_judge",
        )
    },
    "service_tokens": {"person": "account"},
    "docs": {"name": "docs_page"},
    "password_by_link": {"token": "password_secret"},
    "api:api_verdict": {"number": "resolved_number"},
    **{
        name: {"number": "set_number"}
        for name in (
            "api:api_set",
            "api:api_set_lines",
            "api:api_set_results",
            "api:api_comparison_result",
            "api:api_set_reviewers",
            "api:api_set_reviewer_end",
            "api:api_set_close",
            "api:api_set_reopen",
            "api:api_next_review",
        )
    },
    **{
        name: {"number": "asked_number", "comparison": "asked_comparison", "reviewer": "model_reviewer"}
        for name in ("api:api_prompt", "api:api_raw_answer")
    },
    **{
        f"api:api_rubric_{name}": {"slug": "rubric_slug", "number": "rubric_number"}
        for name in ("version", "file", "differences", "drafts", "publish", "preview")
    },
    "calibration_feedback": {"evaluation": "trained_evaluation"},
    "agreement_thing": {"slug": "shared_slug"},
    "begin_review": {"comparison": "waiting_comparison"},
    "api:api_begin_review": {"comparison": "waiting_comparison"},
    "next_review": {"comparison_set": "waiting_set"},
    **{
        name: {"number": "drilled_number", "calibration": "drill", "reviewer": "drilled_reviewer"}
        for name in (
            "set_calibrations",
            "set_calibration",
            "close_set_calibration",
            "let_review",
            "change_repeats",
            "api:api_set_calibrations",
            "api:api_set_calibration",
            "api:api_set_calibration_close",
            "api:api_let_review",
            "api:api_set_repeats",
        )
    },
    **{
        name: {"number": "figured_number"}
        for name in (
            "set_reviewers",
            "set_agreement",
            "set_success",
            "set_weights",
            "figure_set",
            "adopt_fit",
        )
    },
    "set_reviewer": {"number": "figured_number", "reviewer": "figured_reviewer"},
    **{
        name: {"number": "figured_number", "comparison": "figured_comparison"}
        for name in ("survey", "api:api_survey")
    },
    **{
        name: {"number": "asked_number"}
        for name in (
            "set_answers",
            "ask_models",
            "stop_asking",
            "ask_failed_again",
            "open_prompts",
            "upload_answers",
            "set_readings",
            "reread_answers",
        )
    },
    **{
        name: {"number": "asked_number", "review": "read_review"}
        for name in ("reading", "reread_answer", "correct_reading")
    },
    **{
        name: {"number": "asked_number", "comparison": comparison, "reviewer": "model_reviewer"}
        for name, comparison in (
            ("model_answer", "answered_comparison"),
            ("answer_text", "answered_comparison"),
            ("ask_again", "answered_comparison"),
            ("prompt_text", "asked_comparison"),
            ("paste_answer", "asked_comparison"),
            ("make_prompt", "unasked_comparison"),
        )
    },
    "model_parameters": {"number": "asked_number", "reviewer": "model_reviewer"},
    "withdraw_admin": {"invitation": "admin_invitation"},
    "rubric_version": {"slug": "rubric_slug", "number": "rubric_number"},
    "draft_version": {"slug": "rubric_slug", "number": "rubric_number"},
    "edit_version": {"slug": "rubric_slug", "number": "long_number"},
    **{
        name: {"slug": "response_slug", "number": "response_number"}
        for name in ("compare_versions", "export_version", "retire_version")
    },
    "offer_version": {"slug": "rubric_slug", "number": "imported_number"},
    "discard_version": {"slug": "response_slug", "number": "draft_number"},
    **{
        name: {"slug": "rubric_slug", "number": "long_number"}
        for name in ("publish_version", "preview_version", "cancel_preview")
    },
}
