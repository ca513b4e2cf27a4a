"""WebKit, as in GTK's small browser, driven by Selenium on a display that nobody sees."""
import atexit
import itertools
import os
import pathlib
import shutil
import signal
import socket
import subprocess

from selenium import webdriver
from selenium.common.exceptions import InvalidSessionIdException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from browser import CALLING, ELEMENTS, SECONDS, Browser, Navigated, Page, wait_until
from ports import quiet_port

DRIVER = "/usr/bin/WebKitWebDriver"
BROWSER = "webkit2gtk-4.1/MiniBrowser"
_display = []


def display():
    if not _display:
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1440x1200x24", "-nolisten", "tcp"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        _display.append(f":{server.stdout.readline().decode().strip()}")
        atexit.register(server.wait)
        atexit.register(server.terminate)
    return _display[0]


class WebKit(Browser):
    name = "WebKit"
    family = "webkit"
    lacks = frozenset({
        "background sync", "storage quota", "fake time", "before scripts", "profile", "offline"})

    @classmethod
    def is_installed(cls):
        return bool(pathlib.Path(DRIVER).exists() and shutil.which("Xvfb") and cls.programs())

    @staticmethod
    def programs():
        return list(pathlib.Path("/usr/lib").glob(f"*/{BROWSER}"))

    def start(self):
        self.output = open(self.profile / "output", "wb+")
        options = Options()
        options.binary_location, *arguments = self.command()
        for argument in arguments:
            options.add_argument(argument)
        self.drive(options)

    @classmethod
    def command(cls):
        return str(cls.programs()[0]), "--automation", "--enable-write-console-messages-to-stdout=true"

    def environment(self):
        language = {"en": "en_US"}.get(self.language, self.language)
        return os.environ | {"DISPLAY": display(), "LANGUAGE": language, "LANG": "C.UTF-8"}

    def drive(self, options, *arguments):
        self.service = Service(
            DRIVER, port=quiet_port(), log_output=self.output, service_args=list(arguments),
            env=self.environment())
        self.begin(
            lambda options: webdriver.WebKitGTK(options=options, service=self.service), options)

    def begin(self, session, options=None):
        options = options or Options()
        options.set_capability("browserName", "MiniBrowser")
        self.driver = session(options)
        self.driver.set_script_timeout(SECONDS)
        self._blank = self.driver.current_window_handle

    def close(self):
        self.pages.clear()
        self.driver.quit()
        self.output.close()

    def open(self, url="about:blank"):
        # A tab would stay hidden: the small browser does not bring it to the front.
        self.driver.switch_to.new_window("window")
        page = WebKitPage(self, self.driver.current_window_handle)
        self.pages.append(page)
        page.go(url)
        return page

    def violations(self):
        self.output.seek(0)
        self.console += self.output.read().decode(errors="replace").splitlines()
        return super().violations()


class OutlivingWebKit(WebKit):
    """One whose pages can be killed: that ends the driver, but not the browser, which is ours."""

    def start(self):
        self.output = open(self.profile / "output", "wb+")
        self.port = quiet_port()
        self.process = subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output,
            env=self.environment() | {
                "WEBKIT_INSPECTOR_SERVER": f"127.0.0.1:{self.port}",
                "XDG_DATA_HOME": self.profile, "XDG_CACHE_HOME": self.profile})
        wait_until(self.listens, "the browser has started")
        self.drive(Options(), f"--target=127.0.0.1:{self.port}")

    def listens(self):
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self):
        self.pages.clear()
        self.driver.quit()
        self.process.terminate()
        self.process.wait(SECONDS)
        self.output.close()

    def process_of(self, page):
        """The one of the browser's children that computes when the page does."""
        # Longer each time: on a busy machine a page computes for a part of the time only.
        lengths = itertools.count(200, 200)

        def busiest():
            before = self.computed()
            page.run(
                "const end = performance.now() + a[0]; while (performance.now() < end);",
                next(lengths))
            after = self.computed()
            used = sorted((after[each] - before.get(each, 0), each) for each in after)
            return used[-1][1] if used[-1][0] >= used[-2][0] + 10 else None
        return wait_until(busiest, "the page's process is known")

    def computed(self):
        """How long each of the browser's children has computed, in hundredths of a second."""
        found = {}
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                values = path.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(values[1]) == self.process.pid:
                found[int(path.parent.name)] = int(values[11]) + int(values[12])
        return found

    def has_lost_session(self):
        try:
            return not self.driver.window_handles
        except InvalidSessionIdException:
            return True
        except WebDriverException:
            # It is about to notice.
            return False

    def crash(self, process):
        """Kills a page's process, and drives the browser again."""
        os.kill(process, signal.SIGKILL)
        self.pages.clear()
        wait_until(self.has_lost_session, "the browser has noticed")
        self.begin(lambda options: webdriver.Remote(self.service.service_url, options=options))


class WebKitPage(Page):
    def __init__(self, browser, handle):
        self.browser = browser
        self.handle = handle

    @property
    def driver(self):
        """The connection, turned to this tab."""
        driver = self.browser.driver
        if driver.current_window_handle != self.handle:
            driver.switch_to.window(self.handle)
        return driver

    def run(self, body, *arguments):
        try:
            answer = self.driver.execute_async_script(
                CALLING.replace("%s", ELEMENTS + body), list(arguments))
        except WebDriverException as error:
            # It comes as a missing frame or as a script's error, as the process changes or stays.
            if "unload event" in str(error):
                raise Navigated() from error
            raise
        if answer is None:
            raise Navigated()
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer.get("value")

    def go(self, url):
        self.driver.get(url)

    def reload(self):
        self.driver.refresh()

    def type(self, text):
        ActionChains(self.driver).send_keys(text).perform()

    insert = type

    def press(self, keys):
        *held, key = [getattr(Keys, name.replace("Arrow", "Arrow_").upper(), name)
                      for name in keys.split("+")]
        chain = ActionChains(self.driver)
        for name in held:
            chain = chain.key_down(name)
        chain = chain.send_keys(key)
        for name in reversed(held):
            chain = chain.key_up(name)
        chain.perform()

    def click(self, selector):
        x, y = self.wait_pressable(selector)
        actions = ActionBuilder(self.driver)
        actions.pointer_action.move_to_location(x, y).click()
        actions.perform()

    def resize(self, width, height):
        self.driver.set_window_size(width, height)

    def screenshot(self, path):
        self.driver.save_screenshot(str(path))

    def close(self):
        if self in self.browser.pages:
            self.browser.pages.remove(self)
            self.driver.close()
            self.browser.driver.switch_to.window(self.browser._blank)
