import OutboxCore
import OutboxTesting

@testable import Outbox

/// The input as a record of the operation that `Vectors/sealed-records.json` seals, and as an
/// operation whose record is sealed, opened, and opened with one bit flipped.
func fuzzSealedRecord(_ input: [UInt8]) {
    compareLayouts(of: input)
    _ = compareOpening(of: input, operationOfVectors)

    var material = Material(input)
    let flip = Int(material.integer(UInt32.self))
    let identity = OperationIdentity(
        id: material.bytes(16),
        kind: material.name(longest: 255),
        createdAt: material.integer(UInt64.self)
    )
    let payload = material.remainder()
    var bytes = sealed(payload, identity)
    compareLayouts(of: bytes)
    agree("opened", compareOpening(of: bytes, identity), .success(payload))
    bytes[flip / 8 % bytes.count] ^= 1 << UInt8(flip % 8)
    if case .success = compareOpening(of: bytes, identity) {
        fatalError("a record opens with one bit flipped")
    }
}

private func compareLayouts(of bytes: [UInt8]) {
    let model = SealedRecordModel.reading(bytes)
    let record: SealedRecord
    do {
        record = try SealedRecord(decoding: bytes)
    } catch {
        return agree("refused", .failure(error), model)
    }
    let read = SealedRecordModel(
        keyID: record.keyID.rawValue,
        nonce: record.nonce,
        ciphertext: record.ciphertext,
        tag: record.tag
    )
    agree("read", .success(read), model)
    agree("written again", record.encoded(), bytes)
}

private func compareOpening(
    of bytes: [UInt8],
    _ identity: OperationIdentity
) -> Result<[UInt8], UnreadableRecord> {
    let opened: Result<[UInt8], UnreadableRecord>
    do {
        opened = .success(
            try sealer.open(
                bytes,
                id: OperationID(bytes: identity.id)!,
                kind: OperationKind(utf8: identity.kind),
                createdAt: WallTime(
                    millisecondsSinceEpoch: Int64(bitPattern: identity.createdAt)
                )
            )
        )
    } catch let error as UnreadableRecord {
        opened = .failure(error)
    } catch {
        fatalError("the key cannot be read: \(error)")
    }
    agree("opened", opened, SealedRecordModel.opening(bytes, identity, with: key))
    return opened
}

private func sealed(_ payload: [UInt8], _ identity: OperationIdentity) -> [UInt8] {
    do {
        return try sealer.seal(
            payload,
            id: OperationID(bytes: identity.id)!,
            kind: OperationKind(utf8: identity.kind),
            createdAt: WallTime(millisecondsSinceEpoch: Int64(bitPattern: identity.createdAt))
        )
    } catch {
        fatalError("not sealed: \(error)")
    }
}

private let operationOfVectors = OperationIdentity(
    id: OperationID(text: "017f22e2-79b0-7cc3-98c4-dc0c0c07398f".utf8)!.bytes,
    kind: Array("memo".utf8),
    createdAt: 1_700_000_000_000
)

private let key = SealingKey(
    id: KeyID(rawValue: 0x0123_4567_89AB_CDEF),
    bytes: 0..<32
)

private let sealer = Sealer(store: MemoryKeyStore(keys: [key]), storage: MemoryStorage())
