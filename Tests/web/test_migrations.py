"""A database that an earlier build wrote, read by this build and by one with a further version.

`databases/version-N.json` is what the first build of version N writes: a memo that arrived, one that
waits, a draft and a signature, sealed under a key that is in the file, too.
"""
import json
import pathlib
import re

from browser import wait_until
from journey import everywhere
from test_update import next_build

WRITTEN = {
    int(path.stem.removeprefix("version-")): json.loads(path.read_text())
    for path in pathlib.Path(__file__).parent.joinpath("databases").glob("version-*.json")}

#: Makes the database as that build made it.
PUT = """
    const [written] = a, bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const open = indexedDB.open("memo", written.version);
    open.onupgradeneeded = () => {
        for (const store of Object.keys(written.stores)) {
            open.result.createObjectStore(store, {keyPath: "key"}).createIndex("head", "head");
        }
        open.result.createObjectStore("key", {keyPath: "key"});
    };
    await new Promise((done) => { open.onsuccess = done; });
    const keys = await Promise.all(written.keys.map(async ([name, raw]) => ({
        key: bytes(name), value: await crypto.subtle.importKey(
            "raw", bytes(raw), "AES-GCM", false, ["encrypt", "decrypt"])})));
    const work = open.result.transaction(open.result.objectStoreNames, "readwrite");
    for (const [store, records] of Object.entries(written.stores)) {
        for (const record of records) {
            const [key, head, body] = record.map(bytes);
            work.objectStore(store).put({key, head, body});
        }
    }
    for (const key of keys) work.objectStore("key").put(key);
    await new Promise((done) => { work.oncomplete = done; });
    open.result.close();"""

STORES = """
    const open = indexedDB.open("memo");
    await new Promise((done) => { open.onsuccess = done; });
    open.result.close();
    return [open.result.version, ...open.result.objectStoreNames];"""


def with_a_further_version(script):
    """The host script as if the module had named one version more."""
    list_of_lists = r"(\w+\.list\(\w+=>\w+\.list\(\w+=>\w+\.text\(\)\)\))"
    changed, count = re.subn(list_of_lists, r'[...\1,["later"]]', script)
    assert count == 1, "openDatabase is not found in the script"
    return changed


@everywhere
class Migrations:
    def put(self, written):
        """Lets the browser hold this database before the app is opened."""
        page = self.browser.open(self.relay.url + "/healthz")
        page.run(PUT, written)
        return page

    def deploy_next(self):
        folder, _ = next_build(f"{self.folder}/next", with_a_further_version)
        options = self.relay._options
        options[options.index("--web") + 1] = str(folder)
        self.relay.stop()
        self.relay.start()

    def reads_all(self, page):
        page.go(self.relay.url)
        self.ready(page)
        wait_until(lambda: page.value("memo") == "half written", "the draft is back")
        page.click("open-history")
        wait_until(
            lambda: set(page.texts("#history-list li [data-part=text]"))
            == {"waiting since version 1", "arrived \u00e9\u4e2d"},
            "the history has both memos")
        page.click("history-back")
        page.wait_seen("memo")
        page.click("open-settings")
        self.assertEqual(page.value("signature"), "Regards")
        page.click("settings-back")
        page.wait_seen("memo")
        # This relay knows another person.
        self.sign_in(page)
        self.arrives("waiting since version 1\n-- \nRegards")

    def test_this_build_reads_what_builds_of_version_1_have_written(self):
        self.reads_all(self.put(WRITTEN[1]))

    def test_this_build_reads_what_builds_of_version_2_have_written(self):
        self.reads_all(self.put(WRITTEN[2]))

    def test_a_build_with_a_further_version_adds_it_and_loses_nothing(self):
        newest = WRITTEN[max(WRITTEN)]
        page = self.put(newest)
        self.deploy_next()
        self.reads_all(page)
        self.assertEqual(
            page.run(STORES), [newest["version"] + 1, *sorted([*newest["stores"], "key", "later"])])

    def test_a_build_before_the_further_version_says_so_and_changes_nothing(self):
        page = self.put({**WRITTEN[max(WRITTEN)], "version": max(WRITTEN) + 1})
        before = page.run(STORES)
        page.go(self.relay.url)
        self.ready(page)
        wait_until(lambda: "newer version" in page.text("notice"), "it is said")
        self.write(page, "stays")
        page.press("Control+Enter")
        page.wait_seen("notice")
        self.assertEqual(page.value("memo"), "stays")
        self.assertEqual(page.run(STORES), before)
