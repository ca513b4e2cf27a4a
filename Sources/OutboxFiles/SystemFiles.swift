import LibC

/// The operating system's files.
package struct SystemFiles: FileSystem {
    package init() {}

    package func makeFolder(_ path: String) throws(FileError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .latest }
    }

    package func open(_ path: String, for access: FileAccess) throws(FileError) -> OpenFile {
        let flags: Int32
        switch access {
        case .new: flags = O_WRONLY | O_CREAT | O_EXCL
        case .shared: flags = O_RDWR | O_CREAT | O_NOFOLLOW
        // A pipe of this name must not make a reader wait.
        case .reading: flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
        case .folder: flags = O_RDONLY | O_DIRECTORY
        }
        return OpenFile(number: try checked(systemOpen(path, flags | O_CLOEXEC, 0o600)))
    }

    package func close(_ file: OpenFile) {
        systemClose(file.number)
    }

    package func length(of file: OpenFile) throws(FileError) -> Int {
        Int(try status(of: file).st_size)
    }

    package func read(_ file: OpenFile, at offset: Int, count: Int) throws(FileError) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            result = pread(file.number, buffer.baseAddress, count, off_t(offset))
            initializedCount = max(result, 0)
        }
        guard result >= 0 else { throw .latest }
        return bytes
    }

    package func write(
        _ bytes: ArraySlice<UInt8>,
        to file: OpenFile,
        at offset: Int
    ) throws(FileError) -> Int {
        let result = bytes.withUnsafeBytes {
            pwrite(file.number, $0.baseAddress, $0.count, off_t(offset))
        }
        guard result >= 0 else { throw .latest }
        guard result > 0 || bytes.isEmpty else { throw FileError(code: EIO) }
        return result
    }

    /// On Apple systems `fsync` leaves the bytes in the drive's cache
    /// ([fsync(2)](https://developer.apple.com/library/archive/documentation/System/Conceptual/ManPages_iPhoneOS/man2/fsync.2.html));
    /// `F_FULLFSYNC` does not. A file system without `F_FULLFSYNC` has only `fsync`.
    package func sync(_ file: OpenFile) throws(FileError) {
        #if canImport(Darwin)
            if fcntl(file.number, F_FULLFSYNC) == 0 { return }
            guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else { throw .latest }
        #endif
        try checked(fsync(file.number))
    }

    package var syncsTogether: Bool { true }

    package func tryLock(_ file: OpenFile) throws(FileError) -> Bool {
        if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw .latest
    }

    package func unlock(_ file: OpenFile) {
        flock(file.number, LOCK_UN)
    }

    package func isNamed(_ file: OpenFile) throws(FileError) -> Bool {
        try status(of: file).st_nlink > 0
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try checked(systemRename(path, newPath))
    }

    package func remove(_ path: String) throws(FileError) {
        try checked(unlink(path))
    }

    package func exists(_ path: String) throws(FileError) -> Bool {
        if access(path, F_OK) == 0 { return true }
        if errno == ENOENT { return false }
        throw .latest
    }

    package func randomWord() -> UInt64 { .random(in: 0 ... .max) }

    package func names(in folder: String) throws(FileError) -> [[UInt8]] {
        guard let stream = opendir(folder) else { throw .latest }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno == 0 { return names }
                throw .latest
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.prefix { $0 != 0 })
            }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
    }

    private func status(of file: OpenFile) throws(FileError) -> stat {
        var status = stat()
        try checked(fstat(file.number, &status))
        return status
    }

    @discardableResult
    private func checked(_ result: Int32) throws(FileError) -> Int32 {
        guard result >= 0 else { throw .latest }
        return result
    }
}

extension FileError {
    fileprivate static var latest: FileError { FileError(code: errno) }
}

// The methods above have the names of the system's functions.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, flags, mode)
}

private func systemClose(_ number: Int32) { _ = close(number) }

private func systemRename(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }
