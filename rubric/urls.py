"""The addresses of the rubric app. Those that count who uses a version are wired in evalsite/urls.py."""

from django.urls import URLPattern, path

from rubric.calibration import views as calibration
from rubric.comparisons import views as comparisons
from rubric.human_reviewers import views as human_reviewers
from rubric.model_reviewers.views import overview, readings, single_answer
from rubric.results import views as results
from rubric.reviewer_statistics.views import figures, rater_effects
from rubric.versions.views import editor, version
from workspace.web.views import moved

PROJECT = "projects/<slug:slug>/"
SETS = f"{PROJECT}comparisons/"
SET = f"{SETS}<int:number>/"
COMPARISON = f"{SET}<int:comparison>/"
VERSION = "rubrics/<slug:slug>/<str:number>/"

urlpatterns: list[URLPattern] = [
    path("rubrics/import/", editor.import_rubric, name="import_rubric"),
    path("rubrics/scoring/", version.choose_scoring, name="choose_scoring"),
    path(f"{VERSION}differences/", version.compare_versions, name="compare_versions"),
    path(f"{VERSION}rubric.json", version.export_version, name="export_version"),
    path(f"{VERSION}draft/", editor.draft_version, name="draft_version"),
    path(f"{VERSION}edit/", editor.edit_version, name="edit_version"),
    path(f"{VERSION}offer/", version.offer_version, name="offer_version"),
    path(f"{VERSION}discard/", version.discard_version, name="discard_version"),
    path(f"{SET}calibration/", calibration.set_calibrations, name="set_calibrations"),
    path(f"{SET}repeats/", calibration.change_repeats, name="change_repeats"),
    path(f"{SET}calibration/<int:calibration>/", calibration.set_calibration, name="set_calibration"),
    path(
        f"{SET}calibration/<int:calibration>/close/",
        calibration.close_set_calibration,
        name="close_set_calibration",
    ),
    path(
        f"{SET}calibration/<int:calibration>/people/<int:reviewer>/",
        calibration.let_review,
        name="let_review",
    ),
    path(f"{SET}reviewers/", rater_effects.set_rater_effects, name="set_reviewers"),
    path(f"{SET}reviewers/<int:reviewer>/", rater_effects.set_reviewer, name="set_reviewer"),
    path(f"{SET}agreement/", figures.set_agreement, name="set_agreement"),
    path(f"{SET}success/", figures.set_success, name="set_success"),
    path(f"{SET}weights/", figures.set_weights, name="set_weights"),
    path(f"{SET}weights/adopt/", figures.adopt_fit, name="adopt_fit"),
    path(f"{SET}figures/", figures.figure_set, name="figure_set"),
    path(f"{SET}manners/", moved("set_reviewers"), name="moved_reviewers"),
    path(f"{SET}manners/<int:reviewer>/", moved("set_reviewer"), name="moved_reviewer"),
    path(f"{SET}tuning/", moved("set_weights"), name="moved_weights"),
    path(SETS, comparisons.comparison_sets, name="comparison_sets"),
    path(f"{SETS}new/", comparisons.open_set, name="open_set"),
    path(SET, comparisons.comparison_set, name="comparison_set"),
    path(f"{SET}add/", comparisons.add_comparison, name="add_comparison"),
    path(f"{SET}import/", comparisons.import_comparisons, name="import_comparisons"),
    path(f"{SET}people/", comparisons.add_reviewer, name="add_reviewer"),
    path(f"{SET}people/<int:reviewer>/end/", comparisons.end_reviewer, name="end_reviewer"),
    path(f"{SET}places/", comparisons.change_people_needed, name="change_people_needed"),
    path(f"{SET}close/", comparisons.close_set, name="close_set"),
    path(f"{SET}reopen/", comparisons.reopen_set, name="reopen_set"),
    path(f"{SET}answers/", overview.set_answers, name="set_answers"),
    path(f"{SET}answers/ask/", overview.ask_models, name="ask_models"),
    path(f"{SET}answers/stop/", overview.stop_asking, name="stop_asking"),
    path(f"{SET}answers/failed/", overview.ask_failed_again, name="ask_failed_again"),
    path(f"{SET}answers/prompts/", overview.open_prompts, name="open_prompts"),
    path(f"{SET}answers/upload/", overview.upload_answers, name="upload_answers"),
    path(f"{SET}answers/models/<int:reviewer>/", overview.model_parameters, name="model_parameters"),
    path(f"{SET}answers/readings/", readings.set_readings, name="set_readings"),
    path(f"{SET}answers/readings/again/", readings.reread_answers, name="reread_answers"),
    path(f"{SET}answers/readings/<int:review>/", readings.reading, name="reading"),
    path(f"{SET}answers/readings/<int:review>/again/", readings.reread_answer, name="reread_answer"),
    path(f"{SET}answers/readings/<int:review>/correct/", readings.correct_reading, name="correct_reading"),
    path(f"{SET}answers/<int:comparison>/<int:reviewer>/", single_answer.model_answer, name="model_answer"),
    path(
        f"{SET}answers/<int:comparison>/<int:reviewer>/prompt/", single_answer.make_prompt, name="make_prompt"
    ),
    path(
        f"{SET}answers/<int:comparison>/<int:reviewer>/prompt.txt",
        single_answer.prompt_text,
        name="prompt_text",
    ),
    path(
        f"{SET}answers/<int:comparison>/<int:reviewer>/paste/",
        single_answer.paste_answer,
        name="paste_answer",
    ),
    path(f"{SET}answers/<int:comparison>/<int:reviewer>/again/", single_answer.ask_again, name="ask_again"),
    path(
        f"{SET}answers/<int:comparison>/<int:reviewer>/<int:came>.txt",
        single_answer.answer_text,
        name="answer_text",
    ),
    path("reviews/", human_reviewers.reviews, name="reviews"),
    path("reviews/next/<int:comparison_set>/", human_reviewers.next_review, name="next_review"),
    path("reviews/begin/<int:comparison>/", human_reviewers.begin, name="begin_review"),
    path("reviews/<int:review>/", human_reviewers.review, name="review"),
    path("reviews/<int:review>/mark/", human_reviewers.mark, name="mark"),
    path("reviews/<int:review>/undo/", human_reviewers.undo_mark, name="undo_mark"),
    path("reviews/<int:review>/hand-in/", human_reviewers.submit_review, name="submit_review"),
    path(f"{SET}results/", results.set_results, name="set_results"),
    path(COMPARISON, results.comparison_result, name="comparison_result"),
    path(f"{COMPARISON}survey/", results.survey, name="survey"),
]
