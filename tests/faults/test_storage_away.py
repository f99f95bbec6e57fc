"""The bucket that holds uploads and exports, away for a while: while people save, bring in games and have them read."""

import pytest

from tests.factories.transcripts import as_bytes, native_game
from tests.faults.saving import Saving
from tests.faults.tcp_proxy import Relay
from tests.faults.test_worker_and_redis_killed import GAMES, check_whole, number, sweep_until_done, upload
from tests.faults.visitors import make_team, words
from tests.services.bucket import bucket_server
from tests.services.live_stack import stack_in

pytestmark = [pytest.mark.services(is_long=True), pytest.mark.slow, pytest.mark.long]

FILES, EVENTS = "SELECT COUNT(*) FROM discussions_transcript", "SELECT COUNT(*) FROM workspace_event"


def test_uploads_are_refused_with_a_sentence_and_everything_else_goes_on(
    tmp_path, static_files, migrated_database, fault_table, monkeypatch
):
    with bucket_server(tmp_path) as bucket:
        relay = Relay(bucket.port)
        for name, value in bucket.env(relay.port).items():
            monkeypatch.setenv(name, value)
        with stack_in(tmp_path, static_files, migrated_database) as stack:
            team = make_team(stack, 2)
            stack.worker.kill()
            upload(team)
            before = [number(stack, FILES), number(stack, EVENTS)]
            relay.swallow()
            refused = team.lead.upload(
                "/projects/ours/imports/upload/", {"late.json": as_bytes(native_game())}
            )
            assert (refused.status, "storage of files does not answer" in words(refused.text)) == (503, True)
            assert [number(stack, FILES), number(stack, EVENTS)] == before
            stack.worker.start()
            with Saving(stack, team, think=0.3) as saving:
                assert team.lead.get("/projects/ours/games/").status == 200
                stack.wait_for("SELECT COUNT(*) FROM workspace_job WHERE cause LIKE '%StorageAway%'", 1)
            told = saving.check()
            relay.let_through()
            sweep_until_done(stack)
            assert not [path for path in (tmp_path / "uploads").rglob("*") if path.is_file()]
            check_whole(stack, GAMES + 2)
            held = "an upload was refused, an import went on when it was back"
            fault_table(
                "2 people saving, an import", "storage of files away", held, acknowledged=told, stack=stack
            )
        relay.close()
