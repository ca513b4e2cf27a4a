import Foundation
public import MemoKit
public import MemoTexts
public import Outbox
import UIKit

/// The folder of the app's data, in the container of the app group: the app and each of its extensions find
/// the same box there.
public struct AppFolder: Sendable {
    /// The name of the folder in a container.
    private static let name = "/Simple Memo"

    /// The folder of this process. The property list and the entitlements of each target name the group.
    public static let ofProcess = AppFolder(
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
    /// - Throws: ``MemoKit/MemoError``; where the process was signed without the group, its sentence names
    ///   it.
    public func open() throws(MemoError) -> DataFolder {
        let files = FileManager.default
        guard let container = files.containerURL(forSecurityApplicationGroupIdentifier: group)
        else { throw .folderMissing(group) }
        let folder = DataFolder(path: container.path + Self.name)
        try folder.create()
        // All of a person's data in it is sealed, and the entitlements have the same class.
        try? protect(folder.path)
        return folder
    }

    /// Opens the box in the folder, under the key in the Keychain.
    ///
    /// - Parameter log: Called for each transition of the box's outbox.
    /// - Throws: ``MemoKit/MemoError``.
    public func openBox(
        log: @escaping @Sendable (OutboxEvent) -> Void
    ) throws(MemoError) -> MemoBox {
        try MemoBox(folder: try open(), keys: .keychain, log: log)
    }

    /// The folder of the person's choices: without the group the app still speaks the chosen language.
    public var ofChoices: DataFolder {
        if let folder = try? open() { return folder }
        let places = FileManager.default.urls(
            for: .applicationSupportDirectory,
            in: .userDomainMask
        )
        return DataFolder(path: places[0].path + Self.name)
    }

    /// The language of this process: the one that was chosen in the app, else the system's.
    public var language: Language {
        ofChoices.chosenLanguage ?? Language(preferring: Locale.preferredLanguages)
    }
}

extension Language {
    /// The first of the tags' languages that the app speaks, else English.
    ///
    /// - Parameter tags: BCP 47 tags, the preferred one first.
    public init(preferring tags: [String]) {
        self.init(preferring: tags.map { Array($0.utf8) })
    }
}
