import Foundation
import MemoKit
import UIKit

/// The folder of the app's data, in the container of the app group: an extension of the app finds the same
/// box there.
struct AppFolder: Sendable {
    /// The name of the folder in a container.
    private static let name = "/Simple Memo"

    /// The folder of this app. Its property list and its entitlements name the group.
    static let ofApp = AppFolder(
        group: Bundle.main.object(forInfoDictionaryKey: "MemoGroup") as? String ?? ""
    )

    /// The identifier of the app group.
    let group: String
    /// Sets the class of a folder's data protection, which the files in it take over: they can be read
    /// while the device is locked, from the first unlock on.
    var protect: @Sendable (String) throws -> Void = { path in
        try FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
            ofItemAtPath: path
        )
    }

    /// The folder, which is made where it is missing.
    ///
    /// - Throws: ``MemoKit/MemoError``; where the app was signed without the group, its sentence names it.
    func open() throws(MemoError) -> DataFolder {
        let files = FileManager.default
        guard let container = files.containerURL(forSecurityApplicationGroupIdentifier: group)
        else { throw .folderMissing(group) }
        let folder = DataFolder(path: container.path + Self.name)
        try folder.create()
        // All of a person's data in it is sealed, and the entitlements have the same class.
        try? protect(folder.path)
        return folder
    }

    /// The folder of the person's choices: without the group the app still speaks the chosen language.
    var ofChoices: DataFolder {
        if let folder = try? open() { return folder }
        let places = FileManager.default.urls(
            for: .applicationSupportDirectory,
            in: .userDomainMask
        )
        return DataFolder(path: places[0].path + Self.name)
    }
}
