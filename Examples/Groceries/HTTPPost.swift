import Foundation
import OfflineFirst

#if canImport(FoundationNetworking)
    import CLibcurl
    import Curl
    import Synchronization

    /// One request of HTTP by libcurl: FoundationNetworking's URLSession ends the process, or never answers,
    /// when a server is killed in the middle of an answer.
    final class HTTPPost: @unchecked Sendable {
        private static let threads = DispatchQueue(label: "groceries", attributes: .concurrent)
        private static let longestAnswer = 16 << 20

        private let url: URL
        private let body: Data
        private let isCancelled = Atomic(false)
        private var answer = Data()

        init(_ url: URL, _ body: Data) {
            self.url = url
            self.body = body
        }

        /// Sends the request. To be called once.
        ///
        /// - Throws: ``/OfflineFirst/SyncFailure/offline`` without a whole answer.
        func send() async throws -> (status: Int, body: Data) {
            let status = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    Self.threads.async { continuation.resume(returning: self.perform()) }
                }
            } onCancel: {
                isCancelled.store(true, ordering: .relaxed)
            }
            guard let status else { throw SyncFailure.offline }
            return (status, answer)
        }

        private func perform() -> Int? {
            guard let handle = CurlHandle() else { return nil }
            var transfer = CurlTransfer()
            transfer.texts = [(CURLOPT_URL, url.absoluteString), (CURLOPT_PROXY, "")]
            transfer.lists = [(CURLOPT_HTTPHEADER, ["Content-Type: application/json", "Expect:"])]
            transfer.body = Array(body)
            transfer.receive = { bytes in
                self.answer.append(contentsOf: bytes)
                return self.answer.count <= Self.longestAnswer
            }
            transfer.shouldStop = { self.isCancelled.load(ordering: .relaxed) }
            return handle.perform(transfer) == CURLE_OK ? handle.responseCode : nil
        }
    }
#else
    /// One request of HTTP by URLSession.
    struct HTTPPost: Sendable {
        private let request: URLRequest

        init(_ url: URL, _ body: Data) {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.httpBody = body
            self.request = request
        }

        /// Sends the request.
        ///
        /// - Throws: ``/OfflineFirst/SyncFailure/offline`` without a whole answer.
        func send() async throws -> (status: Int, body: Data) {
            do {
                let (data, response) = try await URLSession.shared.data(for: request)
                return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
            } catch is URLError {
                throw SyncFailure.offline
            }
        }
    }
#endif
