/// Something of the product that reads bytes, held against a model.
///
/// A model is a second reader, or writer, of the same format, as plain as possible: written from
/// docs/wire-format.md or the format's standard, or a library's. It shares no code with the product.
enum FuzzTarget: String, CaseIterable {
    case identifier
    case envelope
    case record = "sealed-record"
    case file = "operation-file"
    case apiBody = "api-body"
    case address
    case mail
    case queuedMail = "queued-mail"
    case report = "delivery-report"
    case event = "resend-event"
    case rateLimit = "rate-limit"
    case webTrailer = "web-trailer"

    func run(_ input: [UInt8]) {
        switch self {
        case .identifier: fuzzIdentifier(input)
        case .envelope: fuzzEnvelope(input)
        case .record: fuzzSealedRecord(input)
        case .file: fuzzOperationFile(input)
        case .apiBody: fuzzAPIBody(input)
        case .address: fuzzAddress(input)
        case .mail: fuzzMail(input)
        case .queuedMail: fuzzQueuedMail(input)
        case .report: fuzzDeliveryReport(input)
        case .event: fuzzResendEvent(input)
        case .rateLimit: fuzzRateLimit(input)
        case .webTrailer: fuzzWebTrailer(input)
        }
    }
}
