/// The kind of an ``Event``. The numbers stand only here, as those of ``Command``.
package enum EventKind: UInt32, CaseIterable {
    case started = 1
    case answered
    case clicked
    case typed
    case chosen
    case pressed
    case timerFired
    case networkChanged
    case visibilityChanged
    case rung
    case navigated
    case synced
    case shared
    case updateReady
    case closed
    case updated
    case resendAsked
}
