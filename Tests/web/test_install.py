"""Installing: what a browser asks of an app before it offers that."""
import json

from chromium import WindowedChromium
from journey import WebTest


class Install(WebTest):
    engine = WindowedChromium

    def test_chromium_finds_nothing_that_would_keep_it_from_installing_the_app(self):
        page = self.open()
        page.waits("return (await navigator.serviceWorker.ready).active.state === 'activated'")
        errors = [
            each["errorId"] for each in page.command("Page.getInstallabilityErrors")[
                "installabilityErrors"]
            # The tests' own windows are private ones to it, or have no place for an app.
            if each["errorId"] not in ("in-incognito", "not-in-main-frame")]
        self.assertEqual(errors, [])
        manifest = page.command("Page.getAppManifest")
        self.assertEqual(manifest["errors"], [])
        manifest = json.loads(manifest["data"])
        self.assertEqual(manifest["display"], "standalone")
        self.assertTrue(manifest["shortcuts"])
        self.assertEqual(manifest["share_target"]["method"], "POST")
        for shortcut in manifest["shortcuts"]:
            self.assertEqual(page.run("return (await fetch(a[0])).status", shortcut["url"]), 200)
        sizes = {icon["sizes"] for icon in manifest["icons"]}
        self.assertGreaterEqual(sizes, {"192x192", "512x512"})
        self.assertIn("maskable", {icon.get("purpose") for icon in manifest["icons"]})
        for icon in manifest["icons"]:
            width, height = page.run("""
                const image = new Image();
                image.src = a[0];
                await image.decode();
                return [image.naturalWidth, image.naturalHeight];""", icon["src"])
            if icon["sizes"] != "any":
                self.assertEqual(f"{width}x{height}", icon["sizes"])
