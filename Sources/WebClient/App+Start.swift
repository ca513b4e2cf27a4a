import MemoCore
import OutboxCore
import StoreCore

extension App {
    /// How many drafts of pages that ended are looked at.
    private static let draftsLooked: UInt32 = 8

    func start(_ start: Start) {
        self.start = start
        if start.isOnline { drain.networkReturned() }
        desk.device = start.device
        if start.role == .page { startPage(start) }
        desk.host.setNames()
        desk.host.openDatabase("memo", version: 1, stores: Records.all)
        guard start.hasCrypto else {
            desk.vault.close(.insecure)
            return opened(nil)
        }
        var read = Transaction()
        read.readKeys()
        for records in [Records.outbox, .history, .drafts, .shares] { read.count(in: records) }
        for thing in Thing.sealed + Thing.open { read.get(thing.key, from: .things) }
        read.find(
            in: .drafts,
            by: .head,
            descending: true,
            limit: Self.draftsLooked,
            bodies: true
        )
        desk.host.perform(read, .read) { answer in
            switch answer {
            case .done(var reader):
                let found = Findings(&reader)
                let things = (5...6).reduce(0) { $0 + found[$1].count }
                let records = (1...4).reduce(things) { $0 + found.count($1) }
                self.desk.vault.open(keys: found[0].map { $0.key }, hasRecords: records > 0) {
                    self.opened(found)
                }
            case .failed(let name):
                let failure = StorageFailure(name)
                self.desk.vault.close(failure == .failed ? .unavailable : failure)
                self.opened(nil)
            }
        }
    }

    private func startPage(_ start: Start) {
        let preferred = start.languages.split(separator: 0x2C).map { Array($0) }
        let screen = Screen(fragment: start.fragment)
        desk.store.commit { state in
            state.systemLanguage = Language(preferring: preferred)
            state.shownLanguage = state.systemLanguage
            state.isOnline = start.isOnline
            state.screen = screen
            if start.isFocused {
                state.timings.add(Int64(start.timeToText) * 1000, to: .timeToText)
            }
        }
        if start.query == "?signed-out=untold" { desk.say(.signOutUntold, tone: .warning) }
        if start.query == "?share=missed" { desk.say(.shareMissed, tone: .warning) }
        if !start.query.isEmpty {
            desk.host.navigate(to: utf8("/") + screen.fragment, replacing: true)
        }
    }

    /// The database has answered.
    private func opened(_ found: Findings?) {
        desk.opened()
        if case .closed(let failure) = desk.vault.condition, start?.role == .page {
            desk.say(failure.text, tone: .error)
        }
        guard let found else {
            desk.store.commit { $0.account = .signedOut }
            return showPage()
        }
        if start?.role == .page {
            // What was typed before the script listened is in no draft yet.
            desk.host.readValue(of: .memo) { if !$0.isEmpty { self.drafts.typed() } }
            drafts.restore(found[10][...])
            drafts.takeShares()
            restoreOpenly(found)
        }
        restoreSealed(found[5].first, found[6].first)
    }

    private func restoreOpenly(_ found: Findings) {
        if let timings = found[7].first {
            desk.store.commit { state in
                let now = state.timings
                state.timings = Timings(decoding: timings.body)
                for time in now.timeToText { state.timings.add(time, to: .timeToText) }
            }
        }
    }

    /// Reads account and settings, and begins.
    func restoreSealed(_ account: Record?, _ settings: Record?) {
        var sealed: [(place: SealedPlace, bytes: [UInt8])] = []
        let accountPlace = account.flatMap { Thing.account.place(of: $0) }
        let settingsPlace = settings.flatMap { Thing.settings.place(of: $0) }
        if let account, let accountPlace { sealed.append((accountPlace, account.body)) }
        if let settings, let settingsPlace { sealed.append((settingsPlace, settings.body)) }
        desk.vault.open(sealed) { opened in
            self.signIn.restore(account, accountPlace == nil ? nil : opened[0].bytes)
            self.settings.restore(settingsPlace == nil ? nil : opened[opened.count - 1].bytes)
            self.begin()
        }
    }

    private func begin() {
        deliver()
        isShowing ? settings.showLanguage {} : showPage()
    }

    /// The language is known: everything gets its words.
    private func showPage() {
        guard start?.role == .page else { return }
        isShowing = true
        settings.showLanguage {
            self.views = Views(host: self.desk.host, store: self.desk.store)
            self.desk.store.commit { $0.isShown = true }
            self.desk.host.registerWorker()
            self.waiting.look()
            self.statuses.read()
            self.show(self.desk.store.state.screen)
        }
    }

    /// Account or settings are others: another page, or the person there, changed them.
    func restoreAgain(_ then: @escaping () -> Void) {
        var read = Transaction()
        for thing in Thing.sealed { read.get(thing.key, from: .things) }
        desk.host.perform(read, .read) { answer in
            guard case .done(var reader) = answer else {
                self.drain.wake()
                return then()
            }
            let found = Findings(&reader)
            self.restoreSealed(found[0].first, found[1].first)
            then()
        }
    }
}
