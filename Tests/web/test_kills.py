"""Tabs and browsers killed at random moments while memos are sent."""
import os
import random
import time

from browser import wait_until
from firefox import Firefox
from journey import WebTest
from seeds import seed_of
from webkit import OutlivingWebKit

#: How many kills; Firefox, which starts anew after each, has a twentieth, WebKit a tenth.
ROUNDS = int(os.environ.get("MEMO_BROWSER_KILLS", 100))

WRITE = """
    $.memo.value = a[0];
    $.memo.dispatchEvent(new InputEvent("input", {bubbles: true}));"""

PRESS_SOON = """
    setTimeout(() => $.memo.dispatchEvent(new KeyboardEvent(
        "keydown", {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true})), 20);
    const {port1, port2} = new MessageChannel();
    port1.onmessage = () => {
        if ($.memo.value) port2.postMessage(0);
        else console.log("the field is empty");
    };
    port2.postMessage(0);"""

#: What a page and its database hold, without its content.
STANDING = """
    const standing = {
        field: $.memo?.value.length, notice: $.notice?.textContent,
        locks: await navigator.locks.query()};
    for (const {name} of await indexedDB.databases()) {
        const opening = indexedDB.open(name);
        await new Promise((done) => { opening.onsuccess = opening.onerror = done; });
        for (const store of opening.result?.objectStoreNames ?? []) {
            const count = opening.result.transaction(store).objectStore(store).count();
            await new Promise((done) => { count.onsuccess = count.onerror = done; });
            standing[store] = count.result;
        }
        opening.result?.close();
    }
    return JSON.stringify(standing);"""


class Kills:
    """Which process dies when is the engine's part; what must hold is not."""

    rounds = 0

    def setUp(self):
        super().setUp()
        self.seed = seed_of("browser-kills")
        self.chance = random.Random(self.seed)
        self.kills = {"cleared": 0, "stored": 0, "left": 0}

    def test_each_memo_is_in_the_inbox_once_though_its_tab_is_killed_while_it_is_sent(self):
        print(f"seed {self.seed}", end=" ", flush=True)
        page = self.signed_in()
        texts, waiting = [], None
        for turn in range(self.rounds):
            if waiting is None:
                waiting = f"memo {len(texts)} of {self.seed}"
                texts.append(waiting)
                page.click("memo")
                page.run(WRITE, waiting)
                self.draft_kept(page, waiting)
            was_cleared = self.send_and_kill(page)
            page = self.open()
            waiting = self.look(page, waiting, was_cleared)
        if waiting is not None:
            page.press("Control+Enter")
            self.cleared(page)
        print(
            f"{self.rounds} kills: {self.kills['cleared']} after the field was seen empty, "
            f"{self.kills['stored']} between storing and seeing that, {self.kills['left']} before; "
            f"{len(texts)} memos", end=" ", flush=True)
        self.arrives(*texts)
        self.assertEqual(self.inbox.collapsed, 0)

    def look(self, page, text, was_cleared):
        """The text, if the field still holds it."""
        if was_cleared:
            self.kills["cleared"] += 1
            self.assertEqual(page.value("memo"), "", f"seed {self.seed}: a sent memo came back")
            return None
        wait_until(
            lambda: page.value("memo") == text or text in self.memos(),
            lambda: f"{text} is in the field or in the inbox: {page.run(STANDING)}, "
            f"{self.relay.log_path.read_text()[-1000:]}")
        if page.value("memo") == text:
            self.kills["left"] += 1
            return text
        self.kills["stored"] += 1
        return None


class KillsInChromium(Kills, WebTest):
    """The process of the page, and now and then all of the browser."""

    rounds = ROUNDS

    def send_and_kill(self, page):
        """Whether the field was seen empty before the kill.

        The page presses the keys itself and tells what it sees: the driver's own questions would
        only allow the moments between them.
        """
        whole = self.chance.random() < 0.1
        page.run(PRESS_SOON)
        time.sleep(0.02 + self.chance.choice([0.03, 0.1]) * self.chance.random() ** 2)
        if whole:
            self.browser.kill()
            self.browser.start()
        else:
            page.crash()
        seen = "the field is empty" in self.browser.console
        self.browser.console.clear()
        return seen


class KillsInFirefox(Kills, WebTest):
    """All of the browser: its driver does not outlive a tab."""

    engine = Firefox
    rounds = -(-ROUNDS // 20)

    def send_and_kill(self, page):
        page.press("Control+Enter")
        time.sleep(0.1 * self.chance.random() ** 2)
        seen = self.chance.random() < 0.5 and page.value("memo") == ""
        self.browser.kill()
        self.browser.start()
        return seen


class KillsInWebKit(Kills, WebTest):
    """The process of the page: what the browser has stored ends with the browser."""

    engine = OutlivingWebKit
    rounds = -(-ROUNDS // 10)

    def send_and_kill(self, page):
        process = self.browser.process_of(page)
        page.run(PRESS_SOON)
        time.sleep(0.02 + 0.1 * self.chance.random() ** 2)
        seen = self.chance.random() < 0.5 and page.value("memo") == ""
        self.browser.crash(process)
        return seen
