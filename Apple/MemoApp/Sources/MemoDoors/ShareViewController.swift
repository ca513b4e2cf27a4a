import MemoCore
import MemoKit
import MemoTexts
public import UIKit

/// The screen of the share extension: nothing. It stores what another app shares as a memo, and ends at once.
///
/// Only where the person has to know something an alert is shown: the memo was not stored, or it leaves only
/// after a sign-in. The target of the extension has a subclass, which the system makes.
open class ShareViewController: UIViewController {
    private let door: MemoDoor
    private let language: @MainActor () -> Language
    private var hasBegun = false

    /// The system makes it.
    public convenience override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?)
    {
        self.init(door: .ofProcess) { AppFolder.ofProcess.language }
    }

    /// - Parameters:
    ///   - door: The door through which the text goes.
    ///   - language: The language of the sentences, asked for where one is shown.
    init(door: MemoDoor, language: @escaping @MainActor () -> Language) {
        self.door = door
        self.language = language
        super.init(nibName: nil, bundle: nil)
    }

    /// The extension has no storyboard.
    @available(*, unavailable)
    public required init?(coder: NSCoder) {
        fatalError("the extension has no storyboard")
    }

    /// Stores what is shared, once.
    open override func viewIsAppearing(_ animated: Bool) {
        super.viewIsAppearing(animated)
        guard !hasBegun else { return }
        hasBegun = true
        Task { await store() }
    }

    private func store() async {
        let items = extensionContext?.inputItems.compactMap { $0 as? NSExtensionItem } ?? []
        let text = await SharedText(of: items)
        do {
            let prospect = try await door.store(text.memo)
            guard prospect.needsSignIn else { return end(isStored: true) }
            tell(language().string(prospect.text), isStored: true)
        } catch {
            tell(error.sentence(in: language()), isStored: false)
        }
    }

    /// Shows a sentence, and ends when the person has read it.
    private func tell(_ sentence: String, isStored: Bool) {
        let language = language()
        let alert = UIAlertController(
            title: "Simple Memo",
            message: sentence,
            preferredStyle: .alert
        )
        alert.addAction(
            UIAlertAction(title: language.string(AppText.close), style: .default) { [weak self] _ in
                self?.end(isStored: isStored)
            }
        )
        present(alert, animated: true)
    }

    private func end(isStored: Bool) {
        if isStored {
            extensionContext?.completeRequest(returningItems: nil, completionHandler: nil)
        } else {
            extensionContext?.cancelRequest(withError: NotStored())
        }
    }
}

/// The error of a share that stored nothing. The person has read why.
private struct NotStored: Error {}

extension SharedText {
    /// The most parts of one share that are read.
    private static let mostParts = 100

    /// Reads what another app shares. A part that is neither a text nor a link, or cannot be read, is left
    /// out.
    @MainActor
    fileprivate init(of items: [NSExtensionItem]) async {
        self.init()
        for item in items {
            let words = item.attributedTitle?.string ?? item.attributedContentText?.string
            title = title ?? words
            for part in (item.attachments ?? []).prefix(Self.mostParts) {
                if let link = await part.words(of: "public.url") {
                    // Another app's file stays where it is.
                    if !link.hasPrefix("file:") { links.append(link) }
                } else if let text = await part.words(of: "public.plain-text") {
                    texts.append(text)
                }
            }
        }
    }
}

extension NSItemProvider {
    /// The content as a text; `nil` where there is none of this type.
    ///
    /// - Parameter type: A uniform type identifier.
    @MainActor
    fileprivate func words(of type: String) async -> String? {
        guard hasItemConformingToTypeIdentifier(type) else { return nil }
        return await withCheckedContinuation { continuation in
            // On a thread of the system's.
            loadItem(forTypeIdentifier: type, options: nil) { item, _ in
                let words =
                    (item as? NSURL)?.absoluteString
                    ?? (item as? NSString).map { $0.description }
                    ?? (item as? NSData).flatMap {
                        String(data: Data(referencing: $0), encoding: .utf8)
                    }
                continuation.resume(returning: words)
            }
        }
    }
}
