import OutboxCore

/// The input as it is, with its checksum set right, and as the material of a valid envelope.
func fuzzEnvelope(_ input: [UInt8]) {
    compareReaders(of: input)
    compareReaders(of: input + checksum(input))
    var material = Material(input)
    let model = EnvelopeModel(from: &material)
    let bytes = Envelope(model).encoded()
    agree("written", bytes, model.written())
    compareReaders(of: bytes)
}

private func compareReaders(of bytes: [UInt8]) {
    let model = EnvelopeModel.reading(bytes)
    let envelope: Envelope
    do {
        envelope = try Envelope(decoding: bytes)
    } catch {
        return agree("refused", .failure(error), model)
    }
    agree("read", .success(EnvelopeModel(envelope)), model)
    let written = envelope.encoded()
    agree("written again", .success(written), model.map { $0.written() })
    agree("read again", try? Envelope(decoding: written), envelope)
}

extension EnvelopeModel {
    fileprivate init(from material: inout Material) {
        self.init(
            id: material.bytes(16),
            kind: material.name(longest: 255),
            createdAt: material.integer(UInt64.self)
        )
        attemptCount = UInt64(material.integer(UInt32.self))
        nextEligibleAt = material.integer(UInt64.self)
        waitCause = UInt64(material.integer(UInt8.self) % 4)
        lastError = material.optionalName(longest: 255)
        orderingKey = material.optionalName(longest: 255)
        blocksLane = material.integer(UInt8.self) % 2 == 1
        while let value = material.optionalName(longest: 1024) {
            let tag = material.integer(UInt8.self)
            unknown.append(Field(tag: tag > 8 || tag == 0 ? tag : 9, value: value))
        }
    }

    fileprivate init(_ envelope: Envelope) {
        self.init(
            id: bigEndian(envelope.id.high, bytes: 8) + bigEndian(envelope.id.low, bytes: 8),
            kind: envelope.kind.utf8,
            createdAt: UInt64(bitPattern: envelope.createdAt.millisecondsSinceEpoch)
        )
        attemptCount = UInt64(envelope.attemptCount)
        nextEligibleAt = UInt64(bitPattern: envelope.nextEligibleAt.millisecondsSinceEpoch)
        waitCause = UInt64(envelope.waitCause.rawValue)
        lastError = envelope.lastError?.utf8
        orderingKey = envelope.orderingKey?.bytes
        blocksLane = envelope.blocksLane
        unknown = envelope.unknownFields.map { Field(tag: $0.tag, value: $0.value) }
    }
}

extension Envelope {
    fileprivate init(_ model: EnvelopeModel) {
        self.init(
            id: OperationID(high: number(model.id.prefix(8)), low: number(model.id.suffix(8))),
            kind: OperationKind(utf8: model.kind),
            createdAt: WallTime(millisecondsSinceEpoch: Int64(bitPattern: model.createdAt)),
            orderingKey: model.orderingKey.map { OrderingKey(bytes: $0) }
        )
        attemptCount = UInt32(model.attemptCount)
        nextEligibleAt = WallTime(
            millisecondsSinceEpoch: Int64(bitPattern: model.nextEligibleAt)
        )
        waitCause = WaitCause(rawValue: UInt8(model.waitCause))!
        lastError = model.lastError.map { ReasonCode(utf8: $0) }
        blocksLane = model.blocksLane
        unknownFields = model.unknown.map { UnknownField(tag: $0.tag, value: $0.value) }
    }
}
