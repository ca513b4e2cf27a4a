import CourierTesting
import Foundation
import HTTPTypes
import Hummingbird
import MemoCore
import MemoKit
import MemoSyncCore
import MemoTexts
import NIOCore
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import RelayAPI
import RelaySQLite
import TestSeeds
import Testing

@testable import MemoCourier
@testable import MemoSharing
@testable import RelayServer

/// Two terminals of a person, on each of which two processes synchronise, and the relay's own services.
///
/// Each signature and each template is written once. A person who writes one has seen the one that the terminal
/// has, and a person who answers a question has seen both. So each value is *decided over* others, and no
/// value ever takes the place of one that it is not decided over: neither on a terminal nor at the relay.
@Suite("Terminals that share settings")
struct TerminalsTests {
    @Test(
        "lose no edit and give no older value back, whatever happens at each request",
        arguments: TestSeeds["terminals"]
    )
    func lives(seed: UInt64) async throws {
        for number in 0..<UInt64(10) {
            try await TerminalLife(seed: seed &+ number).run()
        }
    }
}

/// The values of a setting, each of which is written once, and what a person has decided.
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
        below.keys.filter { !isDecided(value, over: $0) }.sorted()
    }
}

/// What a seed draws.
private final class Draws {
    private var generator: SeededRandom

    init(seed: UInt64) { generator = SeededRandom(seed: seed) }

    func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
}

/// One life, from a seed.
///
/// At each request of a process, and at its answer, others act: the person, the other process of the terminal, the
/// other terminal; or the process dies. What the tasks of one process do at once is left to the system, so a
/// seed draws the same, and may meet it in another order.
private actor TerminalLife {
    private struct Process {
        let id: Int
        let shared: SharedBox
    }

    private struct Terminal {
        let device: CourierTesting.Device
        let token: String
        /// The processes that have the records open.
        var processes: [Process?] = [nil, nil]
        var values: [SharedSetting: String] = [:]
    }

    private static let byHand: [SharedSetting] = [.subject, .signature]
    private static let mark = "kanarie"
    /// Longer than a life may take: no outcome depends on the speed of the machine.
    private static let patience = Milliseconds.seconds(3600)

    private let seed: UInt64
    private let fixture: RelayFixture
    private var client: ApplicationClient
    private var terminals: [Terminal] = []
    private let draws: Draws
    private var decisions: [SharedSetting: Decisions] = [.subject: .init(), .signature: .init()]
    private var atRelay: [SharedSetting: String] = [:]
    private var written = 0
    private var requests: [String: UInt64] = [:]
    /// For each process that talks to the relay, the number of this talk. What a talk that has ended still asks is
    /// not heard.
    private var talking: [Int: Int] = [:]
    private var talks = 0
    private var opened = 0
    private var isAway = false
    private var isCalm = true
    /// The process whose request is under way, while others act.
    private var waiting: (id: Int, place: Int, number: Int)?
    private var steps: [String] = []

    init(seed: UInt64) async throws {
        self.seed = seed
        draws = Draws(seed: seed)
        fixture = try RelayFixture()
        let relay = try fixture.open()
        client = try await Self.client(of: relay, fixture)
        for _ in 0..<2 {
            let token = try await fixture.token(relay)
            let device = try CourierTesting.Device(signedInAt: "http://127.0.0.1:1")
            device.signIn(at: "http://127.0.0.1:1", token: token)
            terminals.append(Terminal(device: device, token: token))
        }
    }

    func run() async throws {
        for place in terminals.indices { try await sync(place, 0) }
        isCalm = false
        for _ in 0..<30 { try await step(using: draws) }
        isCalm = true
        isAway = false
        // Each value that was told and not yet confirmed may lead to a question, and an answer to one on the
        // other terminal.
        for _ in 0..<2 * written + 2 {
            for place in terminals.indices {
                try await sync(place, 0)
                try await answer(place, 0, using: draws)
            }
        }
        for place in terminals.indices {
            try await sync(place, 0)
            let view = try terminals[place].device.box.sharedView()
            #expect(view?.pending == 0 && view?.questions == [], "\(story)")
            #expect(terminals[place].values == atRelay, "\(story)")
            for number in 0..<2 { await close(place, number) }
            let everything = try terminals[place].device.everything()
            #expect(everything.range(of: Data(Self.mark.utf8)) == nil, "sealed: \(story)")
        }
        for setting in Self.byHand {
            #expect(decisions[setting]?.lost(with: atRelay[setting] ?? "") == [], "\(story)")
        }
        let languages = terminals.map { $0.device.folder.chosenLanguage }
        #expect(languages[0] == languages[1], "\(story)")
    }

    private var story: String { "seed \(seed): " + steps.joined(separator: ", ") }

    // MARK: Steps

    /// One step of somebody who does not wait.
    private func step(using draws: Draws) async throws {
        let place = draws.number(in: 0..<2)
        var number = draws.number(in: 0..<2)
        // The other process of a terminal whose process waits may do all that needs no turn to talk to the relay.
        let isBeside = waiting?.place == place
        if let waiting, isBeside { number = 1 - waiting.number }
        let name = "\(waiting == nil ? "" : "meanwhile ")\(place).\(number)"
        switch draws.number(in: 0..<(isBeside ? 10 : 14)) {
        case 0, 1, 2: try write(place, using: draws)
        case 3:
            steps.append("\(name) opens")
            await close(place, number)
            _ = try open(place, number)
        case 4, 5, 6:
            steps.append("\(name) reconciles")
            _ = try open(place, number).shared.reconcile()
        case 7:
            steps.append("\(name) publishes")
            try open(place, number).shared.publish()
        case 8:
            steps.append("\(name) answers")
            try await answer(place, number, using: draws)
        case 9:
            isAway.toggle()
            steps.append("the relay is \(isAway ? "away" : "there")")
        case 10:
            guard waiting == nil else { break }
            steps.append("the relay starts again")
            client = try await Self.client(of: fixture.open(), fixture)
        case 11:
            steps.append("\(name) exchanges")
            _ = try await talk(open(place, number)) { await $0.exchange(within: Self.patience) }
        default:
            steps.append("\(name) syncs")
            try await sync(place, number)
        }
        try await look()
    }

    /// The person writes a value, having seen the terminal's, or chooses a language.
    private func write(_ place: Int, using draws: Draws) throws {
        let terminal = terminals[place]
        guard let setting = [nil, SharedSetting.subject, .signature][draws.number(in: 0..<3)] else {
            let language = [nil, Language.german, .french, .japanese][draws.number(in: 0..<4)]
            steps.append("chooses a language")
            return try terminal.device.folder.chooseLanguage(language)
        }
        written += 1
        let value = "\(Self.mark)-\(place)-\(written)"
        steps.append("writes \(setting) \(value)")
        // What the person sees may have come this moment.
        var seen = ""
        try terminal.device.box.changeSettings { settings throws(MemoError) in
            seen = Self.values(of: settings)[setting] ?? ""
            if setting == .subject {
                try settings.setSubjectTemplate(value)
            } else {
                try settings.setSignature(value)
            }
        }
        decisions[setting]?.decide(value, over: seen)
    }

    private static func values(of settings: MemoSettings) -> [SharedSetting: String] {
        [
            .subject: settings.templateSource ?? "",
            .signature: String(decoding: settings.signature.text, as: UTF8.self),
        ]
    }

    /// The person answers the first question that a process has.
    private func answer(
        _ place: Int,
        _ number: Int,
        using draws: Draws
    ) async throws {
        let process = try open(place, number).shared
        guard let question = try process.questions().first,
            let setting = SharedSetting(name: Array(question.setting.utf8))
        else { return }
        let choice = draws.number(in: 0..<2) == 0 ? SharedBox.Choice.mine : .theirs
        let (kept, other) =
            choice == .mine
            ? (question.mine, question.theirs) : (question.theirs, question.mine)
        let seen = Self.values(of: try terminals[place].device.box.settings())[setting] ?? ""
        guard try process.choose(choice, of: question) else { return }
        steps.append("keeps \(kept) in place of \(other)")
        decisions[setting]?.decide(kept, over: other)
        if choice == .theirs { decisions[setting]?.decide(kept, over: seen) }
        try await look()
    }

    /// No value takes the place of one that it is not decided over.
    private func look() async throws {
        for place in terminals.indices {
            let values = Self.values(of: try terminals[place].device.box.settings())
            check(values, inPlaceOf: terminals[place].values, "on terminal \(place)")
            terminals[place].values = values
        }
        let answer = try await client.send(
            RelayPath.settings,
            method: .get,
            token: terminals[0].token
        )
        var values: [SharedSetting: String] = [.subject: "", .signature: ""]
        if answer.status == .ok {
            let fields = try answer.decoded(SharedSettings.self).fields
            for setting in Self.byHand {
                values[setting] = fields[String(decoding: setting.name, as: UTF8.self)]?.value ?? ""
            }
        } else {
            #expect(answer.status == .notFound, "\(story)")
        }
        check(values, inPlaceOf: atRelay, "at the relay")
        atRelay = values
    }

    private func check(
        _ values: [SharedSetting: String],
        inPlaceOf former: [SharedSetting: String],
        _ location: String
    ) {
        for (setting, value) in values {
            let before = former[setting] ?? ""
            #expect(
                decisions[setting]?.isDecided(value, over: before) == true,
                "\(value) in place of \(before) \(location): \(story)"
            )
        }
    }

    // MARK: Processes

    private func open(_ place: Int, _ number: Int) throws -> Process {
        if let process = terminals[place].processes[number] { return process }
        let box = terminals[place].device.box
        var settings = SyncSettings()
        settings.requestLimit = Self.patience
        opened += 1
        let shared = try SharedBox(
            box: box,
            client: RelayClient { [opened] in await self.perform($0, by: opened, place, number) },
            owner: SharedOwner(try #require(try box.account())),
            settings: settings
        )
        let process = Process(id: opened, shared: shared)
        terminals[place].processes[number] = process
        return process
    }

    private func close(_ place: Int, _ number: Int) async {
        let process = terminals[place].processes[number]
        terminals[place].processes[number] = nil
        await process?.shared.close()
    }

    private func sync(_ place: Int, _ number: Int) async throws {
        let process = try open(place, number)
        do {
            let end = try await talk(process) { try await $0.sync(within: Self.patience) }
            if end != .done { steps.append("\(place).\(number): \(end)") }
        } catch {
            // A process that has died stores nothing more.
            #expect(terminals[place].processes[number]?.id != process.id, "\(error): \(story)")
        }
        try await look()
    }

    private func talk(
        _ process: Process,
        _ body: (SharedBox) async throws -> SharedBox.End
    ) async throws -> SharedBox.End {
        talks += 1
        talking[process.id] = talks
        let result: Result<SharedBox.End, any Error>
        do {
            result = .success(try await body(process.shared))
        } catch {
            result = .failure(error)
        }
        talking[process.id] = nil
        // A process that gives up does not wait for a request during which others act.
        while waiting?.id == process.id { await Task.yield() }
        return try result.get()
    }

    private static func client(
        of relay: Relay<SQLiteRelayStore>,
        _ fixture: RelayFixture
    ) async throws -> ApplicationClient {
        ApplicationClient(
            responder: try await relay.application().responder,
            logger: fixture.log.logger("relay"),
            description: nil
        )
    }

    private func perform(
        _ request: PreparedRequest,
        by id: Int,
        _ place: Int,
        _ number: Int
    ) async -> Result<RelayAnswer, RelayFailure> {
        guard let talk = talking[id], !isAway else { return .failure(.unreachable) }
        requests[request.method, default: 0] += 1
        let count = requests[request.method, default: 0]
        let draws = Draws(
            seed: seed &* 31 &+ count &* 17 &+ UInt64(request.method.utf8.first ?? 0)
        )
        let before = isCalm ? 9 : draws.number(in: 0..<10)
        let after = isCalm ? 9 : draws.number(in: 0..<10)
        do {
            guard try await happens(before, of: (id, talk), place, number, using: draws) else {
                return .failure(.connectionLost)
            }
            let answer = try await answer(to: request)
            guard try await happens(after, of: (id, talk), place, number, using: draws) else {
                return .failure(.connectionLost)
            }
            return .success(answer)
        } catch {
            Issue.record("\(error): \(story)")
            return .failure(.connectionLost)
        }
    }

    /// - Returns: Whether the request, or its answer, arrives.
    private func happens(
        _ what: Int,
        of asker: (id: Int, talk: Int),
        _ place: Int,
        _ number: Int,
        using draws: Draws
    ) async throws -> Bool {
        guard talking[asker.id] == asker.talk else { return false }
        switch what {
        case 0:
            steps.append("\(place).\(number) dies")
            let process = terminals[place].processes[number]
            terminals[place].processes[number] = nil
            // As a kill: nothing is stored from now on.
            process?.shared.records.outbox.storage.close()
            talking[asker.id] = nil
            return false
        case 1:
            steps.append("\(place).\(number) loses its connection")
            return false
        case 2...5 where waiting == nil:
            waiting = (asker.id, place, number)
            defer { waiting = nil }
            for _ in 0..<draws.number(in: 1..<4) { try await step(using: draws) }
            return talking[asker.id] == asker.talk
        default: return true
        }
    }

    private func answer(to request: PreparedRequest) async throws -> RelayAnswer {
        fixture.clock.advance(.seconds(30))
        var fields = HTTPFields()
        for field in request.fields {
            if let name = HTTPField.Name(field.name) { fields[name] = field.value }
        }
        let answer = try await client.execute(
            uri: request.url.replacing("http://127.0.0.1:1", with: ""),
            method: try #require(HTTPRequest.Method(request.method)),
            headers: fields,
            body: request.body.isEmpty ? nil : ByteBuffer(bytes: request.body)
        )
        return RelayAnswer(
            status: answer.status.code,
            body: Array(answer.body.readableBytesView)
        ) { name in HTTPField.Name(name).flatMap { answer.headers[$0] } }
    }
}
