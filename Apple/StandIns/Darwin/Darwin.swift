// What the sources use of Darwin, declared as Swift imports it on Apple's systems. Declarations only:
// no function here does anything.

@_exported public import DarwinTypes

// Constants.
public var EACCES: Int32 { declared() }
public var EADDRINUSE: Int32 { declared() }
public var EAGAIN: Int32 { declared() }
public var EBADF: Int32 { declared() }
public var EBADMSG: Int32 { declared() }
public var ECANCELED: Int32 { declared() }
public var ECHO: Int32 { declared() }
public var ECONNRESET: Int32 { declared() }
public var EDQUOT: Int32 { declared() }
public var EEXIST: Int32 { declared() }
public var EILSEQ: Int32 { declared() }
public var EINTR: Int32 { declared() }
public var EINVAL: Int32 { declared() }
public var EIO: Int32 { declared() }
public var EISDIR: Int32 { declared() }
public var ELOOP: Int32 { declared() }
public var EMFILE: Int32 { declared() }
public var ENAMETOOLONG: Int32 { declared() }
public var ENFILE: Int32 { declared() }
public var ENOBUFS: Int32 { declared() }
public var ENODEV: Int32 { declared() }
public var ENOENT: Int32 { declared() }
public var ENOLCK: Int32 { declared() }
public var ENOMEM: Int32 { declared() }
public var ENOSPC: Int32 { declared() }
public var ENOSYS: Int32 { declared() }
public var ENOTDIR: Int32 { declared() }
public var ENOTEMPTY: Int32 { declared() }
public var ENOTSUP: Int32 { declared() }
public var ENOTTY: Int32 { declared() }
public var ENXIO: Int32 { declared() }
public var EOPNOTSUPP: Int32 { declared() }
public var EOVERFLOW: Int32 { declared() }
public var EPERM: Int32 { declared() }
public var EROFS: Int32 { declared() }
public var ESPIPE: Int32 { declared() }
public var ETIMEDOUT: Int32 { declared() }
public var EWOULDBLOCK: Int32 { declared() }
public var FD_CLOEXEC: Int32 { declared() }
public var F_FULLFSYNC: Int32 { declared() }
public var F_OK: Int32 { declared() }
public var F_SETFD: Int32 { declared() }
public var F_SETFL: Int32 { declared() }
public var F_SETLK: Int32 { declared() }
public var F_SETNOSIGPIPE: Int32 { declared() }
public var F_UNLCK: Int32 { declared() }
public var F_WRLCK: Int32 { declared() }
public var INET6_ADDRSTRLEN: Int32 { declared() }
public var LOCK_EX: Int32 { declared() }
public var LOCK_NB: Int32 { declared() }
public var LOCK_SH: Int32 { declared() }
public var LOCK_UN: Int32 { declared() }
public var O_APPEND: Int32 { declared() }
public var O_CLOEXEC: Int32 { declared() }
public var O_CREAT: Int32 { declared() }
public var O_DIRECTORY: Int32 { declared() }
public var O_EXCL: Int32 { declared() }
public var O_NOCTTY: Int32 { declared() }
public var O_NOFOLLOW: Int32 { declared() }
public var O_NONBLOCK: Int32 { declared() }
public var O_RDONLY: Int32 { declared() }
public var O_RDWR: Int32 { declared() }
public var O_TRUNC: Int32 { declared() }
public var O_WRONLY: Int32 { declared() }
public var PATH_MAX: Int32 { declared() }
public var POLLIN: Int32 { declared() }
public var POLLOUT: Int32 { declared() }
public var POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 { declared() }
public var POSIX_SPAWN_SETSID: Int32 { declared() }
public var POSIX_SPAWN_SETSIGMASK: Int32 { declared() }
public var RLIMIT_NOFILE: Int32 { declared() }
public var R_OK: Int32 { declared() }
public var SA_RESTART: Int32 { declared() }
public var SEEK_END: Int32 { declared() }
public var SEEK_SET: Int32 { declared() }
public var SIGCONT: Int32 { declared() }
public var SIGHUP: Int32 { declared() }
public var SIGINT: Int32 { declared() }
public var SIGKILL: Int32 { declared() }
public var SIGPIPE: Int32 { declared() }
public var SIGQUIT: Int32 { declared() }
public var SIGTERM: Int32 { declared() }
public var SIGTSTP: Int32 { declared() }
public var SIGWINCH: Int32 { declared() }
public var STDERR_FILENO: Int32 { declared() }
public var STDIN_FILENO: Int32 { declared() }
public var STDOUT_FILENO: Int32 { declared() }
public var WNOHANG: Int32 { declared() }
public var W_OK: Int32 { declared() }
public var X_OK: Int32 { declared() }
public var _SC_NPROCESSORS_ONLN: Int32 { declared() }
public var AF_INET: Int32 { declared() }
public var AF_INET6: Int32 { declared() }
public var AT_FDCWD: Int32 { declared() }
public var AT_SYMLINK_NOFOLLOW: Int32 { declared() }
public var S_IFDIR: mode_t { declared() }
public var S_IFIFO: mode_t { declared() }
public var S_IFLNK: mode_t { declared() }
public var S_IFMT: mode_t { declared() }
public var S_IFREG: mode_t { declared() }
public var S_IFSOCK: mode_t { declared() }
public var CLOCK_MONOTONIC: clockid_t { declared() }
public var CLOCK_MONOTONIC_RAW: clockid_t { declared() }
public var CLOCK_PROCESS_CPUTIME_ID: clockid_t { declared() }
public var CLOCK_REALTIME: clockid_t { declared() }
public var TCSAFLUSH: Int32 { declared() }
public var TIOCGWINSZ: UInt { declared() }
public var SIG_DFL: sig_t? { declared() }
public var SIG_IGN: sig_t { declared() }
public var errno: Int32 {
    get { declared() }
    set { declared() }
}
public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { declared() }

// Functions.
public func _exit(_: Int32) -> Never { declared() }
@discardableResult public func access(_: UnsafePointer<CChar>!, _: Int32) -> Int32 { declared() }
public func arc4random_buf(_: UnsafeMutableRawPointer!, _: Int) { declared() }
@discardableResult public func chdir(_: UnsafePointer<CChar>!) -> Int32 { declared() }
@discardableResult public func clock_gettime(
    _: clockid_t,
    _: UnsafeMutablePointer<timespec>!
) -> Int32 { declared() }
@discardableResult public func close(_: Int32) -> Int32 { declared() }
@discardableResult public func closedir(_: UnsafeMutablePointer<DIR>!) -> Int32 { declared() }
@discardableResult public func dup(_: Int32) -> Int32 { declared() }
@discardableResult public func execv(
    _: UnsafePointer<CChar>!,
    _: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { declared() }
public func exit(_: Int32) -> Never { declared() }
@discardableResult public func faccessat(
    _: Int32,
    _: UnsafePointer<CChar>!,
    _: Int32,
    _: Int32
) -> Int32 { declared() }
@discardableResult public func fchmod(_: Int32, _: mode_t) -> Int32 { declared() }
@discardableResult public func fcntl(_: Int32, _: Int32) -> Int32 { declared() }
@discardableResult public func fcntl(_: Int32, _: Int32, _: Int32) -> Int32 { declared() }
@discardableResult public func fcntl(
    _: Int32,
    _: Int32,
    _: UnsafeMutableRawPointer
) -> Int32 { declared() }
@discardableResult public func flock(_: Int32, _: Int32) -> Int32 { declared() }
public func free(_: UnsafeMutableRawPointer!) { declared() }
@discardableResult public func fstat(
    _: Int32,
    _: UnsafeMutablePointer<stat>!
) -> Int32 { declared() }
@discardableResult public func fsync(_: Int32) -> Int32 { declared() }
@discardableResult public func ftruncate(_: Int32, _: off_t) -> Int32 { declared() }
@discardableResult public func getcwd(
    _: UnsafeMutablePointer<CChar>!,
    _: Int
) -> UnsafeMutablePointer<CChar>! { declared() }
@discardableResult public func getenv(
    _: UnsafePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! { declared() }
@discardableResult public func geteuid() -> uid_t { declared() }
@discardableResult public func gethostname(
    _: UnsafeMutablePointer<CChar>!,
    _: Int
) -> Int32 { declared() }
@discardableResult public func getpid() -> pid_t { declared() }
@discardableResult public func getpwuid(_: uid_t) -> UnsafeMutablePointer<passwd>! { declared() }
@discardableResult public func getrlimit(
    _: Int32,
    _: UnsafeMutablePointer<rlimit>!
) -> Int32 { declared() }
@discardableResult public func getuid() -> uid_t { declared() }
@discardableResult public func gmtime_r(
    _: UnsafePointer<time_t>!,
    _: UnsafeMutablePointer<tm>!
) -> UnsafeMutablePointer<tm>! { declared() }
@discardableResult public func inet_ntop(
    _: Int32,
    _: UnsafeRawPointer!,
    _: UnsafeMutablePointer<CChar>!,
    _: socklen_t
) -> UnsafePointer<CChar>! { declared() }
@discardableResult public func inet_pton(
    _: Int32,
    _: UnsafePointer<CChar>!,
    _: UnsafeMutableRawPointer!
) -> Int32 { declared() }
@discardableResult public func ioctl(
    _: CInt,
    _: UInt,
    _: UnsafeMutableRawPointer
) -> CInt { declared() }
@discardableResult public func isatty(_: Int32) -> Int32 { declared() }
@discardableResult public func kill(_: pid_t, _: Int32) -> Int32 { declared() }
@discardableResult public func link(
    _: UnsafePointer<CChar>!,
    _: UnsafePointer<CChar>!
) -> Int32 { declared() }
@discardableResult public func localtime_r(
    _: UnsafePointer<time_t>!,
    _: UnsafeMutablePointer<tm>!
) -> UnsafeMutablePointer<tm>! { declared() }
@discardableResult public func lseek(_: Int32, _: off_t, _: Int32) -> off_t { declared() }
@discardableResult public func lstat(
    _: UnsafePointer<CChar>!,
    _: UnsafeMutablePointer<stat>!
) -> Int32 { declared() }
@discardableResult public func memcmp(
    _: UnsafeRawPointer!,
    _: UnsafeRawPointer!,
    _: Int
) -> Int32 { declared() }
@discardableResult public func mkdir(_: UnsafePointer<CChar>!, _: mode_t) -> Int32 { declared() }
@discardableResult public func mkdtemp(
    _: UnsafeMutablePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! { declared() }
@discardableResult public func mkfifo(_: UnsafePointer<CChar>!, _: mode_t) -> Int32 { declared() }
@discardableResult public func mkstemp(_: UnsafeMutablePointer<CChar>!) -> Int32 { declared() }
@discardableResult public func nanosleep(
    _: UnsafePointer<timespec>!,
    _: UnsafeMutablePointer<timespec>!
) -> Int32 { declared() }
@discardableResult public func open(_: UnsafePointer<CChar>, _: Int32) -> Int32 { declared() }
@discardableResult public func open(
    _: UnsafePointer<CChar>,
    _: Int32,
    _: mode_t
) -> Int32 { declared() }
@discardableResult public func opendir(
    _: UnsafePointer<CChar>!
) -> UnsafeMutablePointer<DIR>! { declared() }
@discardableResult public func pipe(_: UnsafeMutablePointer<Int32>!) -> Int32 { declared() }
@discardableResult public func poll(
    _: UnsafeMutablePointer<pollfd>!,
    _: nfds_t,
    _: Int32
) -> Int32 { declared() }
@discardableResult public func posix_spawn(
    _: UnsafeMutablePointer<pid_t>!,
    _: UnsafePointer<CChar>!,
    _: UnsafePointer<posix_spawn_file_actions_t?>!,
    _: UnsafePointer<posix_spawnattr_t?>!,
    _: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
    _: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { declared() }
@discardableResult public func posix_spawn_file_actions_adddup2(
    _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!,
    _: Int32,
    _: Int32
) -> Int32 { declared() }
@discardableResult public func posix_spawn_file_actions_addopen(
    _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!,
    _: Int32,
    _: UnsafePointer<CChar>!,
    _: Int32,
    _: mode_t
) -> Int32 { declared() }
@discardableResult public func posix_spawn_file_actions_destroy(
    _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!
) -> Int32 { declared() }
@discardableResult public func posix_spawn_file_actions_init(
    _: UnsafeMutablePointer<posix_spawn_file_actions_t?>!
) -> Int32 { declared() }
@discardableResult public func posix_spawnattr_destroy(
    _: UnsafeMutablePointer<posix_spawnattr_t?>!
) -> Int32 { declared() }
@discardableResult public func posix_spawnattr_init(
    _: UnsafeMutablePointer<posix_spawnattr_t?>!
) -> Int32 { declared() }
@discardableResult public func posix_spawnattr_setflags(
    _: UnsafeMutablePointer<posix_spawnattr_t?>!,
    _: Int16
) -> Int32 { declared() }
@discardableResult public func posix_spawnattr_setsigmask(
    _: UnsafeMutablePointer<posix_spawnattr_t?>!,
    _: UnsafePointer<sigset_t>!
) -> Int32 { declared() }
@discardableResult public func pread(
    _: Int32,
    _: UnsafeMutableRawPointer!,
    _: Int,
    _: off_t
) -> Int { declared() }
@discardableResult public func pthread_create(
    _: UnsafeMutablePointer<pthread_t?>,
    _: UnsafePointer<pthread_attr_t>?,
    _: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
    _: UnsafeMutableRawPointer?
) -> Int32 { declared() }
@discardableResult public func pthread_getspecific(
    _: pthread_key_t
) -> UnsafeMutableRawPointer? { declared() }
@discardableResult public func pthread_join(
    _: pthread_t,
    _: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 { declared() }
@discardableResult public func pthread_key_create(
    _: UnsafeMutablePointer<pthread_key_t>,
    _: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 { declared() }
@discardableResult public func pthread_setspecific(
    _: pthread_key_t,
    _: UnsafeRawPointer?
) -> Int32 { declared() }
@discardableResult public func pwrite(
    _: Int32,
    _: UnsafeRawPointer!,
    _: Int,
    _: off_t
) -> Int { declared() }
@discardableResult public func raise(_: Int32) -> Int32 { declared() }
@discardableResult public func read(
    _: Int32,
    _: UnsafeMutableRawPointer!,
    _: Int
) -> Int { declared() }
@discardableResult public func readdir(
    _: UnsafeMutablePointer<DIR>!
) -> UnsafeMutablePointer<dirent>! { declared() }
@discardableResult public func readlink(
    _: UnsafePointer<CChar>!,
    _: UnsafeMutablePointer<CChar>!,
    _: Int
) -> Int { declared() }
@discardableResult public func realpath(
    _: UnsafePointer<CChar>!,
    _: UnsafeMutablePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! { declared() }
@discardableResult public func rename(
    _: UnsafePointer<CChar>!,
    _: UnsafePointer<CChar>!
) -> Int32 { declared() }
@discardableResult public func rmdir(_: UnsafePointer<CChar>!) -> Int32 { declared() }
@discardableResult public func setenv(
    _: UnsafePointer<CChar>!,
    _: UnsafePointer<CChar>!,
    _: Int32
) -> Int32 { declared() }
@discardableResult public func setrlimit(
    _: Int32,
    _: UnsafePointer<rlimit>!
) -> Int32 { declared() }
@discardableResult public func sigaction(
    _: Int32,
    _: UnsafePointer<sigaction>!,
    _: UnsafeMutablePointer<sigaction>!
) -> Int32 { declared() }
@discardableResult public func sigemptyset(
    _: UnsafeMutablePointer<sigset_t>!
) -> Int32 { declared() }
@discardableResult public func signal(
    _: Int32,
    _: (@convention(c) (Int32) -> Void)!
) -> (@convention(c) (Int32) -> Void)! { declared() }
@discardableResult public func stat(
    _: UnsafePointer<CChar>!,
    _: UnsafeMutablePointer<stat>!
) -> Int32 { declared() }
@discardableResult public func statvfs(
    _: UnsafePointer<CChar>!,
    _: UnsafeMutablePointer<statvfs>!
) -> Int32 { declared() }
@discardableResult public func strdup(
    _: UnsafePointer<CChar>!
) -> UnsafeMutablePointer<CChar>! { declared() }
@discardableResult public func strerror(_: Int32) -> UnsafeMutablePointer<CChar>! { declared() }
@discardableResult public func symlink(
    _: UnsafePointer<CChar>!,
    _: UnsafePointer<CChar>!
) -> Int32 { declared() }
@discardableResult public func sysconf(_: Int32) -> Int { declared() }
@discardableResult public func tcgetattr(
    _: Int32,
    _: UnsafeMutablePointer<termios>!
) -> Int32 { declared() }
@discardableResult public func tcsetattr(
    _: Int32,
    _: Int32,
    _: UnsafePointer<termios>!
) -> Int32 { declared() }
@discardableResult public func timegm(_: UnsafeMutablePointer<tm>!) -> time_t { declared() }
@discardableResult public func unlink(_: UnsafePointer<CChar>!) -> Int32 { declared() }
@discardableResult public func usleep(_: useconds_t) -> Int32 { declared() }
@discardableResult public func waitpid(
    _: pid_t,
    _: UnsafeMutablePointer<Int32>!,
    _: Int32
) -> pid_t { declared() }
@discardableResult public func write(_: Int32, _: UnsafeRawPointer!, _: Int) -> Int { declared() }
@discardableResult public func fflush(_: UnsafeMutablePointer<FILE>!) -> Int32 { declared() }

func declared() -> Never { fatalError("a stand-in has only declarations") }
