/// An update on its way from a source to a handler.
///
/// News is an object, so that an inbox passes it on without knowing its type: code that the
/// caller's module specialises makes and opens it, and no unspecialised generic code runs for a
/// delivery.
@usableFromInline typealias News = AnyObject & Sendable

/// Makes news of a value.
@usableFromInline
final class Parcel<Content: Sendable>: Sendable {
    @usableFromInline let content: Content

    @inlinable
    init(_ content: Content) {
        self.content = content
    }

    /// - Precondition: `news` is a parcel with content of this type.
    @inlinable
    static func open(_ news: any News) -> Content {
        unsafeDowncast(news, to: Parcel.self).content
    }
}

/// Receives the news of a store or a `Derived`, in order and under the lock of that source.
@usableFromInline
protocol Sink: AnyObject, Sendable {
    /// Keeps the news and leaves its delivery for the thread to do after the lock.
    func receive(_ news: any News, on thread: CurrentThread)
}
