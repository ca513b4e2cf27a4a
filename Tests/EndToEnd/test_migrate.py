"""`memo-relay migrate`: the steps of the tables, and the rights that they need."""
import contextlib
import pathlib
import re
import sqlite3
import subprocess
import tempfile
import unittest

from postgresql import PROGRAMS, PostgreSQL
from processes import BIN
from raw_relay import RawRelay
from required import required
from test_relay_postgresql import ADDRESS, MEMO, SharingRelay
from waiting import SECONDS, wait_until

COMPLETE = "the tables are of this build. Nothing is to be done.\n"
DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"


def migrate(place, *options):
    """The exit code, what it printed, and what it complained about."""
    result = subprocess.run(
        [BIN / "memo-relay", "migrate", "--data", place, *options], check=False, timeout=SECONDS,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return result.returncode, result.stdout, result.stderr


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def change(self, relay, statements):
        with contextlib.closing(sqlite3.connect(relay.folder / "relay.sqlite")) as database:
            database.executescript(statements)

    def version(self, relay):
        with contextlib.closing(sqlite3.connect(relay.folder / "relay.sqlite")) as database:
            return database.execute(
                "SELECT version FROM schema_component WHERE name = 'relay'").fetchone()[0]

    def test_the_missing_steps_of_a_folder_are_named_and_then_run(self):
        relay = RawRelay(self.folder)
        self.addCleanup(relay.stop)
        relay.stop()
        self.assertEqual(migrate(relay.folder, "--dry-run")[1], COMPLETE)
        count = self.version(relay)
        self.change(relay, f"""
            DROP TABLE relay_copy;
            UPDATE schema_component SET version = {count - 1} WHERE name = 'relay'""")
        code, printed, _ = migrate(relay.folder, "--dry-run")
        self.assertEqual(code, 0)
        self.assertEqual(printed, (
            f"relay {count} of {count}: remembers a copy into another database\n"
            "missing: 1. Nothing was changed.\n"))
        self.assertEqual(self.version(relay), count - 1)
        self.assertEqual(migrate(relay.folder)[:2], (0, printed.splitlines()[0] + "\ndone\n"))
        self.assertEqual(self.version(relay), count)
        self.change(relay, f"UPDATE schema_component SET version = {count + 1} WHERE name = 'relay'")
        self.assertIn("of a later build", migrate(relay.folder)[1])
        self.assertEqual(migrate(self.folder / "none")[0], 1)
        self.assertFalse((self.folder / "none").exists())

    def test_a_folder_that_a_relay_uses_is_not_changed(self):
        relay = RawRelay(self.folder)
        self.addCleanup(relay.stop)
        count = self.version(relay)
        self.change(relay, "UPDATE schema_component SET version = version - 1 WHERE name = 'relay'")
        code, _, complaint = migrate(relay.folder)
        self.assertEqual(code, 1)
        self.assertIn("uses", complaint)
        self.assertEqual(self.version(relay), count - 1)


class DatabaseTest(unittest.TestCase):
    def setUp(self):
        required(PROGRAMS, "PostgreSQL")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.database = PostgreSQL()
        self.addCleanup(self.database.close)

    def tables(self):
        return self.database.ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")

    def start(self, name, role):
        folder = self.folder / name
        folder.mkdir()
        relay = SharingRelay(folder, self.database, self.folder / "key", role=role)
        self.addCleanup(relay.stop)
        return relay

    def test_the_missing_steps_of_a_database_are_named_with_their_statements_and_then_run(self):
        code, printed, _ = migrate(self.database.url, "--dry-run")
        self.assertEqual(code, 0)
        self.assertIn("relay 1 of ", printed)
        self.assertIn("    CREATE TABLE account(", printed)
        self.assertTrue(printed.endswith("Nothing was changed.\n"))
        self.assertEqual(self.tables(), "0")
        code, printed, _ = migrate(self.database.url)
        self.assertEqual(code, 0)
        self.assertNotIn("CREATE TABLE", printed)
        self.assertTrue(printed.endswith("done\n"))
        for options in ((), ("--dry-run",)):
            self.assertEqual(migrate(self.database.url, *options)[1], COMPLETE)
        self.database.ask("UPDATE schema_component SET version = version + 1")
        self.assertIn("of a later build", migrate(self.database.url)[1])

    def test_a_relay_with_the_least_rights_serves_and_cannot_change_a_table(self):
        self.database.run_script(DEPLOY / "roles.sql")
        # No tables are there, and this role may make none.
        with self.assertRaisesRegex(AssertionError, 'Run \"memo-relay migrate\"'):
            self.start("early", "memo_relay")
        self.assertIn("may not change the tables", migrate(self.database.url_of("memo_relay"))[2])
        self.assertEqual(migrate(self.database.url_of("memo_owner"))[0], 0)
        self.database.ask("REVOKE INSERT, UPDATE, DELETE ON schema_component FROM memo_relay", "memo_owner")
        relay = self.start("relay", "memo_relay")
        token = relay.sign_in(ADDRESS)
        self.assertEqual(relay.exchange("PUT", MEMO.format(1), {"text": "Milk"}, token).status, 202)
        wait_until(
            lambda: self.database.ask("SELECT status FROM memo") == "delivered", "the memo is delivered")
        self.assertEqual(relay.exchange("GET", "/readyz").status, 200)
        self.assertIn("accounts", relay.operate("stats", "--json"))
        for statement in (
                "DROP TABLE memo", "ALTER TABLE memo ADD COLUMN other text", "TRUNCATE memo",
                "CREATE TABLE other(id bigint)", "CREATE INDEX other ON memo(id)", "DROP INDEX memo_change",
                "ALTER TABLE memo DISABLE TRIGGER ALL", "UPDATE schema_component SET version = 0",
                "CREATE TEMPORARY TABLE other(id bigint)", "ALTER SCHEMA public RENAME TO other",
                "SELECT pg_read_file('PG_VERSION')"):
            self.assertRegex(
                self.database.refusal(statement, "memo_relay"), "permission denied|must be owner", statement)

    def test_the_rights_in_the_page_are_those_of_the_file(self):
        page = (DEPLOY.parent / "docs/operating.md").read_text()
        shown = re.search(r"### Rights of roles\n.*?```sql\n(.*?)```", page, re.S)[1]
        lines = [line for line in (DEPLOY / "roles.sql").read_text().splitlines(True)
                 if not line.startswith("--")]
        self.assertEqual("".join(lines).replace(':"DBNAME"', "memo"), shown)

    def test_a_relay_of_a_later_build_waits_for_the_owner_to_migrate(self):
        self.database.run_script(DEPLOY / "roles.sql")
        migrate(self.database.url_of("memo_owner"))
        # As the build before left it.
        self.database.ask(
            "DROP TABLE relay_shard, relay_drainer; ALTER TABLE outbox_operation DROP COLUMN shard;"
            " UPDATE schema_component SET version = version - 1 WHERE name = 'relay'")
        with self.assertRaisesRegex(AssertionError, "are not those of this build"):
            self.start("early", "memo_relay")
        self.assertEqual(migrate(self.database.url_of("memo_owner"))[0], 0)
        relay = self.start("relay", "memo_relay")
        relay.require_health()


if __name__ == "__main__":
    unittest.main()
