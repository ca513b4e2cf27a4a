/// What a source has to tell, on its way to a handler: an object, so that an inbox passes it on
/// without knowing its type, and no code that is not specialised runs for a delivery.
///
/// It is made and opened by code that the caller's module specialises.
@usableFromInline typealias News = AnyObject & Sendable

/// News that is no object by itself.
@usableFromInline
final class Parcel<Content: Sendable>: Sendable {
    @usableFromInline let content: Content

    @inlinable
    init(_ content: Content) {
        self.content = content
    }

    /// - Precondition: `news` is a parcel with such a content.
    @inlinable
    static func open(_ news: any News) -> Content {
        unsafeDowncast(news, to: Parcel.self).content
    }
}

/// Where a store or a `Derived` puts what it has to tell, in order and under its own lock.
@usableFromInline
protocol Sink: AnyObject, Sendable {
    /// Keeps the news and leaves the rest for the thread to do after the lock.
    func receive(_ news: any News, on thread: CurrentThread)
}
