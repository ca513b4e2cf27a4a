import CourierTesting
import MemoCore
import MemoKit
import MemoSyncCore
import OfflineFirst
import OutboxCore
import OutboxTesting
import TestSeeds
import Testing

@testable import MemoSharing

/// Two devices of a person, on each of which two processes synchronise by turns, from records that each of
/// them has read at a moment of its own, while the person edits the signature.
///
/// Each signature is written once. A person who writes one has seen the one that the device has, and one who
/// answers a question has seen both. So each value is *decided over* others, and no value ever takes the place
/// of one that it is not decided over: neither on a device nor at the relay.
@Suite("Two processes of one device that synchronise at once")
struct ProcessesAtOnceTests {
    @Test(
        "lose no edit, and give no older value back, at each step of 20 random lives",
        arguments: TestSeeds["processes-at-once"]
    )
    func lives(seed: UInt64) async throws {
        for life in 0..<20 {
            try await Life(seed: seed &+ UInt64(life)).run()
        }
    }
}

/// The values of a signature, each of which is written once, and what a person has decided.
private struct Decisions {
    /// For each value, those over which it is decided.
    private var below: [String: Set<String>] = ["": []]

    mutating func decide(_ value: String, over other: String) {
        below[value, default: []].formUnion(below[other, default: []].union([other]))
        for (above, under) in below where under.contains(value) {
            below[above] = under.union(below[value] ?? [])
        }
    }

    func isDecided(_ value: String, over other: String) -> Bool {
        value == other || below[value]?.contains(other) == true
    }

    /// The values that are not decided away by this one.
    func lost(with value: String) -> [String] {
        below.keys.filter { !isDecided(value, over: $0) }
    }
}

/// One life of the devices, from a seed.
private final class Life {
    private final class Terminal {
        let device: Device
        /// The processes that have the records open.
        var processes: [SharedBox?] = [nil, nil]
        var signature = ""

        init() throws { device = try Device(signedInAt: "http://127.0.0.1:1") }
    }

    private let relay = FakeRelay()
    private let terminals: [Terminal]
    private let seed: UInt64
    private var generator: SeededRandom
    private var decisions = Decisions()
    private var shared = ""
    private var written = 0
    private var steps: [String] = []

    /// Longer than a life may take: no outcome depends on the speed of the machine.
    private static let patience = Milliseconds.seconds(3600)

    init(seed: UInt64) throws {
        self.seed = seed
        generator = SeededRandom(seed: seed)
        terminals = [try Terminal(), try Terminal()]
    }

    func run() async throws {
        for terminal in terminals { try await sync(terminal) }
        for _ in 0..<40 { try await step() }
        relay.fault = nil
        // Each signature that was told and not yet confirmed may lead to a question, and an answer to one on the
        // other device.
        for _ in 0..<written + 2 {
            for terminal in terminals {
                try await sync(terminal)
                try answer(in: try open(terminal, 0), of: terminal)
            }
        }
        for terminal in terminals {
            try await sync(terminal)
            #expect(terminal.signature == shared, "\(story)")
            #expect(try terminal.device.box.sharedView()?.pending == 0, "\(story)")
            #expect(try terminal.device.box.sharedView()?.questions == [], "\(story)")
            for number in 0..<2 { await close(terminal, number) }
        }
        #expect(decisions.lost(with: shared) == [], "\(story)")
    }

    private var story: String { "seed \(seed): " + steps.joined(separator: ", ") }

    // MARK: Steps

    private func step() async throws {
        let place = Int.random(in: 0..<2, using: &generator)
        let (terminal, number) = (terminals[place], Int.random(in: 0..<2, using: &generator))
        let name = "\(place).\(number)"
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1: try write(place, terminal)
        case 2:
            steps.append("\(name) opens")
            await close(terminal, number)
            _ = try open(terminal, number)
        case 3, 4, 5:
            steps.append("\(name) reconciles")
            _ = try open(terminal, number).reconcile()
        case 6, 7:
            steps.append("\(name) exchanges")
            _ = try await open(terminal, number).exchange(within: Self.patience)
        case 8:
            steps.append("\(name) syncs")
            _ = try await open(terminal, number).sync(within: Self.patience)
        case 9:
            steps.append("\(name) answers")
            try answer(in: try open(terminal, number), of: terminal)
        default:
            let fault: FakeRelay.Fault? = [nil, nil, .away, .answerLost]
                .randomElement(using: &generator)!
            steps.append("the relay: \(fault.map { "\($0)" } ?? "well")")
            relay.fault = fault
        }
        try look()
    }

    /// The person writes a signature, having seen the device's.
    private func write(_ place: Int, _ terminal: Terminal) throws {
        written += 1
        let value = "\(place)-\(written)"
        steps.append("writes \(value)")
        decisions.decide(value, over: terminal.signature)
        var settings = try terminal.device.box.settings()
        try settings.setSignature(value)
        try terminal.device.box.setSettings(settings)
    }

    /// The person answers the questions that a process has.
    private func answer(in process: SharedBox, of terminal: Terminal) throws {
        guard let question = try process.questions().first else { return }
        let choice = Bool.random(using: &generator) ? SharedBox.Choice.mine : .theirs
        let (kept, other) =
            choice == .mine
            ? (question.mine, question.theirs) : (question.theirs, question.mine)
        steps.append("keeps \(kept) in place of \(other)")
        decisions.decide(kept, over: other)
        if choice == .theirs { decisions.decide(kept, over: terminal.signature) }
        try process.choose(choice, of: question.setting)
        try look()
    }

    /// No value takes the place of one that it is not decided over.
    private func look() throws {
        for terminal in terminals {
            let signature = try terminal.device.box.settings().signature.text
            let value = String(decoding: signature, as: UTF8.self)
            check(value, inPlaceOf: terminal.signature, "on a device")
            terminal.signature = value
        }
        let value = relay.setting("signature") ?? ""
        check(value, inPlaceOf: shared, "at the relay")
        shared = value
    }

    private func check(_ value: String, inPlaceOf former: String, _ place: String) {
        #expect(
            decisions.isDecided(value, over: former),
            "\(value) in place of \(former) \(place): \(story)"
        )
    }

    // MARK: Processes

    private func open(_ terminal: Terminal, _ number: Int) throws -> SharedBox {
        if let process = terminal.processes[number] { return process }
        var settings = SyncSettings()
        settings.requestLimit = Self.patience
        let process = try SharedBox(
            box: terminal.device.box,
            client: relay.client,
            owner: SharedOwner(try #require(try terminal.device.box.account())),
            settings: settings
        )
        terminal.processes[number] = process
        return process
    }

    private func close(_ terminal: Terminal, _ number: Int) async {
        await terminal.processes[number]?.close()
        terminal.processes[number] = nil
    }

    private func sync(_ terminal: Terminal) async throws {
        _ = try await open(terminal, 0).sync(within: Self.patience)
        try look()
    }
}
