/// A step of a ``Transaction``. The numbers stand only here, as those of ``Command``.
package enum Step: UInt8, CaseIterable {
    case put
    case delete
    case setHead
    case get
    case find
    case count
    case clear
    case readKeys
    case require
}
