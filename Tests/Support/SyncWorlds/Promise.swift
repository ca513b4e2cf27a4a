/// A promise that a checker looks for.
package enum Promise: String, CaseIterable, Hashable, Sendable {
    /// A device that has written shows what it wrote, or something later.
    case readYourWrites
    /// A device never shows an older row than it has shown.
    case monotonicReads
    /// The changes of a device to one record are applied in their order.
    case monotonicWrites
    /// A change is applied after every row that its person had seen of the record.
    case writesFollowReads
    /// A row on a device is a row that the server had, whole.
    case atomicVisibility
    /// An edit is applied, or its loss is told, or a person gave it up.
    case nothingLost
    /// A change is applied once, and a creation makes one record.
    case nothingDoubled
    /// A refusal is told, and its entry stays.
    case refusalTold
    /// A policy loses only the edits that it may lose.
    case policyKept
    /// Stamps of one node keep their order at the server, and none is far in its future.
    case stampsOrdered
    /// A device shows the rows with the pending changes over them, each with the right word.
    case overlayHonest
    /// A device stores all that it knows.
    case storedWhole
    /// At most one change of a record is under way.
    case laneFenced
    /// A request under way has a message, or an end, to come.
    case nothingWedged
    /// In the end no change waits, and all devices show what the server has.
    case converges
    /// Another pull at the end moves nothing.
    case quietPull
}

/// A broken promise.
package struct Violation: Hashable, Sendable {
    /// The promise.
    package let promise: Promise
    /// The details.
    package let text: String
}
