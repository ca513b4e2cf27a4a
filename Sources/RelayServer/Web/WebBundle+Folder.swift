import Essentials

extension WebBundle {
    /// Reads the files of a folder and of the folders in it, without hidden files.
    ///
    /// - Throws: ``WebBundleError/unreadable``, or another error for a web app that cannot be
    ///   served.
    public init(folder: String) throws(WebBundleError) {
        try self.init(Self.contents(of: folder))
    }

    static func contents(of folder: String) throws(WebBundleError) -> [String: [UInt8]] {
        let files = FileManager.default
        var contents: [String: [UInt8]] = [:]
        var size = 0
        do {
            for path in try files.subpathsOfDirectory(atPath: folder) {
                guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else {
                    continue
                }
                let attributes = try files.attributesOfItem(atPath: folder + "/" + path)
                guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
                guard let data = files.contents(atPath: folder + "/" + path) else {
                    throw WebBundleError.unreadable
                }
                size += data.count
                guard size <= maximumSize, contents.count < maximumCount else {
                    throw WebBundleError.tooLarge
                }
                contents[path] = Array(data)
            }
        } catch let error as WebBundleError {
            throw error
        } catch {
            throw .unreadable
        }
        return contents
    }
}
