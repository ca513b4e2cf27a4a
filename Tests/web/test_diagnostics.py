"""What waits, and why, and what a person can do about it; and how fast the app has been."""
from browser import wait_until
from journey import everywhere

ROWS = "#queue-list > li"


@everywhere
class Diagnostics:
    def diagnostics(self, page):
        page.click("open-settings")
        page.wait_seen("open-diagnostics")
        page.click("open-diagnostics")
        page.wait_seen("diagnostics")

    def rows(self, page):
        return len(page.texts(ROWS))

    def earliest(self, page):
        """The key of its row. The list is in the order of the next attempts; identifiers tell time."""
        return page.run("""
            const id = (row) => row.querySelector("[data-part=id]").textContent;
            const rows = [...document.querySelectorAll(a[0])];
            return rows.sort((one, other) => (id(one) < id(other) ? -1 : 1))[0].dataset.key;""", ROWS)

    def test_what_waits_is_listed_with_its_reason_and_can_be_tried_at_once(self):
        page = self.signed_in()
        self.go_offline()
        self.send(page, "impatient")
        self.diagnostics(page)
        wait_until(lambda: self.rows(page) == 1, "it is listed")
        self.assertEqual(page.texts(f"{ROWS} [data-part=text]"), ["impatient"])
        wait_until(lambda: page.texts(f"{ROWS} [data-part=reason]") != [""], "with its reason")
        self.go_online()
        if self.rows(page):
            page.run("document.querySelector('#queue-list [data-part=retry]')?.click()")
        self.arrives("impatient")
        wait_until(lambda: self.rows(page) == 0, "nothing waits")
        page.wait_seen("queue-empty")
        self.assertRegex(page.text("send-to-reset"), r"\d")

    def test_only_a_person_deletes_what_waits_and_is_asked_before(self):
        page = self.signed_in()
        self.go_offline()
        self.send(page, "thought better of")
        self.send(page, "meant")
        self.diagnostics(page)
        wait_until(lambda: self.rows(page) == 2, "both are listed")
        delete = f"#queue-list > [data-key='{self.earliest(page)}'] [data-part=delete]"
        page.click(delete)
        page.wait_seen("confirm")
        page.press("Escape")
        page.wait_gone("confirm")
        self.assertEqual(self.rows(page), 2)
        page.click(delete)
        page.wait_seen("confirm")
        page.click("confirm-accept")
        wait_until(lambda: self.rows(page) == 1, "it is gone")
        self.go_online()
        self.arrives("meant")
