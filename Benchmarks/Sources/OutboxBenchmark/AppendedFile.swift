#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The limit: bytes appended to a file and made durable.
final class AppendedFile: Contender {
    private let descriptor: Int32

    struct Failure: Error {
        let code: Int32
    }

    init(path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw Failure(code: errno) }
    }

    deinit {
        close(descriptor)
    }

    func enqueue() throws {
        guard
            payload.withUnsafeBytes({ write(descriptor, $0.baseAddress, $0.count) })
                == payload.count
        else { throw Failure(code: errno) }
        #if canImport(Darwin)
            guard fcntl(descriptor, F_FULLFSYNC) == 0 else { throw Failure(code: errno) }
        #else
            guard fdatasync(descriptor) == 0 else { throw Failure(code: errno) }
        #endif
    }

    func fill(_ count: Int) throws {
        for _ in 0..<count { try enqueue() }
    }

    /// Nothing is ever read again.
    func drain(_: Int) {}
}
