import Foundation
import OutboxCore

/// A file to which identifiers are appended, each by one write: what is written survives the
/// process.
struct Record: Sendable {
    private let descriptor: Int32

    struct Failure: Error {}

    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw Failure() }
    }

    func append(_ id: OperationID) {
        let bytes = id.bytes
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            fatalError("the record cannot be written")
        }
    }
}
