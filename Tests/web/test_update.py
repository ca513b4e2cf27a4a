"""A new build on the relay while somebody is writing."""
import hashlib
import pathlib
import re
import shutil

from browser import wait_until
from journey import WEB, everywhere

HOST = "return document.querySelector('script[src]').getAttribute('src')"


def next_build(folder, change=lambda script: script + "// The next build.\n"):
    """The same app, of which one script has other bytes and so another name."""
    folder = pathlib.Path(folder)
    shutil.copytree(WEB, folder)
    [host] = folder.glob("host.*.js")
    content = change(host.read_text()).encode()
    name = f"host.{hashlib.sha256(content).hexdigest()[:12]}.js"
    (folder / name).write_bytes(content)
    for path in folder.glob("host.*.js*"):
        if path.name != name:
            path.unlink()
    for path in (folder / "index.html", folder / "sw.js"):
        text = path.read_text().replace(host.name, name)
        path.write_text(re.sub(r'"app-[0-9a-f]+"', '"app-fedcba987654"', text))
        for coding in (".gz", ".br"):
            pathlib.Path(f"{path}{coding}").unlink(missing_ok=True)
    return folder, f"/{name}"


@everywhere
class Update:
    def deploy(self):
        folder, host = next_build(f"{self.folder}/next")
        options = self.relay._options
        options[options.index("--web") + 1] = str(folder)
        self.relay.stop()
        self.relay.start()
        return host

    def test_an_update_in_the_middle_of_a_draft_is_offered_and_the_draft_survives_it(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        old = page.run(HOST)
        new = self.deploy()
        page.reload()
        self.ready(page)
        self.write(page, "half written")
        page.run("await (await navigator.serviceWorker.ready).update()")
        page.wait_seen("update-ready")
        self.assertEqual(page.value("memo"), "half written")
        self.assertEqual(page.run(HOST), old, "the page was changed under the person's hands")
        page.type(" and on")
        page.waits_for_another(lambda: page.click("update-ready"))
        self.assertEqual(page.run(HOST), new)
        self.ready(page)
        wait_until(lambda: page.value("memo") == "half written and on", "the draft is back")
        wait_until(lambda: page.focus() == "memo", "the field has the focus")
        page.press("Control+Enter")
        self.cleared(page)
        self.arrives("half written and on")

    def test_a_page_of_the_old_build_goes_on_sending(self):
        page = self.signed_in()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        self.deploy()
        self.send(page, "by the old build")
        self.arrives("by the old build")
