"""Firefox, driven by Marionette."""
import base64
import json
import pathlib
import shutil
import subprocess

from marionette_driver.errors import JavascriptException, NoSuchWindowException
from marionette_driver.keys import Keys
from marionette_driver.marionette import Marionette

from browser import CALLING, ELEMENTS, SECONDS, Browser, Navigated, Page, wait_until

PROGRAM = "firefox-esr"
PREFERENCES = {
    # Any free port; Firefox writes down which.
    "marionette.port": 0,
    # Asking for persistent storage shows a prompt, which nobody here would answer.
    "dom.storageManager.prompt.testing": True,
    "dom.storageManager.prompt.testing.allow": True,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


class Firefox(Browser):
    name = "Firefox"
    family = "firefox"
    lacks = frozenset({"background sync", "storage quota", "fake time", "before scripts"})
    #: Besides those that every test needs.
    preferences = {}

    @classmethod
    def is_installed(cls):
        return shutil.which(PROGRAM) is not None

    def start(self):
        preferences = PREFERENCES | {"intl.accept_languages": self.language} | self.preferences
        (self.profile / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
            for name, value in preferences.items()))
        port = self.profile / "MarionetteActivePort"
        port.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [PROGRAM, "--marionette", "--headless", "--new-instance", "--profile",
             self.profile, "--remote-allow-system-access"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: port.exists() and port.read_text().strip(), "Firefox has started")
        self.marionette = Marionette("127.0.0.1", port=int(port.read_text()))
        self.marionette.start_session()
        self.marionette.timeout.script = SECONDS
        self._blank = self.marionette.current_window_handle

    def close(self):
        self._end(self.process.terminate)

    def kill(self):
        self._end(self.process.kill)

    def _end(self, how):
        self.pages.clear()
        how()
        self.process.wait(SECONDS)
        self.marionette.client.close()

    def open(self, url="about:blank"):
        handle = self.marionette.open(type="tab", focus=True)["handle"]
        page = FirefoxPage(self, handle)
        self.pages.append(page)
        page.go(url)
        return page

    def privileged(self, script):
        """The value of a script that runs as the browser itself."""
        with self.marionette.using_context("chrome"):
            return self.marionette.execute_script(script)

    def set_offline(self, offline):
        self.privileged(f"Services.io.offline = {json.dumps(offline)}")

    def violations(self):
        self.console += self.privileged("""
            const found = Services.console.getMessageArray().map((message) => message.message);
            Services.console.reset();
            return found;""")
        return super().violations()


class PrivateFirefox(Firefox):
    """Its windows keep nothing."""

    name = "PrivateFirefox"
    preferences = {"browser.privatebrowsing.autostart": True}


class RefusingFirefox(Firefox):
    """The person does not allow storage that is there for good."""

    name = "RefusingFirefox"
    preferences = {"dom.storageManager.prompt.testing.allow": False}


class ForbiddingFirefox(Firefox):
    """The person has forbidden all pages to store anything."""

    name = "ForbiddingFirefox"
    preferences = {"network.cookie.cookieBehavior": 2}


class FirefoxPage(Page):
    def __init__(self, browser, handle):
        self.browser = browser
        self.handle = handle

    @property
    def marionette(self):
        """The connection, turned to this tab."""
        connection = self.browser.marionette
        if connection.window != self.handle:
            connection.switch_to_window(self.handle, focus=True)
        return connection

    def run(self, body, *arguments):
        try:
            answer = self.marionette.execute_async_script(
                CALLING.replace("%s", ELEMENTS + body), [list(arguments)])
        except JavascriptException as error:
            if "unloaded" in str(error):
                raise Navigated() from error
            raise
        if answer is None:
            raise Navigated()
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer.get("value")

    def process(self):
        """The process in which the page runs."""
        self.marionette
        return self.browser.privileged("return gBrowser.selectedBrowser.frameLoader.remoteTab.osPid")

    def go(self, url):
        self.marionette.navigate(url)

    def reload(self):
        # The driver's own reload passes by the service worker, as if the shift key were held.
        self.waits_for_another(lambda: self.run("setTimeout(() => location.reload())"))

    def type(self, text):
        self.marionette.actions.sequence("key", "keyboard").send_keys(text).perform()

    insert = type

    def press(self, keys):
        *held, key = [
            getattr(Keys, name.upper(), name) for name in keys.replace("Arrow", "Arrow_").split("+")]
        keyboard = self.marionette.actions.sequence("key", "keyboard")
        for name in held:
            keyboard = keyboard.key_down(name)
        keyboard = keyboard.key_down(key).key_up(key)
        for name in reversed(held):
            keyboard = keyboard.key_up(name)
        keyboard.perform()

    def click(self, selector):
        x, y = self.wait_pressable(selector)
        self.marionette.actions.sequence(
            "pointer", "mouse", {"pointerType": "mouse"}).pointer_move(x, y).click().perform()

    def resize(self, width, height):
        self.marionette.set_window_rect(width=width, height=height)

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.marionette.screenshot(full=False)))

    def close(self):
        if self in self.browser.pages:
            self.browser.pages.remove(self)
            try:
                self.marionette.close()
            except NoSuchWindowException:
                pass
            self.browser.marionette.switch_to_window(self.browser._blank)
