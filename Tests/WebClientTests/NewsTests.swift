import OutboxCore
import SimulatedBrowser
import Testing

@testable import WebClient

@Suite("News of sent memos on a page")
struct NewsTests {
    @Test("a page whose list of devices is refused says that this device is signed out")
    func refusedDevices() {
        let browser = Browser()
        let page = browser.open()
        page.signIn()
        browser.relay.token = "another"
        page.click(.openSettings)
        browser.settle()
        #expect(page.attributes[.destination]?[.dataState] == "signed-out")
    }
}
