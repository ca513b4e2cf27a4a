import DurableFiles
import LibC
import Outbox
import OutboxCore

/// Delivers all mails into one [Maildir](https://cr.yp.to/proto/maildir.html) on this machine,
/// whatever the recipient.
///
/// A mail is written to a new file in `tmp`, synced, renamed into `new`, and the folder synced. Its
/// file name comes from its `Message-ID`, so a mail delivered again replaces itself, and a mail that
/// a mail program has moved to `cur` is not delivered again.
public struct MaildirTransport: MailTransport {
    private let path: String
    /// Syncs an open file. A test notes the calls.
    var sync: @Sendable (Int32) -> Bool = { fsync($0) == 0 }
    /// Syncs the folder that holds a path. A test notes the calls.
    var syncParent: @Sendable (String) -> Bool = { syncFolder(of: $0) }
    private let queue = BlockingQueue(label: "maildir")

    /// Makes the folders where they are missing. On return they survive a power cut, also the
    /// folders that were there: nobody knows whether the process that made them synced them.
    ///
    /// - Throws: ``MaildirError`` if one cannot be made, synced or written to.
    public init(path: String) throws(MaildirError) {
        self.path = path
        for folder in [path] + ["tmp", "new", "cur"].map({ path + "/" + $0 }) {
            if mkdir(folder, 0o700) != 0, errno != EEXIST { throw MaildirError(errno: errno) }
            guard access(folder, W_OK | X_OK) == 0 else { throw MaildirError(errno: errno) }
            guard Self.isParentSynced(of: folder) else { throw MaildirError(errno: errno) }
        }
    }

    /// Syncs the folder that holds `folder`, unless this process may not read it: then another user
    /// made `folder`.
    private static func isParentSynced(of folder: String) -> Bool {
        var name = folder[...]
        while name.count > 1, name.last == "/" { name.removeLast() }
        return syncFolder(of: String(name)) || errno == EACCES
    }

    public func deliver(_ mail: QueuedMail) async -> MailOutcome {
        await queue.run { store(mail) }
    }

    private func store(_ mail: QueuedMail) -> MailOutcome {
        let name = Self.fileName(of: mail)
        do throws(MaildirError) {
            if try isRead(name) { return .accepted }
            let temporary = "\(path)/tmp/\(name)"
            try write(mail.message.filter { $0 != 0x0D }, to: temporary)
            let lasting = "\(path)/new/\(name)"
            guard rename(temporary, lasting) == 0, syncParent(lasting) else {
                throw MaildirError(errno: errno)
            }
            return .accepted
        } catch {
            return .tryLater(ReasonCode(utf8: Array("maildir.\(error.errno)".utf8)))
        }
    }

    /// The `Message-ID` with every character but letters and digits replaced by a hyphen.
    private static func fileName(of mail: QueuedMail) -> String {
        String(
            decoding: mail.messageID.utf8.prefix(200).map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    byte
                default: UInt8(ascii: "-")
                }
            },
            as: UTF8.self
        )
    }

    /// Whether `cur` holds the mail, with any flags.
    private func isRead(_ name: String) throws(MaildirError) -> Bool {
        guard let folder = opendir(path + "/cur") else { throw MaildirError(errno: errno) }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let isSame = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let found = bytes.prefix { $0 != 0 && $0 != UInt8(ascii: ":") }
                return found.elementsEqual(name.utf8)
            }
            if isSame { return true }
        }
        return false
    }

    /// Makes the file. A file or link of this name is not written through: an attempt that died may
    /// have left it, or another user of the folder.
    private func write(_ bytes: [UInt8], to file: String) throws(MaildirError) {
        guard unlink(file) == 0 || errno == ENOENT else { throw MaildirError(errno: errno) }
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw MaildirError(errno: errno) }
        defer { close(descriptor) }
        guard writeFully(bytes, to: descriptor), sync(descriptor) else {
            throw MaildirError(errno: errno)
        }
    }
}

/// A Maildir's folder or file could not be used.
public struct MaildirError: Error, Hashable, Sendable {
    /// The system's error number.
    public let errno: Int32
}
