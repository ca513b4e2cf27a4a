import Outbox
import OutboxCore
import OutboxFiles
import OutboxLedger

typealias FileScenario = Scenario<FileStorage>

extension FileScenario {
    static var folder: String { "/data/store" }

    static func open(_ system: any FileSystem) throws -> Outbox<FileStorage> {
        ScenarioWorld.outbox(try FileStorage(folder: folder, system: system))
    }

    /// Everything that a store of files can do.
    var steps: [Step] { everyChange() + everyChangeOfLane(from: 21) }

    /// Files keep their names one by one: of several that were being inserted when the power was cut,
    /// some may be there.
    static func inspect(
        _ outbox: Outbox<FileStorage>,
        _ promises: Ledger.Promises,
        afterPowerCut: Bool = false,
        excused: Set<OperationID> = []
    ) throws -> Verdict {
        var verdict = try OutboxLedger.inspect(
            outbox,
            promises,
            at: ScenarioWorld.now,
            afterPowerCut: afterPowerCut,
            excused: excused
        )
        if afterPowerCut { verdict.halves = 0 }
        return verdict
    }
}
