"""When the browser will not store, or has lost the key, and what is left after signing out."""
from browser import wait_until
from journey import WebTest, everywhere
from person import OWNER

RECORDS = """
    const found = {};
    for (const {name} of await indexedDB.databases()) {
        const open = indexedDB.open(name);
        const database = await new Promise((done) => { open.onsuccess = () => done(open.result); });
        for (const store of database.objectStoreNames) {
            const count = database.transaction(store).objectStore(store).count();
            found[store] = await new Promise((done) => {
                count.onsuccess = () => done(count.result);
            });
        }
        database.close();
    }
    return found;"""


class Wiping:
    def accept_wipe(self, page):
        """A new page, after the old one has told the relay and begun anew."""
        page.waits_for_another(lambda: page.click("wipe-accept"))
        self.ready(page)
        page.close()
        return self.open()


class Quota(WebTest):
    """Only Chromium can be told how much room there is."""

    def test_a_full_disk_is_said_the_text_stays_and_can_be_sent_later(self):
        text = "no room for this " * 40_000
        # Before anything is stored, and less than the memo takes, sealed for the relay and for the
        # history: Chromium remembers for a while how much room it has seen.
        page = self.browser.open()
        page.command("Storage.overrideQuotaForOrigin", origin=self.relay.url, quotaSize=1_200_000)
        page.go(self.relay.url)
        self.ready(page)
        self.sign_in(page)
        page.click("memo")
        page.run("""
            $.memo.value = a[0];
            $.memo.dispatchEvent(new InputEvent("input", {bubbles: true}));""", text)
        page.press("Control+Enter")
        wait_until(lambda: page.run("return $.notice.dataset.state") == "error", "it is said")
        self.assertTrue(page.text("notice"))
        self.assertTrue(page.seen("notice"))
        self.assertEqual(page.value("memo"), text)
        self.assertEqual(page.focus(), "memo")
        page.command("Storage.overrideQuotaForOrigin", origin=self.relay.url)
        page.press("Control+Enter")
        self.cleared(page)
        self.arrives(text)


@everywhere
class LostKey(Wiping):
    def test_a_lost_key_is_said_nothing_is_thrown_away_and_no_key_is_made_in_its_place(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        self.send(page, "sealed before")
        self.arrives("sealed before")
        self.go_offline()
        self.send(page, "waiting when the key goes")
        before = page.run(RECORDS)
        page.run("""
            const [{name}] = await indexedDB.databases();
            const open = indexedDB.open(name);
            const database = await new Promise((done) => { open.onsuccess = () => done(open.result); });
            const work = database.transaction("key", "readwrite");
            work.objectStore("key").clear();
            await new Promise((done) => { work.oncomplete = done; });
            database.close();""")
        page.reload()
        self.ready(page)
        self.write(page, "written after")
        page.press("Control+Enter")
        wait_until(lambda: page.run("return $.notice.dataset.state") == "error", "it is said")
        self.assertTrue(page.seen("notice"))
        self.assertEqual(page.value("memo"), "written after")
        after = page.run(RECORDS)
        self.assertEqual(after["key"], 0)
        self.assertEqual(after["outbox"], before["outbox"])
        self.assertEqual(after["history"], before["history"])
        self.go_online()
        page.click("open-settings")
        page.click("open-diagnostics")
        page.wait_seen("#queue-list li")
        self.assertEqual(self.memos(), ["sealed before"])
        # What it says is to be done, helps.
        page.click("diagnostics-back")
        page.click("sign-out")
        page.wait_seen("wipe-confirm")
        page = self.accept_wipe(page)
        self.sign_in(page)
        self.send(page, "afresh")
        self.arrives("sealed before", "afresh")


@everywhere
class SignOut(Wiping):
    def test_signing_out_wipes_the_device_and_revokes_the_token(self):
        page = self.signed_in()
        self.send(page, "sent and gone")
        self.arrives("sent and gone")
        page.click("open-settings")
        page.wait_seen("sign-out")
        page.click("sign-out")
        page.wait_seen("wipe-confirm")
        page = self.accept_wipe(page)
        records = page.run(RECORDS)
        for store in ("history", "outbox", "drafts"):
            self.assertFalse(records.get(store), store)
        page.click("open-history")
        page.wait_seen("history-empty")
        self.assertEqual(page.texts("#history-list li"), [])
        page.click("history-back")
        self.sign_in(page)
        page.click("open-settings")
        page.wait_seen("#device-list li")
        self.assertEqual(len(page.texts("#device-list li")), 1, "the old device is still there")

    def test_signing_out_can_be_thought_better_of(self):
        page = self.signed_in()
        self.send(page, "still here")
        page.click("open-settings")
        page.wait_seen("sign-out")
        page.click("sign-out")
        page.wait_seen("wipe-confirm")
        page.press("Escape")
        page.wait_gone("wipe-confirm")
        page.click("settings-back")
        page.click("open-history")
        page.wait_seen("#history-list li")
        self.arrives("still here")

    def test_what_is_pending_is_kept_for_the_same_account_and_another_one_has_none_of_it(self):
        page = self.signed_in()
        self.go_offline()
        self.send(page, "not sent yet")
        self.write(page, "a draft")
        self.draft_kept(page, "a draft")
        page.click("open-settings")
        page.wait_seen("sign-out")
        page.click("sign-out")
        page.wait_seen("wipe-keep")
        self.assertIn("2", page.text("wipe-unsent"))
        page.click("wipe-keep")
        page.wait_gone("wipe-confirm")
        page.wait_seen("address")
        self.go_online()
        page.reload()
        self.ready(page)
        page.wait_seen("address")
        self.assertEqual(page.value("address"), OWNER)
        page.click("address")
        page.run("document.activeElement.select()")
        page.type("another@example.org")
        page.click("ask-code")
        page.wait_seen("wipe-confirm")
        self.assertFalse(page.seen("wipe-keep"))
        page.click("wipe-cancel")
        page.wait_gone("wipe-confirm")
        page.click("settings-back")
        self.assertEqual(self.memos(), [])
        self.sign_in(page)
        self.arrives("not sent yet")
        self.assertEqual(page.value("memo"), "a draft")
