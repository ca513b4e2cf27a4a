"""WebKit, as in GTK's small browser, driven by Selenium on a display that nobody sees."""
import atexit
import os
import pathlib
import subprocess

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from browser import CALLING, ELEMENTS, SECONDS, Browser, Navigated, Page
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
    lacks = frozenset({
        "background sync", "storage quota", "fake time", "before scripts", "profile", "offline"})

    def start(self):
        self.output = open(self.profile / "output", "wb+")
        options = Options()
        options.binary_location = str(next(pathlib.Path("/usr/lib").glob(f"*/{BROWSER}")))
        options.add_argument("--automation")
        options.add_argument("--enable-write-console-messages-to-stdout=true")
        options.set_capability("browserName", "MiniBrowser")
        language = {"en": "en_US"}.get(self.language, self.language)
        self.service = Service(
            DRIVER, port=quiet_port(), log_output=self.output,
            env=os.environ | {"DISPLAY": display(), "LANGUAGE": language, "LANG": "C.UTF-8"})
        self.driver = webdriver.WebKitGTK(options=options, service=self.service)
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
        answer = self.driver.execute_async_script(
            CALLING.replace("%s", ELEMENTS + body), list(arguments))
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
