import HTTPTypes
import Hummingbird
import Logging
import Outbox
import RelayAPI

/// Turns every error into an answer that reveals nothing of the request.
struct ProblemMiddleware: RouterMiddleware {
    let metrics: RelayMetrics

    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let refusal = refusal(for: error, context)
            metrics.refused(refusal.problem.code)
            for limit in refusal.limits { metrics.limited(limit) }
            if !refusal.usages.isEmpty { context.limits.note(refusal.usages) }
            return try .problem(refusal)
        }
    }

    private func refusal(for error: any Error, _ context: RelayContext) -> Refusal {
        switch error {
        case let refusal as Refusal: return refusal
        case let error as HTTPError: return Self.refusal(for: error.status)
        case is CancellationError: return .unavailable
        case is StorageError, is KeyStoreError:
            log(error, context)
            return .unavailable
        default:
            log(error, context)
            return .internalError
        }
    }

    private static func refusal(for status: HTTPResponse.Status) -> Refusal {
        switch status {
        case .notFound: .notFound
        case .contentTooLarge: .tooLarge
        case .badRequest: .malformedRequest
        default: .internalError
        }
    }

    private func log(_ error: any Error, _ context: RelayContext) {
        context.logger.error(
            "request failed",
            metadata: [
                "endpoint": "\(context.endpointPath ?? "none")",
                "error": "\(String(reflecting: type(of: error)))",
            ]
        )
    }
}
