/// A fault that is made on purpose, so that a checker has something to find.
package enum Sabotage: String, CaseIterable, Sendable {
    /// A device takes an operation out of its queue before it is sent.
    case removalBeforeSending
    /// A device sends a memo under a new identifier each time.
    case newIdentifiers
    /// A device counts a server's wait as a failed attempt.
    case countedWaits
    /// A device takes the word of whoever answers in place of the relay.
    case believedStrangers
    /// A device enqueues without the memos' lanes.
    case noLanes
    /// A device does not heed that a lane is to wait for the person.
    case lanesNeverBlock
    /// A device puts what it should seal into the lane's name.
    case unsealedText
    /// A device's disk says that it has synced, and has not.
    case diskThatLiesAboutSyncs
    /// The relay forgets which memos it accepted.
    case forgetfulRelay
    /// The relay forgets, and names its mails differently after each start.
    case newMessageIDs
    /// The relay's queue is not drained any more.
    case relayThatStops
    /// A browser stores the steps of a transaction one after another.
    case tornTransactions
    /// Every page of a browser gets the lock of the drain.
    case sharedLocks
    /// A page empties its field before the memo is stored.
    case hastyField
    /// A browser's disk does not wait for the transactions that must be on it.
    case relaxedDisk
    /// A browser stores what it should seal.
    case clearRecords
    /// A page does not hear some of the relay's answers.
    case droppedAnswers
    /// A page takes an error for the confirmation of a change of the settings.
    case confirmingErrors
    /// A browser forgets what waits of a record when a newer row of it arrives.
    case pullsOverChanges
    /// A page does not hear that a device was signed out.
    case forgottenTombstones
    /// A device stamps its changes by its wall clock alone.
    case trustedWallClock
    /// The next page of a browser does not know what the relay has refused.
    case forgottenRefusals
}
