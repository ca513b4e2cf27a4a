/// The effects of faults, where a fault may pass without a trace: a full disk that nobody writes to, a
/// power cut after everything was synced.
enum Effect: String, CaseIterable, Sendable {
    case writeDropped = "write dropped by a power cut"
    case writeTorn = "write torn by a power cut"
    case nameDropped = "file's name dropped by a power cut"
    case refusedForRoom = "write refused by a full disk"
    case writeFailed = "write failed"
    case readFailed = "read failed"
    case keyNotRead = "key not read"
    case relayStoreFailed = "relay's store failed"
    case acknowledgementLost = "acknowledgement lost"
    case acknowledgementRepeated = "acknowledgement repeated"
    case requestOvertaken = "request overtaken by a later one"
    case drainedElsewhere = "queue drained by another process"
}
