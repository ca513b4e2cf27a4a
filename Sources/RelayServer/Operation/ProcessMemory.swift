import CMalloc
import LibC

/// The memory that this process keeps after it has freed it.
enum ProcessMemory {
    /// Bounds that memory.
    ///
    /// A body, a mail and a sealed payload are buffers of megabytes. glibc takes the first of them from
    /// the system and gives them back; then it raises the threshold for that, and cuts further ones
    /// from heaps that keep their greatest size, one heap for each of many threads
    /// ([mallopt(3)](https://man7.org/linux/man-pages/man3/mallopt.3.html)). A fixed threshold and a
    /// heap for each processor halve what a flood of long memos leaves.
    ///
    /// Called before there are many threads. Does nothing where the C library is another one.
    static func bound() {
        #if canImport(Glibc)
            _ = mallopt(M_MMAP_THRESHOLD, 128 * 1024)
            _ = mallopt(M_ARENA_MAX, Int32(clamping: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        #endif
    }
}
