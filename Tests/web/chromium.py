"""Chromium, driven by Playwright."""
import atexit
import contextlib
import json
import os
import pathlib
import signal

from playwright.sync_api import Error, sync_playwright

from browser import ELEMENTS, SECONDS, Browser, Navigated, Page, wait_until

EXECUTABLE = "/usr/bin/chromium"
#: Draws no window, for a third of the processor time. What belongs to one it does not have: Background
#: Sync, installing the app, and settings of what a site may do.
WINDOWLESS = "/usr/lib/chromium/chromium-headless-shell"
_running = []


def playwright():
    if not _running:
        # The requests of service workers are events of the context as well.
        os.environ["PW_EXPERIMENTAL_SERVICE_WORKER_NETWORK_EVENTS"] = "1"
        _running.append(sync_playwright().start())
        atexit.register(_running[0].stop)
    return _running[0]


class Chromium(Browser):
    name = "Chromium"
    family = "chromium"
    executable = EXECUTABLE
    if os.environ.get("MEMO_CHROMIUM") == "windowless" and pathlib.Path(WINDOWLESS).exists():
        executable = WINDOWLESS

    def __init__(self, profile, language="en", **options):
        self.options = options
        super().__init__(profile, language)

    @classmethod
    def is_installed(cls):
        return pathlib.Path(cls.executable).exists()

    def start(self):
        self.context = playwright().chromium.launch_persistent_context(
            self.profile, executable_path=self.executable, headless=True, args=["--no-sandbox"],
            timeout=SECONDS * 1000, locale={"en": "en-US"}.get(self.language, self.language), **self.options)
        self.process = self._process()
        self._blank = self.context.pages[0]
        self.listen()

    def listen(self):
        self.requests = []
        self.context.set_default_timeout(SECONDS * 1000)
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.context.on("console", lambda message: self.console.append(message.text))

    def _process(self):
        """The browser's own process: the one of this profile that is no other's child."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                line = (process / "cmdline").read_bytes().replace(b"\0", b" ") + b" "
            except OSError:
                continue
            if f"--user-data-dir={self.profile} ".encode() in line and b"--type=" not in line:
                return int(process.name)
        raise AssertionError("Chromium's process is not found")

    def close(self):
        self.pages.clear()
        self.context.close()

    def kill(self):
        os.kill(self.process, signal.SIGKILL)
        wait_until(lambda: not pathlib.Path(f"/proc/{self.process}").exists(), "it has ended")
        self.pages.clear()
        try:
            self.context.close()
        except Error:
            pass
        (self.profile / "SingletonLock").unlink(missing_ok=True)

    def open(self, url="about:blank"):
        page = ChromiumPage(self)
        self.pages.append(page)
        if url != "about:blank":
            page.go(url)
        return page

    def command(self, name, **parameters):
        """A DevTools command to the browser itself."""
        session = self.context.new_cdp_session(self._blank)
        try:
            return session.send(name, parameters)
        finally:
            session.detach()

    def sync(self, origin, tag):
        """Rings the service worker of an origin, as Background Sync does when there is a network."""
        session = self.context.new_cdp_session(self._blank)
        known = []
        session.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda event: known.extend(event["registrations"]))
        session.send("ServiceWorker.enable")
        registration = wait_until(
            lambda: self._blank.wait_for_timeout(5) or [
                each for each in known
                if each["scopeURL"].startswith(f"{origin}/") and not each["isDeleted"]],
            "the service worker is registered")[-1]
        session.send("ServiceWorker.dispatchSyncEvent", {
            "origin": f"{origin}/", "registrationId": registration["registrationId"], "tag": tag,
            "lastChance": False})
        session.detach()

    def set_offline(self, offline):
        self.context.set_offline(offline)


class WindowedChromium(Chromium):
    executable = EXECUTABLE


class PrivateChromium(Chromium):
    """Its windows keep nothing."""

    name = "PrivateChromium"

    def start(self):
        self.owner = playwright().chromium.launch(
            executable_path=self.executable, headless=True, args=["--no-sandbox"], timeout=SECONDS * 1000)
        self.context = self.owner.new_context(locale="en-US")
        self._blank = self.context.new_page()
        self.listen()

    def close(self):
        super().close()
        self.owner.close()


class ForbiddingChromium(WindowedChromium):
    """The person has forbidden all pages to store anything."""

    name = "ForbiddingChromium"

    def start(self):
        folder = self.profile / "Default"
        folder.mkdir(exist_ok=True)
        (folder / "Preferences").write_text(
            json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}}))
        super().start()


class ChromiumPage(Page):
    def __init__(self, browser):
        self.browser = browser
        self.page = browser.context.new_page()

    def run(self, body, *arguments):
        try:
            return self.page.evaluate("async (a) => {" + ELEMENTS + body + "}", list(arguments))
        except Error as error:
            if "Execution context was destroyed" in error.message:
                raise Navigated() from error
            raise

    def before_scripts(self, script):
        """Runs a script in each document before its own."""
        self.page.add_init_script(script)

    def command(self, name, **parameters):
        """A DevTools command to this page."""
        if not hasattr(self, "session"):
            self.session = self.browser.context.new_cdp_session(self.page)
        return self.session.send(name, parameters)

    def go(self, url):
        self.page.goto(url)

    def reload(self):
        self.page.reload()

    def type(self, text):
        self.page.keyboard.type(text)

    def insert(self, text):
        """As an input method or a paste does: no keys, one input event."""
        self.page.keyboard.insert_text(text)

    def press(self, keys):
        self.page.keyboard.press(keys)

    def click(self, selector):
        self.page.click(self.selector(selector))

    def crash(self):
        """Kills the process in which the page runs."""
        crashes = []
        self.page.on("crash", lambda page: crashes.append(page))
        with contextlib.suppress(Error):
            self.page.goto("chrome://crash")
        wait_until(
            lambda: self.browser._blank.wait_for_timeout(5) or crashes, "the page has crashed")
        self.close()

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})

    def screenshot(self, path):
        self.page.screenshot(path=path)

    def close(self):
        if self in self.browser.pages:
            self.browser.pages.remove(self)
            self.page.close()
