/// Something of the product that reads bytes, held against a model.
///
/// A model is a second reader and writer of the same format, written from docs/wire-format.md and
/// as plainly as possible. It shares no code with the product.
enum FuzzTarget: String, CaseIterable {
    case identifier
    case envelope
    case record = "sealed-record"
    case file = "operation-file"

    func run(_ input: [UInt8]) {
        switch self {
        case .identifier: fuzzIdentifier(input)
        case .envelope: fuzzEnvelope(input)
        case .record: fuzzSealedRecord(input)
        case .file: fuzzOperationFile(input)
        }
    }
}
