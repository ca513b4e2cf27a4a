"""Text that comes from elsewhere: the share target."""
from browser import wait_until
from journey import everywhere
from test_storage import RECORDS

SHARE = """
    const form = document.createElement("form");
    [form.method, form.enctype, form.action] = ["POST", "multipart/form-data", a[0]];
    for (const [name, value] of Object.entries(a[1])) {
        // WebKit cuts the value of an input at 512 Ki characters.
        const input = document.createElement("textarea");
        [input.name, input.value] = [name, value];
        form.append(input);
    }
    document.body.append(form);
    setTimeout(() => form.submit());"""


@everywhere
class Sharing:
    def share(self, **fields):
        page = self.browser.open("about:blank")
        page.run(SHARE, f"{self.relay.url}/share", fields)
        wait_until(
            lambda: page.run("return location.origin + document.readyState")
            == f"{self.relay.url}complete", "the app is open")
        return page

    def test_shared_text_is_in_the_field_and_can_be_sent(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        page.close()
        page = self.share(title="A page", text="worth reading", url="https://example.org/page")
        page.wait_seen("share")
        self.assertEqual(page.value("memo"), "")
        self.assertEqual(page.text("share-text"), "A page\nworth reading\nhttps://example.org/page")
        # A thumb finds the button where it is without the offer.
        below = page.run("return innerHeight - $.send.getBoundingClientRect().bottom")
        self.assertGreaterEqual(below, 8)
        page.click("share-take")
        wait_until(
            lambda: page.value("memo") == "A page\nworth reading\nhttps://example.org/page",
            "the field holds what was shared")
        self.assertNotIn("worth", page.run("return location.href"))
        page.click("memo")
        page.press("Control+Enter")
        self.cleared(page)
        self.arrives("A page\nworth reading\nhttps://example.org/page")

    def test_shared_text_joins_what_was_being_written(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        self.write(page, "my own words")
        self.draft_kept(page, "my own words")
        page.close()
        page = self.share(text="and theirs")
        wait_until(lambda: page.value("memo"), "the draft is back")
        page.wait_seen("share")
        self.assertEqual(page.value("memo"), "my own words")
        page.click("share-take")
        wait_until(
            lambda: "my own words" in page.value("memo") and "and theirs" in page.value("memo"),
            lambda: f"both are there: {page.value('memo')!r}")
        page.wait_gone("share")

    def test_a_discarded_text_is_gone(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        page.close()
        page = self.share(text="not wanted")
        page.wait_seen("share")
        page.click("share-discard")
        page.wait_gone("share")
        wait_until(lambda: page.run(RECORDS)["shares"] == 0, "it is deleted")
        self.assertEqual(page.value("memo"), "")

    def test_a_text_longer_than_a_memo_may_be_is_refused_and_the_app_goes_on(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        page.close()
        page = self.share(text="x" * 5_000_000)
        wait_until(lambda: "longer than 1 MiB" in page.text("notice"), lambda: page.text("notice"))
        self.assertEqual(page.run(RECORDS)["shares"], 0)
        self.assertEqual(page.value("memo"), "")
        self.send(page, "none the worse")
        self.arrives("none the worse")
