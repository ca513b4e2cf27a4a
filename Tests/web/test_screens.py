"""Pictures of every screen, for people to look at: .build-screenshots/."""
import os

from browser import wait_until
from chromium import Chromium
from journey import ROOT, WebTest
from test_languages import choose

FOLDER = ROOT / ".build-screenshots"
#: The pixels of a picture for each of the page's.
SCALE = int(os.environ.get("MEMO_SCREEN_SCALE", "2"))
SIZES = {"phone": (390, 844), "desktop": (1280, 800)}
MEMOS = {
    "en": ["Buy milk, and a birthday card for Ada", "Idea: let the kettle text me when it is done",
           "Ask the library about the reading room on Sundays", "Train 17:42 from platform 4"],
    "ja": ["牛乳とアダの誕生日カードを買う", "アイデア: やかんが沸いたら知らせてくれる仕組み",
           "図書館に日曜の閲覧室について聞く", "17:42発 4番線の電車"],
    "ar": ["شراء الحليب وبطاقة عيد ميلاد لآدا", "فكرة: أن يرسل لي الإبريق رسالة عندما يغلي",
           "سؤال المكتبة عن قاعة القراءة يوم الأحد", "قطار الساعة 17:42 من الرصيف 4"],
}
DRAFTS = {
    "en": "The window in the back room sticks again.\nAsk Jo for the long screwdriver.",
    "ja": "奥の部屋の窓がまた開きにくい。\nジョーに長いドライバーを借りる。",
    "ar": "نافذة الغرفة الخلفية عالقة مرة أخرى.\nأطلب من جو المفك الطويل.",
}
CUT_OFF = """
    return [...document.querySelectorAll("button, label, h1, h2, p, dt, dd")]
        .filter((element) => element.checkVisibility() && element.id !== "ghost"
            && element.scrollWidth > element.clientWidth + 1
            && getComputedStyle(element).overflow !== "visible" && !element.closest(".unseen")
            && !element.classList.contains("unseen"))
        .map((element) => element.id || element.textContent.trim());"""


class Screens(WebTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.close()
        cls.browser = Chromium(f"{cls.profiles.name}/sharp", device_scale_factor=SCALE)
        FOLDER.mkdir(exist_ok=True)

    def picture(self, page, name):
        page.still()
        self.assertEqual(page.run(CUT_OFF), [], name)
        page.screenshot(FOLDER / f"{name}.png")

    def shoot(self, language):
        page = self.open()
        page.page.emulate_media(reduced_motion="reduce")
        page.click("open-settings")
        choose(page, language)
        self.each_look(page, f"{language}-sign-in")
        page.click("settings-back")
        self.sign_in(page)
        for text in MEMOS[language][1:]:
            page.click("memo")
            page.insert(text)
            page.press("Control+Enter")
            self.cleared(page)
        wait_until(lambda: len(self.memos()) == 3, "they arrive")
        page.waits("return $.notice.textContent === ''", what="the notice has gone")
        self.each_look(page, f"{language}-compose")
        page.click("open-history")
        page.waits(
            "return document.querySelectorAll('#history-list li[data-state=delivered]').length === 3",
            what="all are delivered")
        page.click("#history-list > li:nth-of-type(2) summary")
        self.each_look(page, f"{language}-history")
        page.click("history-back")
        page.click("open-settings")
        page.wait_seen("#device-list li")
        self.each_look(page, f"{language}-settings")
        page.click("sign-out")
        page.wait_seen("wipe-confirm")
        self.each_look(page, f"{language}-sign-out")
        page.press("Escape")
        self.go_offline()
        page.click("settings-back")
        page.click("memo")
        page.insert(MEMOS[language][0])
        page.press("Control+Enter")
        self.cleared(page)
        page.insert(DRAFTS[language])
        self.each_look(page, f"{language}-offline")
        page.click("open-settings")
        page.click("open-diagnostics")
        page.wait_seen("#queue-list li")
        self.each_look(page, f"{language}-diagnostics")

    def each_look(self, page, name):
        for size, (width, height) in SIZES.items():
            page.resize(width, height)
            for scheme in ("light", "dark"):
                page.page.emulate_media(color_scheme=scheme)
                self.picture(page, f"{name}-{size}-{scheme}")

    def picture_of(language):
        return lambda self: self.shoot(language)

    for language in os.environ.get("MEMO_SCREEN_LANGUAGES", "en ja ar").split():
        locals()[f"test_{language}"] = picture_of(language)
    del picture_of, language
