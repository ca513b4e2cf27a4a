#if canImport(Darwin)

    import Foundation
    import MemoCore
    import Synchronization

    /// HTTP by URLSession, on Apple systems.
    ///
    /// Elsewhere ``CurlTransport`` does this: FoundationNetworking's URLSession ends the process when a
    /// server hangs up within the status line.
    final class URLSessionTransport: Sendable {
        private let session: URLSession
        private let exchanges: Exchanges
        private let limits: RelayClient.Limits

        init(limits: RelayClient.Limits) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.httpCookieAcceptPolicy = .never
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.urlCredentialStorage = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            // URLSession has this limit for all its tasks; each exchange has a timer of its own.
            let longest = limits.total(for: RelayLimits.memoBodyLength)
            configuration.timeoutIntervalForResource = longest / .seconds(1)
            self.limits = limits
            exchanges = Exchanges(answerLength: limits.answerLength)
            session = URLSession(
                configuration: configuration,
                delegate: exchanges,
                delegateQueue: nil
            )
        }

        deinit {
            session.invalidateAndCancel()
        }

        func perform(_ request: PreparedRequest) async -> Result<RelayAnswer, RelayFailure> {
            guard let url = URL(string: request.url) else { return .failure(.unreachable) }
            var prepared = URLRequest(url: url)
            prepared.httpMethod = request.method
            prepared.timeoutInterval = limits.idle(for: request.body.count) / .seconds(1)
            for field in request.fields {
                prepared.setValue(field.value, forHTTPHeaderField: field.name)
            }
            if !request.body.isEmpty { prepared.httpBody = Data(request.body) }
            let task = session.dataTask(with: prepared)
            let exchanges = exchanges
            let total = limits.total(for: request.body.count)
            let timer = Task {
                try await Task.sleep(for: total)
                exchanges.end(task, .failure(.timedOut))
            }
            defer { timer.cancel() }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    exchanges.begin(task) { continuation.resume(returning: $0) }
                    if Task.isCancelled {
                        exchanges.end(task, .failure(.cancelled))
                    } else {
                        task.resume()
                    }
                }
            } onCancel: {
                exchanges.end(task, .failure(.cancelled))
            }
        }
    }

    /// The exchanges under way in one URL session. Each ends exactly once: with its answer, a failure,
    /// a cancellation or a time limit, whichever is first.
    private final class Exchanges: NSObject, URLSessionDataDelegate {
        private struct Exchange {
            var answer = RelayAnswer(status: 0)
            let completion: @Sendable (Result<RelayAnswer, RelayFailure>) -> Void
        }

        private let answerLength: Int
        private let running = Mutex<[Int: Exchange]>([:])

        init(answerLength: Int) {
            self.answerLength = answerLength
        }

        func begin(
            _ task: URLSessionTask,
            completion: @escaping @Sendable (Result<RelayAnswer, RelayFailure>) -> Void
        ) {
            running.withLock { $0[task.taskIdentifier] = Exchange(completion: completion) }
        }

        /// Ends an exchange early. One that has ended already is left alone.
        func end(_ task: URLSessionTask, _ result: Result<RelayAnswer, RelayFailure>) {
            guard let exchange = take(task) else { return }
            task.cancel()
            exchange.completion(result)
        }

        private func take(_ task: URLSessionTask) -> Exchange? {
            running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
            end(task, .success(RelayAnswer(status: response.statusCode)))
        }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            completionHandler(.allow)
            guard let response = response as? HTTPURLResponse else { return }
            running.withLock { $0[dataTask.taskIdentifier]?.answer = RelayAnswer(response) }
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
        {
            let isTooLong = running.withLock { running in
                running[dataTask.taskIdentifier]?.answer.body.append(contentsOf: data)
                return running[dataTask.taskIdentifier].map { $0.answer.body.count > answerLength }
            }
            if isTooLong == true { end(dataTask, .failure(.answerTooLong)) }
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didCompleteWithError error: (any Error)?
        ) {
            guard let exchange = take(task) else { return }
            if let error {
                exchange.completion(.failure(RelayFailure(error)))
            } else if exchange.answer.status == 0 {
                exchange.completion(.failure(.connectionLost))
            } else {
                exchange.completion(.success(exchange.answer))
            }
        }
    }

    extension RelayAnswer {
        fileprivate init(_ response: HTTPURLResponse) {
            self.init(status: response.statusCode) { response.value(forHTTPHeaderField: $0) }
        }
    }

    extension RelayFailure {
        /// - Note: The error's text names the URL and is not kept.
        fileprivate init(_ error: any Error) {
            guard let error = error as? URLError else {
                self = .connectionLost
                return
            }
            switch error.code {
            case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .notConnectedToInternet,
                .internationalRoamingOff, .dataNotAllowed, .callIsActive:
                self = .unreachable
            case .timedOut:
                self = .timedOut
            case .cancelled:
                self = .cancelled
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
                .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot:
                self = .untrusted
            default:
                self = .connectionLost
            }
        }
    }

#endif
