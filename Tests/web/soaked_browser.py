"""Sends memos in Chromium until it is told to rest, and kills pages and browsers on the way.

usage: soaked_browser.py PROFILE RELAY IMAP-PORT SEED

It is a part of a soak, see EndToEnd/soak.py, in a process of its own because Playwright belongs to
one thread. Each line on standard output is a JSON array: ["signed-in"]; ["acknowledged", MEMO] once
the field was seen empty; ["uncertain", MEMO], before anything may be killed while MEMO is sent;
["killed"]; ["rested"] when nothing waits in the browser any more. A line on standard input tells it
to rest.
"""
import json
import random
import select
import sys
import time

from browser import wait_until
from chromium import Chromium
from hard_texts import WEB_MEMO
from mail_servers import Mailbox
from person import Person
from test_kills import PRESS_SOON, WRITE

#: The share of the memos that are sent while page or browser is killed.
KILLED = 0.3
KEYS = """
    const {promise, resolve} = Promise.withResolvers();
    const open = indexedDB.open((await indexedDB.databases())[0].name);
    open.onsuccess = resolve;
    await promise;
    const store = open.result.transaction(a[0]).objectStore(a[0]).getAllKeys();
    await new Promise((done) => { store.onsuccess = done; });
    open.result.close();
    return store.result.map(
        (key) => typeof key == "string" ? key : [...new Uint8Array(key)].join());"""


class Address:
    """What a person has to know of the relay."""

    def __init__(self, url):
        self.url = url


def tell(*words):
    print(json.dumps(words), flush=True)


class SoakedBrowser:
    def __init__(self, profile, url, port, seed):
        self._seed = seed
        self._chance = random.Random(seed)
        self._browser = Chromium(profile)
        self._person = Person(self._browser, Address(url), Mailbox(port))
        self._page = self._person.signed_in()
        self._sent = 0
        self._waiting = None
        tell("signed-in")

    def send(self):
        """Sends the memo that the field still holds, or another one."""
        if self._waiting is None:
            self._sent += 1
            self._waiting = f"{WEB_MEMO}{self._sent} of {self._seed}: 日本語 é\n.\n..\nFrom here =3D"
            self._page.click("memo")
            self._page.run(WRITE, self._waiting)
            self._person.draft_kept(self._page, self._waiting)
        memo = self._waiting
        if self._chance.random() < KILLED:
            self._send_and_kill(memo)
        else:
            tell("uncertain", memo)
            self._page.press("Control+Enter")
            wait_until(lambda: self._page.value("memo") == "", "the field is empty")
            tell("acknowledged", memo)
            self._waiting = None

    def _send_and_kill(self, memo):
        before = {*self._page.run(KEYS, "history")}
        tell("uncertain", memo)
        self._browser.console.clear()
        self._page.run(PRESS_SOON)
        time.sleep(0.02 + 0.1 * self._chance.random() ** 2)
        if self._chance.random() < 0.2:
            self._browser.kill()
            self._browser.start()
        else:
            self._page.crash()
        tell("killed")
        if "the field is empty" in self._browser.console:
            tell("acknowledged", memo)
        self._page = self._person.open()
        wait_until(
            lambda: self._page.value("memo") == memo
            or {*self._page.run(KEYS, "history")} - before,
            "the memo is in the field or stored")
        if self._page.value("memo") != memo:
            self._waiting = None

    def rest(self):
        wait_until(lambda: self._page.run(KEYS, "outbox") == [], "nothing waits in the browser")
        tell("rested")

    def close(self):
        self._browser.close()


def main():
    profile, url, port, seed = sys.argv[1:]
    browser = SoakedBrowser(profile, url, int(port), int(seed))
    try:
        while not select.select([sys.stdin], [], [], 0)[0]:
            browser.send()
        browser.rest()
    finally:
        browser.close()


if __name__ == "__main__":
    main()
