/// A command of the module to the host. `Host` writes the arguments of each command, `WordFiles`
/// names them, and `Web/host/commands.js` reads them.
///
/// The numbers stand only here: the build puts them into the host script and compares the table in
/// Web/README.md with them.
package enum Command: UInt8, CaseIterable {
    /// Makes all commands of an event visible in one transition. Must be the event's first command.
    case beginTransition = 1

    // The page.
    case setNames
    case setText
    case setWords
    case setValue
    case setAttribute
    case removeAttribute
    case setTime
    case setClass
    case setChecked
    case addRow
    case remove
    case focus
    case readValue
    case setOpen
    case loadWords
    case navigate
    case openPage
    case readDay
    case readCharacterEnds
    case copy

    // What is stored.
    case openDatabase
    case perform
    case performThenTake
    case makeKey
    case seal
    case open
    case persist

    // The network, other pages and the browser.
    case exchange
    case setTimer
    case takeLock
    case freeLock
    case ring
    case registerSync
    case registerWorker
    case activateUpdate
    case finish
    case reload
    case notify
    case askToNotify
}
