import OutboxCore

/// Reads an envelope and writes it back. A negative answer names the error.
@_expose(wasm, "envelope_round_trip")
@_cdecl("envelope_round_trip")
func envelopeRoundTrip() -> Int32 {
    do throws(EnvelopeError) {
        return give(try Envelope(decoding: takeInput()).encoded())
    } catch {
        switch error {
        case .truncated: return -1
        case .unsupportedVersion: return -2
        case .corrupted: return -3
        case .malformed: return -4
        @unknown default: return -5
        }
    }
}

/// The count of attempts in an envelope that `envelope_round_trip` accepts.
@_expose(wasm, "envelope_attempts")
@_cdecl("envelope_attempts")
func envelopeAttempts() -> UInt32 {
    (try? Envelope(decoding: takeInput()))?.attemptCount ?? 0
}

/// Reads a sealed record and writes it back. A negative answer names the error.
@_expose(wasm, "record_round_trip")
@_cdecl("record_round_trip")
func recordRoundTrip() -> Int32 {
    do throws(SealedRecordError) {
        return give(try SealedRecord(decoding: takeInput()).encoded())
    } catch {
        switch error {
        case .truncated: return -1
        case .unsupportedVersion: return -2
        @unknown default: return -3
        }
    }
}

/// The associated data of a record: the input is the id's 16 bytes and then the kind.
@_expose(wasm, "associated_data")
@_cdecl("associated_data")
func associatedData(_ keyID: UInt64, _ createdAt: Int64) -> Int32 {
    let bytes = takeInput()
    guard let id = OperationID(bytes: bytes.prefix(16)) else { return -1 }
    return give(
        SealedRecord.associatedData(
            keyID: KeyID(rawValue: keyID),
            id: id,
            kind: OperationKind(utf8: Array(bytes.dropFirst(16))),
            createdAt: WallTime(millisecondsSinceEpoch: createdAt)
        )
    )
}

@_expose(wasm, "identifier_text")
@_cdecl("identifier_text")
func identifierText(_ time: Int64, _ first: UInt64, _ second: UInt64) -> Int32 {
    let time = WallTime(millisecondsSinceEpoch: time)
    return give(OperationID(time: time, random: (first, second)).text)
}

@_expose(wasm, "device_retry_delay")
@_cdecl("device_retry_delay")
func deviceRetryDelay(_ attempt: UInt32, _ jitter: UInt32) -> Int64 {
    RetryPolicy.device.delay(afterAttempt: attempt, jitter: jitter).count
}
