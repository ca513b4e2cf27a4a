package import Foundation
import LibC
import MemoCore
package import MemoKit
import Outbox
import OutboxCore
import TemporaryFolders

/// A device of a test's own: a data folder, signed in at a server. Removed with this object.
package final class Device: Sendable {
    private let place: TemporaryFolder
    package let folder: DataFolder
    package let box: MemoBox

    /// - Parameter url: `nil` for a device where nobody is signed in.
    package init(signedInAt url: String?) throws {
        place = try TemporaryFolder()
        folder = DataFolder(path: place.file("data"))
        box = try MemoBox(folder: folder, keys: .file)
        if let url { signIn(at: url, token: "first") }
    }

    /// Stores an account in place of the former one, and does nothing else that signing in does.
    package func signIn(at url: String, token: String) {
        do {
            try box.setAccount(Account(relay: url, address: "a@b.example", token: token))
        } catch {
            preconditionFailure("no account can be stored: \(error)")
        }
    }

    /// Parks what is queued, as a refused token does.
    package func parkAll() async throws {
        try await box.outbox.drain([.memo: { _ in .park(.unauthorized) }], until: .idle)
    }

    /// All files of the folder, in one.
    package func everything() throws -> Data {
        var everything = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name != "bell" {
            everything += try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
        }
        return everything
    }
}
