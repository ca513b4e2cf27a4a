import LibC

/// Lets the system give the processors to the threads of this process that have not stepped back first: of
/// two threads that both have work, the one that has stepped back by three gets a third, and by ten a tenth.
///
/// Of the calling thread alone
/// ([setpriority(2)](https://man7.org/linux/man-pages/man2/setpriority.2.html), "C library/kernel
/// differences"). Where the system forbids it, and on Darwin, the thread stays one like the others.
func stepBack(by steps: CInt) {
    #if canImport(Glibc)
        let ofOne = CInt(PRIO_PROCESS.rawValue)
    #elseif canImport(Musl)
        let ofOne = PRIO_PROCESS
    #endif
    #if !canImport(Darwin)
        _ = setpriority(ofOne, 0, getpriority(ofOne, 0) + steps)
    #endif
}
