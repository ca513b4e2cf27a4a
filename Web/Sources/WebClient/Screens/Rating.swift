import MemoCore
import OutboxCore
import StoreCore

/// Asks for a rating, now and then, when nobody is typing.
final class Rating {
    /// How long the field has to be left alone after a memo was sent.
    private static let quiet: Int64 = 2000
    private static let thanksTime: Int64 = 3000

    private let desk: Desk
    private var rule = RatingRule()
    private var sent: Int64 = 0
    private var hasAnswered = false
    /// To be made when the record is read.
    private var changes: [() -> Void] = []

    init(desk: Desk) {
        self.desk = desk
    }

    private func restore(_ bytes: [UInt8]) {
        guard let json = JSON(decoding: bytes) else { return }
        func time(_ name: StaticString) -> WallTime? {
            json[name]?.number.map { WallTime(millisecondsSinceEpoch: $0) }
        }
        sent = json["sent"]?.number ?? 0
        rule = RatingRule(
            sentAtShowing: json["sentAtShowing"]?.number ?? 0, shownAt: time("shownAt"),
            dismissedAt: time("dismissedAt"))
    }

    /// Reads, changes and writes: other pages count, and ask, as well.
    private func change(_ body: @escaping () -> Void) {
        changes.append(body)
        guard changes.count == 1 else { return }
        var read = Transaction()
        read.get(Thing.rating.key, from: .things)
        desk.host.perform(read, .read) { answer in
            if case .done(var reader) = answer, let record = Findings(&reader)[0].first {
                self.restore(record.body)
            }
            let bodies = self.changes
            self.changes.removeAll()
            for body in bodies { body() }
            self.keep()
        }
    }

    private func keep() {
        func time(_ time: WallTime?) -> JSON {
            time.map { .number($0.millisecondsSinceEpoch) } ?? .null
        }
        let json = JSON.object([
            ("dismissedAt", time(rule.dismissedAt)), ("sent", .number(sent)),
            ("sentAtShowing", .number(rule.sentAtShowing)), ("shownAt", time(rule.shownAt)),
        ])
        desk.keepOpenly(.rating, json.encoded())
    }

    /// A memo was sent.
    func counted() {
        change {
            self.sent += 1
            if self.isDue { self.desk.host.setTimer(.rating, Self.quiet) }
        }
    }

    private var isDue: Bool { rule.isDue(sent: sent, now: desk.clock.now) }

    /// The field was used: not now.
    func typed() {
        desk.host.setTimer(.rating, nil)
    }

    func quietTimeIsOver() {
        if hasAnswered { return close() }
        let state = desk.store.state
        guard state.screen == .compose, state.dialog == nil else { return }
        desk.host.readValue(of: .memo) { text in
            guard text.isEmpty else { return }
            self.change {
                guard self.isDue else { return }
                self.rule.shown(sent: self.sent, now: self.desk.clock.now)
                self.desk.store.commit { $0.dialog = .rating }
            }
        }
    }

    func rated(_ stars: Int) {
        guard !hasAnswered else { return }
        hasAnswered = true
        desk.host.setAttribute(.dataStars, to: decimal(Int64(stars)), of: Element(.rating))
        switch RatingRule.answer(to: stars) {
        case .review:
            desk.host.open("/review")
            close()
        case .thanks:
            desk.host.setAttribute(.dataState, to: utf8("thanks"), of: Element(.rating))
            desk.host.setTimer(.rating, Self.thanksTime)
        }
    }

    func dismissed() {
        if !hasAnswered {
            change { self.rule.dismissed(now: self.desk.clock.now) }
        }
        close()
    }

    private func close() {
        hasAnswered = false
        desk.store.commit { $0.dialog = nil }
        desk.host.removeAttribute(.dataStars, of: Element(.rating))
        desk.host.setAttribute(.dataState, to: utf8("ask"), of: Element(.rating))
        desk.host.focus(.memo)
    }
}
