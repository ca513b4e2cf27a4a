// The types of Darwin that the sources use. Swift does not let a module have a type and a function of one
// name, such as `stat`, unless it comes from C: so the types are in a module of their own.

public typealias mode_t = UInt16
public typealias nlink_t = UInt16
public typealias uid_t = UInt32
public typealias off_t = Int64
public typealias time_t = Int
public typealias pid_t = Int32
public typealias useconds_t = UInt32
public typealias nfds_t = UInt32
public typealias rlim_t = UInt64
public typealias sigset_t = UInt32
public typealias socklen_t = UInt32
public typealias tcflag_t = UInt
public typealias fsblkcnt_t = UInt32
public typealias pthread_key_t = UInt
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public typealias pthread_attr_t = _opaque_pthread_attr_t
public typealias sig_t = @convention(c) (Int32) -> Void
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer

public struct clockid_t: Equatable, RawRepresentable, Sendable {
    public var rawValue: UInt32
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public struct _opaque_pthread_t {
    init() {}
}

public struct _opaque_pthread_attr_t {
    init() {}
}

public struct timespec: Sendable {
    public var tv_sec: time_t = 0
    public var tv_nsec: Int = 0
    public init() {}
    public init(tv_sec: time_t, tv_nsec: Int) {}
}

public struct stat: Sendable {
    public var st_mode: mode_t = 0
    public var st_nlink: nlink_t = 0
    public var st_uid: uid_t = 0
    public var st_size: off_t = 0
    public init() {}
}

public struct statvfs: Sendable {
    public var f_frsize: UInt = 0
    public var f_blocks: fsblkcnt_t = 0
    public var f_bavail: fsblkcnt_t = 0
    public init() {}
}

public struct flock: Sendable {
    public var l_start: off_t = 0
    public var l_len: off_t = 0
    public var l_type: Int16 = 0
    public var l_whence: Int16 = 0
    public init() {}
}

public struct pollfd: Sendable {
    public var fd: Int32 = 0
    public var events: Int16 = 0
    public var revents: Int16 = 0
    public init() {}
    public init(fd: Int32, events: Int16, revents: Int16) {}
}

public struct termios: Sendable {
    public var c_lflag: tcflag_t = 0
    public init() {}
}

public struct rlimit: Sendable {
    public var rlim_cur: rlim_t = 0
    public var rlim_max: rlim_t = 0
    public init() {}
}

public struct winsize: Sendable {
    public var ws_col: UInt16 = 0
    public init() {}
}

public struct tm: Sendable {
    public var tm_sec: Int32 = 0
    public var tm_min: Int32 = 0
    public var tm_hour: Int32 = 0
    public var tm_mday: Int32 = 0
    public var tm_mon: Int32 = 0
    public var tm_year: Int32 = 0
    public init() {}
}

public struct __sigaction_u {
    public var __sa_handler: (@convention(c) (Int32) -> Void)! = nil
    public init() {}
}

public struct sigaction {
    public var __sigaction_u: __sigaction_u = .init()
    public var sa_flags: Int32 = 0
    public init() {}
}

public struct in_addr: Sendable {
    public init() {}
}

public struct in6_addr: Sendable {
    public init() {}
}

public struct passwd {
    public var pw_name: UnsafeMutablePointer<CChar>! = nil
    public init() {}
}

public struct DIR {}

public struct __sFILE {}
public typealias FILE = __sFILE

func declared() -> Never { fatalError("a stand-in has only declarations") }
