import Foundation
import OutboxCore

/// The identifiers in a record that `OutboxWriter` wrote.
func identifiers(inRecord path: String) throws -> [OperationID] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    return stride(from: 0, to: bytes.count - bytes.count % 16, by: 16).compactMap {
        OperationID(bytes: bytes[$0..<$0 + 16])
    }
}
