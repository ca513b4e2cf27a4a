import OutboxCore
import OutboxTesting
import RelayRules
import RelayServer

/// The choices of a seed for a whole run. Each sort of fault is on or off for the run, so that some
/// runs are nearly quiet, and rare faults meet often.
struct Plan {
    let devices: Int
    let processesPerDevice: Int
    let memosPerDevice: Int
    /// The changes of what all devices share: of a platform that shares something.
    let editsPerDevice: Int
    /// The devices that the person has, and uses no more.
    let formerDevices: Int
    /// How long faults happen and memos are written.
    let troubledTime: Milliseconds
    let faults: Set<Fault>
    /// How often each sort of fault comes at most that has moments of its own.
    let mostMoments: Int
    /// How likely each fault of an exchange, a disk operation or a hand-over is, in thousandths.
    let permille: Int
    let limits: MemoLimits
    let lanes: [LanePolicy]
    let platform: Platform

    /// What a device runs, and keeps its outbox in.
    enum Platform {
        /// The terminal's side, over one file for each operation.
        case files
        /// The terminal's side, over SQLite, which the product uses.
        case database
        /// The web app.
        case browser
    }

    var isOnDatabase: Bool { platform == .database }

    /// Every fourth seed runs on SQLite, and every fourth one in a browser.
    init(seed: UInt64, _ random: inout SeededRandom) {
        platform =
            switch seed % 4 {
            case 0: .database
            case 1: .browser
            default: .files
            }
        devices =
            platform == .browser
            ? Int.random(in: 1...4, using: &random) : random.isTrue(300) ? 2 : 1
        processesPerDevice = Int.random(in: 1...3, using: &random)
        memosPerDevice = Int.random(in: 2...20, using: &random)
        editsPerDevice = platform == .browser ? Int.random(in: 0...8, using: &random) : 0
        formerDevices = Int.random(in: 0...2, using: &random)
        troubledTime = [.seconds(20), .seconds(600), .seconds(4 * 3600), .seconds(3 * 86_400)]
            .randomElement(using: &random)!
        permille = [20, 80, 250].randomElement(using: &random)!
        mostMoments = [3, 12].randomElement(using: &random)!
        let share = [250, 600].randomElement(using: &random)!
        faults = Set(Fault.allCases.filter { _ in random.isTrue(share) })
        limits = MemoLimits(
            device: DeviceLimits(
                perMinute: Int.random(in: 2...8, using: &random),
                perDay: Int.random(in: 40...80, using: &random)
            )
        )
        lanes = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            random.isTrue(500) ? .blockLane : .skipAndPark
        }
    }
}

/// The sorts of faults, as they are counted and printed.
enum Fault: String, CaseIterable, Sendable {
    case processKilled = "process killed"
    case processEnded = "process ended"
    case powerCut = "power cut"
    case relayKilled = "relay killed"
    case offline
    case clockMoved = "clock moved"
    case relayClockMoved = "relay's clock moved"
    case diskFull = "disk full"
    case writesFailing = "writes failing"
    case readsFailing = "reads failing"
    case interrupted = "interrupted by a signal"
    case keyUnavailable = "key unavailable"
    case relayStoreFailing = "relay's store failing"
    case requestLost = "request lost"
    case answerLost = "answer lost"
    case requestRepeated = "request repeated"
    case slowLink = "slow link"
    case tooManyRequests = "429"
    case serverError = "5xx"
    case foreignAnswer = "foreign answer"
    case mailLater = "mail later"
    case mailRefused = "mail refused"
    case mailUnknown = "mail unknown"
    case ringMissed = "ring missed"
    case processesInterleaved = "processes interleaved"
    case memoRefused = "memo refused"
    case changeRefused = "change of settings refused"
    case personActs = "person acts"

    /// Those that happen at moments of their own, rather than to something that goes on.
    static let momentary: [Fault] = [
        .processKilled, .processEnded, .powerCut, .relayKilled, .offline, .clockMoved,
        .relayClockMoved, .diskFull, .writesFailing, .readsFailing, .keyUnavailable,
        .relayStoreFailing, .personActs,
    ]
}

extension SeededRandom {
    /// `true` so many times in a thousand.
    mutating func isTrue(_ permille: Int) -> Bool {
        Int.random(in: 0..<1000, using: &self) < permille
    }

    /// Mostly short, sometimes as long as `longest`: every order of magnitude is as likely.
    mutating func duration(upTo longest: Milliseconds) -> Milliseconds {
        let magnitudes = max(1, Int64.bitWidth - max(1, longest.count).leadingZeroBitCount)
        let bound = Int64(1) << Int64.random(in: 0..<Int64(magnitudes), using: &self)
        return Milliseconds(min(longest.count, Int64.random(in: bound...2 * bound, using: &self)))
    }
}
