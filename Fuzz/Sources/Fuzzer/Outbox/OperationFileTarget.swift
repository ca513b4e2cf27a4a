import Outbox

@testable import OutboxFiles

/// The input as it is, with its check set right, and as the material of a valid file.
func fuzzOperationFile(_ input: [UInt8]) {
    compareReaders(of: input)
    if let model = OperationFileModel.salvaging(input) {
        let before = input.dropLast(model.record.count + 8)
        compareReaders(of: before + digest(before) + model.record)
    }
    var material = Material(input)
    let isIntact = material.integer(UInt8.self) % 2 == 0
    var model = OperationFileModel(
        state: material.integer(UInt8.self) % 4,
        waitEpoch: UInt64(material.integer(UInt32.self)),
        recordCheck: material.bytes(8),
        reason: material.name(longest: 255),
        unknown: material.name(longest: 4097),
        envelope: material.name(longest: 1024),
        record: material.remainder()
    )
    if isIntact { model.recordCheck = digest(model.record) }
    let bytes = model.written()
    compareReaders(of: bytes)
    var new = FileRecord(envelope: model.envelope, record: model.record)
    new.waitEpoch = UInt32(model.waitEpoch)
    agree("a lane number", laneNumbered(model), model.waitEpoch)
    new.state = OperationState(rawValue: model.state) ?? .queued
    agree("a new file", FileRecord(decoding: new.encoded()).map(view), view(new))
}

/// The lane number of this build, as a second reader finds it.
private func laneNumbered(_ model: OperationFileModel) -> UInt64? {
    let file = FileRecord(
        envelope: model.envelope,
        record: model.record,
        laneNumber: model.waitEpoch
    )
    return OperationFileModel.reading(file.encoded())?.laneNumber
}

private func compareReaders(of bytes: [UInt8]) {
    let model = OperationFileModel.reading(bytes)
    let product = FileRecord(decoding: bytes)
    agree("read", product.map(view), model.map(view))
    agree("written again", product.map { $0.encoded() }, model.map { $0.written() })
    compareHeads(of: bytes, isFile: product != nil)

    let salvaged = FileRecord(salvaging: bytes)
    let parts = OperationFileModel.salvaging(bytes)
    agree("salvaged state", salvaged.state, .quarantined)
    agree("salvaged reason", salvaged.quarantineReason, .envelope)
    agree("salvaged envelope", salvaged.envelope, parts?.envelope ?? [])
    agree("salvaged record", salvaged.record, parts?.record ?? bytes)
    agree("salvaged check", salvaged.isRecordIntact, parts?.isRecordIntact ?? true)
    agree(
        "salvaged and read again",
        FileRecord(decoding: salvaged.encoded()).map(view),
        view(salvaged)
    )
}

/// A queue is read by the beginnings of its files: a beginning must say the same as the whole file.
private func compareHeads(of bytes: [UInt8], isFile: Bool) {
    let whole = FileLayout(bytes, fileLength: bytes.count)
    let head = Array(bytes.prefix(FileLayout.prefixLength))
    let layout = FileLayout(head, fileLength: bytes.count)
    agree("envelope by the head", layout?.envelope, whole?.envelope)
    agree("record by the head", layout?.record, whole?.record)
    guard let layout else { return agree("a file by its head", false, isFile) }
    let withoutRecord = Array(bytes[..<layout.record.lowerBound])
    let isKnown = OperationState(rawValue: head[FileLayout.stateOffset]) != nil
    agree("a file by its head", layout.isIntact(in: withoutRecord) && isKnown, isFile)
}

/// The findings of both readers about a file.
private struct View: Equatable {
    var state: UInt8
    var waitEpoch: UInt64
    var reason: [UInt8]
    var laneNumber: UInt64
    var envelope: [UInt8]
    var record: [UInt8]
    var isRecordIntact: Bool
}

private func view(_ file: FileRecord) -> View {
    View(
        state: file.state.rawValue,
        waitEpoch: UInt64(file.waitEpoch),
        reason: Array((file.quarantineReason?.rawValue ?? "").utf8),
        laneNumber: file.laneNumber,
        envelope: file.envelope,
        record: file.record,
        isRecordIntact: file.isRecordIntact
    )
}

private func view(_ file: OperationFileModel) -> View {
    View(
        state: file.state,
        waitEpoch: file.waitEpoch,
        reason: file.knownReason,
        laneNumber: file.laneNumber,
        envelope: file.envelope,
        record: file.record,
        isRecordIntact: file.isRecordIntact
    )
}
