import Outbox
import OutboxFiles
import OutboxLedger
import OutboxTesting
import Testing

@Suite(.timeLimit(.minutes(60))) struct ShortTransferTests {
    @Test("files that are read and written a few bytes at a time are whole all the same")
    func fewBytesAtATime() throws {
        let disk = SimulatedDisk.prepared()
        let scenario = FileScenario()
        let outbox = try FileScenario.open(ShortTransfers(disk: disk))
        for step in scenario.steps { try step(outbox) }
        for files: any FileSystem in [disk, ShortTransfers(disk: disk)] {
            let verdict = try FileScenario.inspect(
                try FileScenario.open(files),
                scenario.ledger.promises
            )
            #expect(verdict.isClean, "\(verdict)")
        }
    }
}

/// Files of which the system reads and writes a part at a time, as it may.
private struct ShortTransfers: FileSystem {
    let disk: SimulatedDisk

    func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        try disk.read(file, at: offset, count: min(count, 7))
    }

    func write(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(FileError) -> Int {
        try disk.write(bytes.prefix(5), to: file, at: offset)
    }

    var syncsTogether: Bool { disk.syncsTogether }

    func makeFolder(_ path: String) throws(FileError) { try disk.makeFolder(path) }

    func open(_ path: String, for access: FileAccess) throws(FileError) -> OpenFile {
        try disk.open(path, for: access)
    }

    func close(_ file: OpenFile) { disk.close(file) }

    func length(of file: OpenFile) throws(FileError) -> Int { try disk.length(of: file) }

    func sync(_ file: OpenFile) throws(FileError) { try disk.sync(file) }

    func tryLock(_ file: OpenFile) throws(FileError) -> Bool { try disk.tryLock(file) }

    func unlock(_ file: OpenFile) { disk.unlock(file) }

    func isNamed(_ file: OpenFile) throws(FileError) -> Bool { try disk.isNamed(file) }

    func rename(_ path: String, to newPath: String) throws(FileError) {
        try disk.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(FileError) { try disk.remove(path) }

    func exists(_ path: String) throws(FileError) -> Bool { try disk.exists(path) }

    func names(in folder: String) throws(FileError) -> [[UInt8]] { try disk.names(in: folder) }

    func randomWord() -> UInt64 { disk.randomWord() }
}
