/// The events of doors that the app's own process has. Intents run there, and know nothing of the app's
/// screens.
///
/// An event that comes before the app observes waits for it: an intent may be what the process was launched
/// for. In an extension nobody observes, and nothing follows.
@MainActor
public final class DoorEvents {
    /// What a door asks of the app.
    public enum Event: Hashable, Sendable {
        /// A person wants to type: shows the field.
        case typingAsked
        /// A memo was stored beside the app's own box.
        case memoStored
    }

    /// The events of this process.
    public static let ofProcess = DoorEvents()

    /// The events that wait, each once: a second one asks for nothing more.
    private var waiting: [Event] = []
    private var observer: ((Event) -> Void)?

    /// Makes events that nobody observes yet.
    public init() {}

    /// Tells the app of an event, at once or as soon as it observes.
    public func post(_ event: Event) {
        if let observer {
            observer(event)
        } else if !waiting.contains(event) {
            waiting.append(event)
        }
    }

    /// Observes the events from now on, in place of an earlier observer, and those that wait.
    ///
    /// - Parameter observer: Called for each event.
    public func observe(_ observer: @escaping @MainActor (Event) -> Void) {
        self.observer = observer
        let events = waiting
        waiting = []
        for event in events { observer(event) }
    }
}
