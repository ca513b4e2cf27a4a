import Foundation
import KilledProcess
import TemporaryFolders
import Testing

@testable import MemoKit

extension OneDevice {
    /// Real processes: the app, the share extension and an intent, at once on one folder, which are killed and
    /// suspended at random.
    @Suite("Processes of the app and of its doors")
    struct DoorProcessTests {
        @Test(
            "300 memos, 100 kills, suspended at random: each memo exactly once, no lock while suspended"
        )
        func processes() async throws {
            // On a thread of its own: it waits for processes.
            try await withCheckedThrowingContinuation {
                (done: CheckedContinuation<Void, any Error>) in
                Thread.detachNewThread {
                    done.resume(with: Result { try DoorLife(seed: 38).run(memos: 300, kills: 100) })
                }
            }
        }
    }
}

/// The life of three processes on one folder. This process is the relay, and sends a memo again of which it
/// does not know whether it is stored, as a person does.
private final class DoorLife {
    /// A process that has ended without being asked to.
    struct Gone: Error {
        let role: String
    }

    private struct Actor {
        let role: String
        var process: KilledProcess
        var isSuspended = false
    }

    private let folder: TemporaryFolder
    private let box: MemoBox
    private var random: SeededChoices
    private var actors: [Actor] = []
    /// The identifiers under which the relay holds each memo.
    private var held: [Int: Set<String>] = [:]
    private var stored: Set<Int> = []
    private var refused: Set<Int> = []
    private var suspended = 0
    private var begun = 0
    private var awake = 0

    init(seed: UInt64) throws {
        folder = try TemporaryFolder()
        box = try DoorProcess.openBox(in: folder.file("data"))
        random = SeededChoices(seed: seed)
        try box.setAccount(
            Account(relay: "https://relay.example.org", address: "a@b.example", token: "token")
        )
        for role in ["app", "share", "intent"] {
            actors.append(Actor(role: role, process: try start(role)))
        }
        for index in actors.indices { try read(index) { begun == index + 1 } }
    }

    func run(memos: Int, kills: Int) throws {
        var killed = 0
        for first in stride(from: 0, to: memos, by: actors.count) {
            let numbers = actors.indices.map { first + $0 }
            for (index, number) in zip(actors.indices, numbers) { try send(number, by: index) }
            var left = Array(actors.indices)
            if killed < kills {
                let victim = left.remove(at: random.next(below: left.count))
                usleep(UInt32(random.next(below: 6000)))
                try replace(victim)
                killed += 1
            }
            // One of the rest at most, in the middle of storing or after it.
            let chosen = random.next(below: 4)
            let idle = left.indices.contains(chosen) ? left[chosen] : nil
            let suspensions = suspended
            if let idle { actors[idle].process.write("suspend\n") }
            for index in left {
                let number = numbers[index]
                try read(index) { stored.contains(number) || refused.contains(number) }
                guard index == idle else { continue }
                try read(index) { suspended > suspensions }
                try expectSuspended(index)
            }
            try sendAgain(numbers)
        }
        #expect(killed == kills)
        #expect(suspended > kills / 4)
        // The app delivers what is left.
        try send(memos, by: 0)
        try read(0) { held.count == memos + 1 }
        let texts = try box.history(limit: memos * 2).map(\.text)
        #expect(texts.count == memos + 1)
        #expect(Set(texts) == Set((0...memos).map { DoorProcess.text($0) }))
        #expect(held.values.allSatisfy { $0.count == 1 })
        for actor in actors { #expect(actor.process.kill()) }
    }

    /// Sends the memos again that are not in the history, each by the process that had it: the app has its
    /// draft.
    private func sendAgain(_ numbers: [Int]) throws {
        let known = Set(try box.history(limit: 2000).compactMap(\.text))
        for (index, number) in zip(actors.indices, numbers) {
            let isStored = known.contains(DoorProcess.text(number))
            #expect(isStored || !stored.contains(number), "memo \(number) was promised")
            guard !isStored else { continue }
            refused.remove(number)
            try send(number, by: index)
            try read(index) { stored.contains(number) || refused.contains(number) }
            #expect(stored.contains(number))
        }
    }

    // MARK: Processes

    private func start(_ role: String) throws -> KilledProcess {
        let arguments = [DoorProcess.argument, role, folder.file("data")]
        return try KilledProcess("/proc/self/exe", arguments)
    }

    private func send(_ number: Int, by index: Int) throws {
        if actors[index].isSuspended {
            actors[index].isSuspended = false
            kill(actors[index].process.identifier, SIGCONT)
            let before = awake
            actors[index].process.write("wake\n")
            try read(index) { awake > before }
        }
        actors[index].process.write("store \(number)\n")
    }

    /// Kills a process, and starts another one in its place.
    private func replace(_ index: Int) throws {
        #expect(actors[index].process.kill())
        // What it has said, it has done.
        while let line = actors[index].process.readLine() { note(line) }
        let before = begun
        actors[index] = Actor(role: actors[index].role, process: try start(actors[index].role))
        try read(index) { begun > before }
    }

    /// Reads what a process writes until a condition holds.
    private func read(_ index: Int, until holds: () -> Bool) throws {
        while !holds() {
            guard let line = actors[index].process.readLine() else {
                throw Gone(role: actors[index].role)
            }
            note(line)
        }
    }

    private func note(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "held": held[Int(words[2])!, default: []].insert(words[1])
        case "stored": stored.insert(Int(words[1])!)
        case "refused": refused.insert(Int(words[1])!)
        case "suspended": suspended += 1
        case "begun": begun += 1
        case "awake": awake += 1
        default: Issue.record("a process says \(line)")
        }
    }

    // MARK: Suspension

    /// Waits until a process stands still, and looks at its locks.
    private func expectSuspended(_ index: Int) throws {
        actors[index].isSuspended = true
        let process = actors[index].process.identifier
        while try !String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).contains(") T ")
        {
            usleep(500)
        }
        let locks = try locks(of: process)
        #expect(locks.isEmpty, "\(actors[index].role) is suspended with locks: \(locks)")
    }

    /// The files of the folder that a process has locked, by proc_pid_fdinfo(5).
    private func locks(of process: Int32) throws -> [String] {
        let descriptors = "/proc/\(process)/fdinfo"
        var locked: Set<String> = []
        for descriptor in try FileManager.default.contentsOfDirectory(atPath: descriptors) {
            let info =
                (try? String(contentsOfFile: "\(descriptors)/\(descriptor)", encoding: .utf8)) ?? ""
            for line in info.split(separator: "\n") where line.hasPrefix("lock:") {
                // The file stands as its device's numbers and its own.
                let file = line.split(whereSeparator: \.isWhitespace)[6].split(separator: ":")[2]
                locked.insert(String(file))
            }
        }
        let data = folder.file("data")
        return try FileManager.default.contentsOfDirectory(atPath: data).filter { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(data)/\(name)")
            return attributes[.systemFileNumber].map { locked.contains("\($0)") } ?? false
        }
    }
}
