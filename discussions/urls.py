"""The addresses of the discussions app, searched in this order: those that are asked for most come first."""

from django.urls import URLPattern, path

from discussions.adjudication.views import game as adjudication_game
from discussions.adjudication.views import ties
from discussions.agents.views import files, weak_spots
from discussions.archives import views as archives
from discussions.calibration import views as calibration
from discussions.comparison.views import compare
from discussions.exports import views as exports
from discussions.games.views import flags, game_list, selections
from discussions.games.views import game as one_game
from discussions.history import views as history
from discussions.home import views as home
from discussions.imports import views as imports
from discussions.iterations import views as iterations
from discussions.judges import views as judges
from discussions.planning.views import intake, iteration, plan, settings
from discussions.queue import views as queue
from discussions.rating import views as rating
from discussions.reliability.views import accuracy, agreement, engagement
from discussions.search import views as search
from discussions.transcripts import views as transcripts
from discussions.verdicts import views as verdicts
from workspace.web.views import moved

PROJECT = "projects/<slug:slug>/"
RATE = "rate/<int:evaluation>/"
IMPORT = f"{PROJECT}imports/<int:transcript>/"
GAMES = f"{PROJECT}games/"
GAME = f"{GAMES}<int:number>/"
AGENTS = f"{PROJECT}team/agents/"
CATEGORIES = f"{PROJECT}team/categories/"
ROUND = f"{PROJECT}calibration/<int:number>/"
JUDGE = f"{PROJECT}judges/<int:number>/"
STAGE = f"{PROJECT}stages/<int:stage>/"
ITERATION = f"{PROJECT}iterations/<int:iteration>/"

urlpatterns: list[URLPattern] = [
    path("mine/", rating.mine, name="mine"),
    path("mine/answers/", rating.own_history, name="own_history"),
    path(RATE, rating.rate, name="rate"),
    path(f"{RATE}judge/", rating.judge, name="judge"),
    path(f"{RATE}undo/", rating.undo, name="undo"),
    path(f"{RATE}reopen/", rating.reopen_evaluation, name="reopen_evaluation"),
    path(f"{RATE}differences/", rating.own_differences, name="own_differences"),
    path(f"{RATE}thoughts/", rating.thoughts, name="thoughts"),
    path(f"{RATE}skip/", rating.skip_game, name="skip_game"),
    path(f"{RATE}lease/", rating.renew_lease, name="renew_lease"),
    path(f"{RATE}return/", rating.return_to_game, name="return_to_game"),
    path("", home.home, name="home"),
    path("overview/", home.overview, name="overview"),
    path(PROJECT, home.project, name="project"),
    path(f"{PROJECT}stages/", home.stages, name="stages"),
    path(f"{PROJECT}queue/", queue.queue, name="queue"),
    path(f"{PROJECT}next/", queue.next_game, name="next_game"),
    path(f"{RATE}submit/", queue.submit_evaluation, name="submit_evaluation"),
    path(f"{PROJECT}team/", queue.team, name="team"),
    path(f"{PROJECT}team/held/", queue.team_holds, name="team_holds"),
    path(f"{PROJECT}team/pace/", queue.team_pace, name="team_pace"),
    path(f"{PROJECT}team/slots/<int:evaluation>/release/", queue.release_place, name="release_place"),
    path(f"{PROJECT}team/assign/", queue.assign_game, name="assign_game"),
    path(f"{PROJECT}team/kept/<int:slot>/take-back/", queue.unassign_game, name="unassign_game"),
    path(f"{PROJECT}team/queue/", queue.change_queue, name="change_queue"),
    path(f"{GAME}figures/", flags.enter_figure, name="enter_figure"),
    path(f"{GAME}withdrawal/", flags.withdraw_game, name="withdraw_game"),
    path(f"{GAME}evaluations/<slug:evaluation>/return/", flags.return_evaluation, name="return_evaluation"),
    path(f"{GAME}repeats/drop/", flags.drop_repeats, name="drop_repeats"),
    path(f"{GAME}diagnostics/", one_game.diagnostics, name="diagnostics"),
    path(f"{GAME}rounds/", flags.set_round_offset, name="set_round_offset"),
    path(f"{GAME}fewer/", flags.need_fewer, name="need_fewer"),
    path(f"{GAMES}columns/", game_list.choose_columns, name="choose_columns"),
    path(GAMES, game_list.games, name="games"),
    path(GAME, one_game.game, name="game"),
    path(f"{PROJECT}flags/", flags.flags, name="flags"),
    path(f"{PROJECT}flags/<int:flag>/", flags.answer, name="answer_flag"),
    path(f"{GAMES}choose/", selections.choose_games, name="choose_games"),
    path(f"{GAMES}assign/", selections.assign_selected, name="assign_selected"),
    path(f"{GAMES}move/", selections.move_selected, name="move_selected"),
    path(f"{GAMES}withdraw/", selections.withdraw_selected, name="withdraw_selected"),
    path(f"{GAMES}record/", selections.record_games, name="record_games"),
    path(f"{PROJECT}search/", search.search, name="search"),
    path("search/", search.search_everywhere, name="search_everywhere"),
    path(f"{GAME}verdict/", verdicts.verdict, name="verdict"),
    path(f"{GAME}verdict/record/", verdicts.record, name="record_verdict"),
    path(f"{GAME}verdict/<int:verdict>/replay/", verdicts.replay, name="replay_verdict"),
    path(f"{GAME}report/", verdicts.report, name="report"),
    path(f"{GAME}report.md", verdicts.report_markdown, name="report_markdown"),
    path(f"{GAME}report.json", verdicts.report_json, name="report_json"),
    path(f"{GAME}report.csv", verdicts.report_csv, name="report_csv"),
    path(f"{GAME}resolve/", adjudication_game.adjudicate, name="adjudicate"),
    path(f"{GAME}resolve/one/", adjudication_game.adjudicate_one, name="adjudicate_one"),
    path(f"{GAME}resolve/group/", ties.adjudicate_group, name="adjudicate_group"),
    path(f"{GAME}resolve/third/", ties.send_ties, name="send_ties"),
    path("mine/ties/", ties.ties, name="ties"),
    path(f"{PROJECT}packet/", ties.packet, name="packet"),
    path(f"{PROJECT}packet.md", ties.packet_markdown, name="packet_markdown"),
    path(f"{GAME}names/", adjudication_game.show_names, name="show_names"),
    path(f"{PROJECT}imports/", transcripts.imports, name="imports"),
    path(f"{PROJECT}imports/upload/", transcripts.import_upload, name="import_upload"),
    path(IMPORT, transcripts.import_show, name="import_show"),
    path(f"{IMPORT}cancel/", transcripts.import_cancel, name="import_cancel"),
    path(f"{IMPORT}resume/", transcripts.import_resume, name="import_resume"),
    path(f"{IMPORT}seen/", transcripts.import_seen, name="import_seen"),
    path(f"{IMPORT}separate/", transcripts.import_separate, name="import_separate"),
    path(f"{PROJECT}imports/<int:table>/columns/", imports.map_columns, name="map_columns"),
    path(f"{PROJECT}recipes/", imports.column_mappings, name="column_mappings"),
    path(f"{PROJECT}columns/", moved("column_mappings"), name="moved_columns"),
    path(f"{PROJECT}recipes/<int:mapping>/recipe.json", imports.download_recipe, name="download_recipe"),
    path(f"{PROJECT}recipes/<int:mapping>/rename/", imports.rename_recipe, name="rename_recipe"),
    path(f"{PROJECT}recipes/<int:mapping>/remove/", imports.remove_mapping, name="remove_mapping"),
    path(f"{PROJECT}calibration/", calibration.calibrations, name="calibrations"),
    path(ROUND, calibration.calibration, name="calibration"),
    path(f"{ROUND}close/", calibration.close_calibration, name="close_calibration"),
    path(f"{ROUND}people/<int:person>/", calibration.let_rate, name="let_rate"),
    path(f"{ROUND}take/", calibration.take_calibration, name="take_calibration"),
    path(f"{RATE}feedback/", calibration.calibration_feedback, name="calibration_feedback"),
    path(f"{PROJECT}guideline/", calibration.guideline, name="guideline"),
    path("practice/<slug:slug>/", calibration.practice, name="practice"),
    path("practice/<slug:slug>/judge/", calibration.judge_practice, name="judge_practice"),
    path("practice/<slug:slug>/undo/", calibration.undo_practice, name="undo_practice"),
    path(f"{PROJECT}guideline/edit/", calibration.edit_guideline, name="edit_guideline"),
    path(f"{PROJECT}guideline/read/", calibration.confirm, name="confirm_guideline"),
    path(f"{PROJECT}stages/new/", iterations.open_stage, name="open_stage"),
    path(f"{STAGE}edit/", iterations.edit_stage, name="edit_stage"),
    path(f"{STAGE}gate/", iterations.stage_gate, name="stage_gate"),
    path(f"{STAGE}gate/sign/", iterations.sign_stage, name="sign_stage"),
    path(f"{STAGE}gate/next/", iterations.open_next_stage, name="open_next_stage"),
    path(f"{ITERATION}compare/", compare.compare_iterations, name="compare_iterations"),
    path(f"{ITERATION}decide/", compare.decide_iteration, name="decide_iteration"),
    path(f"{PROJECT}settings/", settings.change, name="project_settings"),
    path(f"{PROJECT}settings/rules/", settings.change_rating_rules, name="project_rules"),
    path(f"{PROJECT}iteration/", moved("project_settings"), name="moved_settings"),
    path(f"{PROJECT}storage/", settings.set_storage_limit, name="set_storage_limit"),
    path(f"{PROJECT}team/queue/rules/", intake.fill_rules, name="fill_rules"),
    path(f"{GAME}queue/in/", intake.put_in_queue, name="put_in_queue"),
    path(f"{GAME}queue/out/", intake.take_out_of_queue, name="take_out_of_queue"),
    path(f"{STAGE}iterations/new/", plan.open_iteration, name="open_iteration"),
    path(ITERATION, iteration.iteration, name="iteration"),
    path(f"{ITERATION}edit/", plan.edit_iteration, name="edit_iteration"),
    path(f"{ITERATION}games/", iteration.move_games, name="move_games"),
    path(f"{ITERATION}open/", iteration.open_for_rating, name="open_for_rating"),
    path(f"{ITERATION}again/", iteration.replay_reference, name="replay_reference"),
    path(f"{ITERATION}play-list.csv", iteration.play_list, {"suffix": "csv"}, name="play_list"),
    path(f"{ITERATION}play-list.json", iteration.play_list, {"suffix": "json"}, name="play_list_json"),
    path(f"{ITERATION}version/", settings.change_version, name="change_version"),
    path(f"{PROJECT}measure-again/", settings.measure_outdated, name="measure_again"),
    path(STAGE, history.stage, name="stage"),
    path(f"{STAGE}summary/", history.stage_summary, name="stage_summary"),
    path(f"{STAGE}summary.md", history.stage_summary_markdown, name="stage_summary_markdown"),
    path(f"{STAGE}summary.json", history.stage_summary_json, name="stage_summary_json"),
    path(f"{STAGE}figures.csv", history.stage_figures, name="stage_figures"),
    path(f"{PROJECT}team/agreement/", agreement.agreement, name="agreement"),
    path(f"{PROJECT}team/agreement/<slug:thing>/", agreement.agreement_thing, name="agreement_thing"),
    path(f"{PROJECT}team/accuracy/", accuracy.accuracy, name="accuracy"),
    path(f"{PROJECT}team/accuracy/cases/", accuracy.accuracy_cases, name="accuracy_cases"),
    path(f"{PROJECT}team/worth-watching/", engagement.worth_watching, name="worth_watching"),
    path(f"{PROJECT}team/figures/", accuracy.figure_team, name="figure_team"),
    path(CATEGORIES, files.categories, name="categories"),
    path(f"{PROJECT}team/categories.md", files.categories_markdown, name="categories_markdown"),
    path(f"{CATEGORIES}code/", files.give_code, name="give_code"),
    path(f"{CATEGORIES}found/", files.give_code_to_found, name="give_code_to_found"),
    path(f"{CATEGORIES}<int:category>/", files.change_category, name="change_category"),
    path(f"{CATEGORIES}codes/<int:coding>/take-back/", files.take_back, name="take_code_back"),
    path(AGENTS, files.agents, name="agents"),
    path(f"{AGENTS}figures.csv", files.agents_table, name="agents_table"),
    path(f"{AGENTS}file/", files.agent, name="agent"),
    path(f"{AGENTS}file.md", files.agent_markdown, name="agent_markdown"),
    path(f"{AGENTS}figures/", files.figure_agents, name="figure_agents"),
    path(f"{ITERATION}weak-spots/", weak_spots.weak_spots, name="weak_spots"),
    path(f"{ITERATION}weak-spots.md", weak_spots.weak_spots_markdown, name="weak_spots_markdown"),
    path(f"{PROJECT}judges/", judges.judges, name="judges"),
    path(JUDGE, judges.show_judge, name="show_judge"),
    path(f"{JUDGE}run/", judges.run_judge, name="run_judge"),
    path(f"{JUDGE}ask/", judges.ask_judge, name="ask_judge"),
    path(f"{JUDGE}stop/", judges.stop_judge, name="stop_judge"),
    path(f"{JUDGE}answers/", judges.judge_answers, name="judge_answers"),
    path(f"{JUDGE}prompts/", judges.judge_prompts, name="judge_prompts"),
    path(f"{JUDGE}upload/", judges.upload_judge_answers, name="upload_judge_answers"),
    path(f"{JUDGE}admit/", judges.admit_judge, name="admit_judge"),
    path(f"{JUDGE}withdraw/", judges.withdraw_admission, name="withdraw_admission"),
    path(f"{JUDGE}suspend/", judges.suspend_judge, name="suspend_judge"),
    path(f"{JUDGE}resume/", judges.resume_judge, name="resume_judge"),
    path(f"{JUDGE}end/", judges.end_judge, name="end_judge"),
    path(f"{GAME}erase/", archives.erase_game, name="erase_game"),
    path(f"{IMPORT}erase/", archives.erase_upload, name="erase_upload"),
    path(f"{PROJECT}erase/", archives.erase_project, name="erase_project"),
    path("people/<int:person>/erase/", archives.erase_person, name="erase_person"),
    path("erasures/", archives.erasures, name="erasures"),
    path(f"{PROJECT}exports/new/", exports.new_export, name="new_export"),
]
