import MemoCore
import OutboxCore
import StoreCore
import WireCore

/// Asks for a rating, now and then, while the person is not typing.
///
/// Memos count once the relay has accepted them. The transaction that removes a memo from the
/// outbox leaves a mark, so that every memo counts once, whichever page delivers it. One page at a
/// time adds up the marks when it is time to ask.
final class Rating {
    /// How long the field has to be left alone after a memo was sent.
    private static let quiet: Int64 = 2000
    private static let thanksTime: Int64 = 3000
    private static let lock = utf8("rating")

    private let context: AppContext
    private let repository: RatingRepository
    private var hasAnswered = false
    /// Whether the relay has said that it has a page for reviews.
    private var hasReviewPage = false
    /// Whether a memo was sent here since the last question.
    private var isExpected = false
    /// Nothing was typed since the time to ask had come.
    private var isQuiet = false

    init(context: AppContext) {
        self.context = context
        repository = RatingRepository(host: context.host)
    }

    /// Adds up the sent memos, lets `body` change the rule, and stores both. A failure changes
    /// nothing.
    ///
    /// - Parameter then: Called when it is stored.
    private func change(
        _ body: @escaping (inout RatingRecord) -> Void,
        _ then: @escaping () -> Void
    ) {
        let host = context.host
        host.takeLock(Self.lock, ifAvailable: false) { lock in
            guard lock.isDone else { return }
            self.repository.read { bytes, marks in
                let stored = RatingRecord(decoding: bytes)
                var record = stored
                record.sent += Int64(marks.count)
                body(&record)
                guard record != stored, let key = self.context.vault.key else {
                    return host.freeLock(Self.lock)
                }
                self.repository.store(record.encoded(), counting: marks, whileKey: key) {
                    host.freeLock(Self.lock)
                    if $0 { then() }
                }
            } orElse: {
                host.freeLock(Self.lock)
            }
        }
    }

    /// A memo was sent from here.
    func sent() {
        isExpected = true
        context.host.setTimer(.rating, Self.quiet)
    }

    /// The relay may have accepted a sent memo.
    func storedChanged() {
        if isExpected { context.host.setTimer(.rating, Self.quiet) }
    }

    /// The field was used: not now.
    func typed() {
        isQuiet = false
        if isExpected { context.host.setTimer(.rating, nil) }
    }

    func quietTimeIsOver() {
        if hasAnswered { return close() }
        guard isExpected, isComposing else { return }
        isQuiet = true
        context.host.readValue(of: .memo) { text in
            if text.isEmpty { self.askIfDue() }
        }
    }

    private var isComposing: Bool {
        context.store.state.screen == .compose && context.store.state.dialog == nil
    }

    private func askIfDue() {
        var isAsking = false
        change { record in
            let now = self.context.clock.now
            isAsking =
                self.isQuiet && self.isComposing && record.rule.isDue(sent: record.sent, now: now)
            if isAsking { record.rule.shown(sent: record.sent, now: now) }
        } _: {
            guard isAsking else { return }
            self.isExpected = false
            self.context.change { $0.dialog = .rating }
            self.askForReviewPage()
        }
    }

    /// Asks each time: a relay may get a page, or lose it. Until the relay has answered there is
    /// none.
    private func askForReviewPage() {
        hasReviewPage = false
        context.host.exchange(.reviewOffer) { exchange in
            guard case .answered(let answer) = exchange else { return }
            self.hasReviewPage = answer.success?["page"]?.bool == true
        }
    }

    func rated(_ stars: Int) {
        guard !hasAnswered else { return }
        hasAnswered = true
        context.host.setAttribute(.dataStars, to: decimal(Int64(stars)), of: Element(.rating))
        switch RatingRule.answer(to: stars, hasReviewPage: hasReviewPage) {
        case .review:
            context.host.open(RelayPath.review)
            close()
        case .thanks:
            context.host.setAttribute(.dataState, to: utf8("thanks"), of: Element(.rating))
            context.host.setTimer(.rating, Self.thanksTime)
        }
    }

    func dismissed() {
        if !hasAnswered {
            change {
                $0.rule.dismissed(now: self.context.clock.now)
            } _: {
            }
        }
        close()
    }

    private func close() {
        hasAnswered = false
        context.change { $0.dialog = nil }
        context.host.removeAttribute(.dataStars, of: Element(.rating))
        context.host.setAttribute(.dataState, to: utf8("ask"), of: Element(.rating))
        context.host.focus(.memo)
    }
}

/// The stored record about asking: numbers and times without personal data.
private struct RatingRecord: Hashable {
    /// The number of memos that were ever sent from this device.
    var sent: Int64 = 0
    var rule = RatingRule()

    /// Reads the stored record. A record that cannot be read counts as that of a new device.
    init(decoding bytes: [UInt8]) {
        guard let json = JSON(decoding: bytes) else { return }
        func time(_ name: StaticString) -> WallTime? {
            json[number: name].map { WallTime(millisecondsSinceEpoch: $0) }
        }
        sent = json[number: "sent"] ?? 0
        rule = RatingRule(
            sentAtShowing: json[number: "sentAtShowing"] ?? 0,
            shownAt: time("shownAt"),
            dismissedAt: time("dismissedAt")
        )
    }

    func encoded() -> [UInt8] {
        func time(_ time: WallTime?) -> JSON {
            time.map { .number($0.millisecondsSinceEpoch) } ?? .null
        }
        return JSON.object([
            ("dismissedAt", time(rule.dismissedAt)), ("sent", .number(sent)),
            ("sentAtShowing", .number(rule.sentAtShowing)), ("shownAt", time(rule.shownAt)),
        ]).encoded()
    }
}
