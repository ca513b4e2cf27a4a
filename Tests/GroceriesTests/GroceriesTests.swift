import Foundation
import KilledProcess
import OutboxTesting
import TemporaryFolders
import TestSeeds
import Testing
import Waiting

/// Runs the programs of the example, server and devices, and kills them.
@Suite(.serialized, .timeLimit(.minutes(60))) struct GroceriesTests {
    private static let policies = ["serverWins", "clientWins", "newerWins", "manual", "merge"]

    @Test(
        "whatever is killed whenever, each stored item arrives once, and all devices show one list",
        arguments: TestSeeds["groceries"]
    )
    func kills(seed: UInt64) async throws {
        // On threads of their own: they wait for processes, and the tests need the task threads.
        try await withThrowingTaskGroup { tasks in
            for (number, policy) in Self.policies.enumerated() {
                tasks.addTask {
                    try await onOwnThread {
                        var world = try KilledGroceries(policy, seed &+ UInt64(number) << 32)
                        try world.run()
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }

    @Test(
        "of two offline edits of one item the policy says which stays, and whoever lost is told",
        arguments: [
            ("serverWins", "3 milk", "! your edit gave way: 5"),
            ("clientWins", "5 milk", nil),
            ("newerWins", "5 milk", nil),
            ("manual", "5 milk", "! refused: sync.conflict; again, or drop?"),
            ("merge", "7 milk", nil),
        ]
    )
    func policies(policy: String, result: String, note: String?) async throws {
        try await onOwnThread {
            let world = try GroceryWorld(policy)
            let (anna, ben) = (try world.device("anna"), try world.device("ben"))
            try world.serve()
            #expect(try anna.ask("add milk") == "stored")
            try world.wait { try anna.list() == ["1 milk"] && ben.list() == ["1 milk"] }

            #expect(world.stopServing())
            #expect(try anna.ask("count 3 milk") == "stored")
            // Another moment of a clock that counts milliseconds.
            usleep(5_000)
            #expect(try ben.ask("count 5 milk") == "stored")
            // Pending, sending or unknown.
            let shown = try ben.list()
            #expect(shown.count == 1 && shown.allSatisfy { $0.hasPrefix("5 milk  (") })
            #expect(ben.kill())

            try world.serve()
            try world.wait { try anna.list() == ["3 milk"] && anna.isSettled() }
            let again = try world.device("ben")
            if let note {
                try world.wait { try again.notes() == [note] }
                #expect(again.kill())
            }
            // Also after a restart.
            let later = note == nil ? again : try world.device("ben")
            if let note { #expect(try later.notes() == [note]) }
            #expect(try later.ask("again") == "stored")
            #expect(try later.ask("seen") == "stored")
            try world.wait {
                try later.list() == [result] && later.notes().isEmpty && anna.list() == [result]
            }
            #expect(anna.kill() && later.kill() && world.stopServing())
        }
    }

    @Test("a refusal of the server waits for a person")
    func refusal() async throws {
        try await onOwnThread {
            let world = try GroceryWorld("newerWins")
            try world.serve()
            let anna = try world.device("anna")
            let name = String(repeating: "a", count: 41)
            #expect(try anna.ask("add \(name)") == "stored")
            #expect(try anna.ask("add milk") == "stored")
            try world.wait { try anna.notes() == ["! refused: too-long; again, or drop?"] }
            try world.wait { try anna.list() == ["1 \(name)  (refused)", "1 milk"] }
            #expect(try anna.ask("drop") == "stored")
            try world.wait { try anna.list() == ["1 milk"] && anna.isSettled() }
            #expect(anna.kill() && world.stopServing())
        }
    }
}

/// A server's folder and address, and folders of devices.
private final class GroceryWorld {
    let policy: String
    private let folder: TemporaryFolder
    private let address: String
    private var server: KilledProcess?

    struct Stuck: Error {
        /// What each device shows.
        let shown: [[String]]
    }

    init(_ policy: String) throws {
        self.policy = policy
        folder = try TemporaryFolder()
        // An address of the loopback network that nobody else uses: while the server is dead, no other
        // test takes its port.
        let numbers = (0..<3).map { _ in "\(Int.random(in: 1...250))" }
        address = "127.\(numbers.joined(separator: "."))"
        try FileManager.default.createDirectory(
            atPath: folder.file("server"),
            withIntermediateDirectories: false
        )
    }

    func serve() throws {
        let process = try KilledProcess(
            "Groceries",
            ["serve", folder.file("server"), address, "8080"]
        )
        #expect(process.readLine() == "serving")
        server = process
    }

    func stopServing() -> Bool { server?.kill() ?? false }

    func device(_ name: String) throws -> GroceryDevice {
        let path = folder.file(name)
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false
            )
        }
        return try GroceryDevice([path, "http://\(address):8080", policy])
    }

    /// Waits until `condition` holds.
    func wait(for devices: [GroceryDevice] = [], until condition: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(300)
        while try !condition() {
            guard ContinuousClock.now < end else {
                throw Stuck(shown: try devices.map { try $0.shown() })
            }
            usleep(10_000)
        }
    }
}

/// A process that edits.
private final class GroceryDevice {
    private let process: KilledProcess

    struct Ended: Error {}

    init(_ arguments: [String]) throws {
        process = try KilledProcess("Groceries", arguments)
        guard process.readLine() != nil else { throw Ended() }
    }

    func ask(_ command: String) throws -> String {
        say(command)
        guard let line = process.readLine() else { throw Ended() }
        return line
    }

    func say(_ command: String) { process.write(command + "\n") }

    func kill() -> Bool { process.kill() }

    func shown() throws -> [String] {
        var lines = [try ask("show")]
        while lines.last?.hasPrefix("=") != true {
            guard let line = process.readLine() else { throw Ended() }
            lines.append(line)
        }
        return lines
    }

    func list() throws -> [String] {
        try shown().filter { !$0.hasPrefix("!") && !$0.hasPrefix("=") }
    }

    func notes() throws -> [String] { try shown().filter { $0.hasPrefix("!") } }

    func isSettled() throws -> Bool { try shown().last == "= 0 to send, fetched" }
}

/// A server, two processes of one device, and one of another; a seed chooses who does what and who is
/// killed.
private struct KilledGroceries {
    private let world: GroceryWorld
    private let folders = ["anna", "anna", "ben"]
    private let seed: UInt64
    private var random: SeededRandom
    private var devices: [GroceryDevice?] = [nil, nil, nil]
    private var isServing = false
    private var promised: Set<String> = []
    /// The items whose processes were killed before they said that the item is stored.
    private var uncertain: Set<String> = []

    init(_ policy: String, _ seed: UInt64) throws {
        world = try GroceryWorld(policy)
        self.seed = seed
        random = SeededRandom(seed: seed)
    }

    mutating func run() throws {
        for number in 0..<max(24, 160 / SearchShare().stride) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: try add("item \(number)")
            case 4..<6: try edit()
            case 6: try killWhileAdding("item \(number)")
            case 7, 8: try turnServer()
            default: usleep(UInt32.random(in: 0..<30_000, using: &random))
            }
        }
        try settle()
    }

    private mutating func device() throws -> GroceryDevice {
        let number = Int.random(in: 0..<3, using: &random)
        if let device = devices[number] { return device }
        let device = try world.device(folders[number])
        devices[number] = device
        return device
    }

    private mutating func add(_ name: String) throws {
        #expect(try device().ask("add \(name)") == "stored")
        promised.insert(name)
    }

    private mutating func edit() throws {
        guard let name = promised.sorted().randomElement(using: &random) else { return }
        let count = Int.random(in: 0..<9, using: &random)
        _ = try device().ask("count \(count) \(name)")
    }

    private mutating func killWhileAdding(_ name: String) throws {
        let device = try device()
        device.say("add \(name)")
        uncertain.insert(name)
        usleep(UInt32.random(in: 0..<8_000, using: &random))
        #expect(device.kill())
        for number in devices.indices where devices[number] === device { devices[number] = nil }
    }

    private mutating func turnServer() throws {
        if isServing {
            #expect(world.stopServing())
        } else {
            try world.serve()
        }
        isServing.toggle()
    }

    private mutating func settle() throws {
        if !isServing { try turnServer() }
        for number in devices.indices where devices[number] == nil {
            devices[number] = try world.device(folders[number])
        }
        let all = devices.compactMap { $0 }
        try world.wait(for: all) {
            for device in all { _ = try device.ask("again") }
            for device in all where try !device.isSettled() { return false }
            return try Set(all.map { try $0.list() }).count == 1
        }
        let names = try all[0].list().map { String($0.drop { $0 != " " }.dropFirst()) }
        let circumstances = "\(world.policy), seed \(seed)"
        #expect(names.count == Set(names).count, "\(circumstances): \(names)")
        #expect(promised.isSubset(of: names), "\(circumstances): \(promised.subtracting(names))")
        #expect(promised.union(uncertain).isSuperset(of: names), "\(circumstances): \(names)")
        for device in all { #expect(device.kill(), "\(circumstances)") }
        #expect(world.stopServing(), "\(circumstances)")
    }
}
