import ArgumentParser
import LibC
import MailDomain
import RelayRules
import RelayServer

/// `memo-relay dkim-key`: keys that sign the relay's mails, and the DNS records for them.
struct DKIMKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dkim-key",
        abstract: "Make keys that sign mails (DKIM), or show the DNS records of those there are.",
        discussion: """
            Makes KEYFILE, which only its owner may read, with one key for RSA (2048 bits) and one \
            for Ed25519, and prints the DNS records of the public keys as a zone file has them. Of a \
            KEYFILE that exists the records are printed, and nothing is changed. Publish the \
            records, then start the relay with --dkim KEYFILE --dkim-selector SELECTOR.

            For new keys take another selector and another file. Leave the old records published for \
            six days: mails wait up to five with the signatures that they were given.

            Exit codes: 0; 1 if the file cannot be made or used; 64 for a mistake in the options.
            """
    )

    @Option(help: "The domain of the relay's --from address.")
    var domain: String

    @Option(help: "The name of the records: letters, digits and hyphens, at most 50.")
    var selector: String

    @Argument(help: "The file of the keys.")
    var keyfile: String

    func validate() throws {
        guard DKIMSelector(selector) != nil else {
            throw ValidationError("--selector takes letters, digits and hyphens between them.")
        }
        guard MailAddress("memo@\(domain)") != nil else {
            throw ValidationError("--domain must be a domain such as example.org.")
        }
    }

    func run() throws {
        guard let selector = DKIMSelector(selector) else { throw ExitCode(64) }
        let keys = try keys()
        for record in keys.records(domain: domain, selector: selector) {
            print(RecordText.line(record.name, txt: record.value))
        }
    }

    /// The keys of the file, which is made where it is missing.
    private func keys() throws -> DKIMKeys {
        let descriptor = open(keyfile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else {
                throw complain("\(keyfile) cannot be made (error \(errno)). Nothing was changed.")
            }
            do throws(DKIMKeysError) {
                return try DKIMKeys(path: keyfile)
            } catch {
                throw complain(error.sentence(of: keyfile))
            }
        }
        defer { close(descriptor) }
        do {
            let keys = try DKIMKeys.made()
            let bytes = Array(keys.pem.utf8)
            guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0
            else { throw complain("\(keyfile) cannot be written (error \(errno)). It is removed.") }
            return keys
        } catch {
            unlink(keyfile)
            throw error
        }
    }
}

extension DKIMKeysError {
    /// The error as an operator reads it, and a remedy.
    func sentence(of path: String) -> String {
        switch self {
        case .unreadable(let code):
            "the key file \(path) cannot be read (error \(code)). Nothing was changed."
        case .openToOthers:
            "others than its owner may read the key file \(path). Run: chmod 600 \(path)"
        case .malformed:
            "the key file \(path) has no private key of RSA or Ed25519 in PEM, or two of one kind. "
                + "\"memo-relay dkim-key\" makes one."
        case .size(let bits):
            "the RSA key in \(path) has \(bits) bits: 1024 to 4096 can be used, 2048 is usual."
        }
    }
}
