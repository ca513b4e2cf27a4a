"""Text that comes from elsewhere: the share target."""
from browser import wait_until
from journey import everywhere

SHARE = """
    const form = document.createElement("form");
    [form.method, form.enctype, form.action] = ["POST", "multipart/form-data", a[0]];
    for (const [name, value] of Object.entries(a[1])) {
        const input = document.createElement("input");
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
        wait_until(
            lambda: "my own words" in page.value("memo") and "and theirs" in page.value("memo"),
            lambda: f"both are there: {page.value('memo')!r}")
