"""Ten languages, switched without losing a letter."""
from browser import wait_until
from journey import WebTest, everywhere

LANGUAGES = ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "pt", "zh-Hans")

#: The words on the page that a person of the language would meet, and that are missing.
MISSING = """
    return [...document.querySelectorAll("[data-text], [data-label]")].filter((element) =>
        (element.dataset.text && !element.textContent.trim())
        || (element.dataset.label && !element.getAttribute("aria-label")))
        .map((element) => element.dataset.text || element.dataset.label);"""


def choose(page, language):
    page.run("""
        const choice = document.getElementById("language");
        choice.value = a[0];
        choice.dispatchEvent(new Event("input", {bubbles: true}));
        choice.dispatchEvent(new Event("change", {bubbles: true}));""", language)
    wait_until(lambda: page.run("return document.documentElement.lang") == language, language)


@everywhere
class Switching:
    def test_the_language_changes_in_mid_sentence_and_nothing_is_lost(self):
        page = self.signed_in()
        self.write(page, "half a sen")
        page.click("open-settings")
        page.wait_seen("language")
        choose(page, "de")
        wait_until(lambda: page.text("settings-title") == "Einstellungen", "it is German")
        page.click("settings-back")
        page.wait_seen("memo")
        self.assertEqual(page.value("memo"), "half a sen")
        page.run("$.memo.focus(); $.memo.setSelectionRange(10, 10)")
        page.type("tence")
        page.press("Control+Enter")
        self.cleared(page)
        self.arrives("half a sentence")
        page.reload()
        page.waits("return document.documentElement.lang === 'de'")


class EveryLanguage(WebTest):
    def test_no_word_is_missing_and_arabic_is_set_from_right_to_left(self):
        page = self.open()
        page.click("open-settings")
        titles = set()
        for language in LANGUAGES:
            choose(page, language)
            wait_until(lambda: page.run(MISSING) == [], lambda: page.run(MISSING))
            titles.add(page.text("settings-title"))
            direction = page.run("return getComputedStyle(document.body).direction")
            self.assertEqual(direction, "rtl" if language == "ar" else "ltr", language)
        self.assertGreaterEqual(len(titles), 9, titles)


class Japanese(WebTest):
    language = "ja"

    def test_the_browser_s_language_is_the_first_and_the_mail_with_the_code_speaks_it(self):
        page = self.open()
        self.assertEqual(page.run("return document.documentElement.lang"), "ja")
        self.sign_in(page)
        code = [m for m in self.inbox.messages() if m["Reply-To"] is None][0]
        self.assertRegex(code["Subject"], "[\u3040-\u30ff\u4e00-\u9fff]")
