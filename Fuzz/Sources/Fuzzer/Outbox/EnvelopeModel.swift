import OutboxCore

/// An envelope as docs/wire-format.md has it.
struct EnvelopeModel: Equatable {
    var id: [UInt8]
    var kind: [UInt8]
    var createdAt: UInt64
    var attemptCount: UInt64 = 0
    var nextEligibleAt: UInt64 = 0
    var waitCause: UInt64 = 0
    var lastError: [UInt8]?
    var orderingKey: [UInt8]?
    var blocksLane = false
    var unknown: [Field] = []

    struct Field: Equatable {
        var tag: UInt8
        var value: [UInt8]

        var bytes: [UInt8] { [tag] + bigEndian(UInt64(value.count), bytes: 2) + value }
    }

    static func reading(_ bytes: [UInt8]) -> Result<EnvelopeModel, EnvelopeError> {
        if bytes.isEmpty { return .failure(.truncated) }
        if bytes[0] != 1 { return .failure(.unsupportedVersion) }
        if bytes.count < 21 { return .failure(.truncated) }
        if Array(bytes.suffix(4)) != checksum(bytes.dropLast(4)) { return .failure(.corrupted) }
        guard let fields = fields(Array(bytes.dropFirst(17).dropLast(4))),
            let model = EnvelopeModel(id: Array(bytes[1..<17]), fields)
        else { return .failure(.malformed) }
        return .success(model)
    }

    private static func fields(_ bytes: [UInt8]) -> [Field]? {
        var fields: [Field] = []
        var rest = bytes
        while !rest.isEmpty {
            if rest.count < 3 { return nil }
            let length = Int(rest[1]) * 256 + Int(rest[2])
            if rest.count < 3 + length { return nil }
            fields.append(Field(tag: rest[0], value: Array(rest[3..<3 + length])))
            rest.removeFirst(3 + length)
        }
        return fields
    }

    private init?(id: [UInt8], _ fields: [Field]) {
        let sizes: [UInt8: ClosedRange<Int>] = [
            1: 0...255, 2: 8...8, 3: 4...4, 4: 8...8, 5: 1...1, 6: 0...255, 7: 0...255,
            8: 0...0,
        ]
        var known: [UInt8: [UInt8]] = [:]
        for field in fields where sizes[field.tag] != nil {
            if known[field.tag] != nil || !sizes[field.tag]!.contains(field.value.count) {
                return nil
            }
            known[field.tag] = field.value
        }
        guard let kind = known[1], let createdAt = known[2] else { return nil }
        self.init(id: id, kind: kind, createdAt: number(createdAt))
        attemptCount = number(known[3] ?? [])
        nextEligibleAt = number(known[4] ?? [])
        let cause = number(known[5] ?? [])
        waitCause = cause <= 3 ? cause : 1
        lastError = known[6]
        orderingKey = known[7]
        blocksLane = known[8] != nil
        unknown = fields.filter { sizes[$0.tag] == nil }
    }

    init(id: [UInt8], kind: [UInt8], createdAt: UInt64) {
        self.id = id
        self.kind = kind
        self.createdAt = createdAt
    }

    func written() -> [UInt8] {
        var fields = [
            Field(tag: 1, value: kind),
            Field(tag: 2, value: bigEndian(createdAt, bytes: 8)),
            Field(tag: 3, value: bigEndian(attemptCount, bytes: 4)),
            Field(tag: 4, value: bigEndian(nextEligibleAt, bytes: 8)),
            Field(tag: 5, value: bigEndian(waitCause, bytes: 1)),
        ]
        if let lastError { fields.append(Field(tag: 6, value: lastError)) }
        if let orderingKey { fields.append(Field(tag: 7, value: orderingKey)) }
        if blocksLane { fields.append(Field(tag: 8, value: [])) }
        let bytes = [1] + id + (fields + unknown).flatMap(\.bytes)
        return bytes + checksum(bytes)
    }
}
