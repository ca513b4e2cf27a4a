#if os(Linux)
    import Foundation
    import TemporaryFolders
    import Testing

    @testable import Connectivity
    import ConnectivityCore

    @Suite("What sysfs tells of an interface")
    struct InterfaceFilesTests {
        struct Kind: CustomTestStringConvertible, Sendable {
            var name: String
            var hardware: Int
            var uevent = ""
            var more: [String] = []
            var expected: ConnectionType

            var testDescription: String { name }
        }

        @Test(
            "wifi, cellular and ethernet are told apart, tunnels are unknown",
            arguments: [
                Kind(name: "wlan0", hardware: 1, uevent: "DEVTYPE=wlan\n", expected: .wifi),
                Kind(name: "wlx0", hardware: 1, more: ["phy80211"], expected: .wifi),
                Kind(name: "ath0", hardware: 1, more: ["wireless"], expected: .wifi),
                Kind(name: "wwan0", hardware: 1, uevent: "DEVTYPE=wwan\n", expected: .cellular),
                Kind(name: "rmnet0", hardware: 519, expected: .cellular),
                Kind(name: "eth0", hardware: 1, expected: .ethernet),
                Kind(name: "br0", hardware: 1, uevent: "DEVTYPE=bridge\n", expected: .ethernet),
                Kind(name: "tap0", hardware: 1, more: ["tun_flags"], expected: .unknown),
                Kind(name: "wg0", hardware: 65534, expected: .unknown),
                Kind(name: "bnep0", hardware: 1, uevent: "DEVTYPE=bluetooth\n", expected: .unknown),
            ]
        )
        func kinds(_ kind: Kind) throws {
            let folder = try TemporaryFolder()
            let interface = URL(filePath: folder.file(kind.name))
            try FileManager.default.createDirectory(
                at: interface,
                withIntermediateDirectories: true
            )
            for (file, text) in [
                ("ifindex", "3\n"), ("type", "\(kind.hardware)\n"),
                ("uevent", "\(kind.uevent)INTERFACE=\(kind.name)\nIFINDEX=3\n"),
            ] {
                try Data(text.utf8).write(to: interface.appending(path: file))
            }
            for file in kind.more { try Data().write(to: interface.appending(path: file)) }
            let files = InterfaceFiles(folder: folder.path)
            #expect(files.connectionType(name: kind.name, index: 3) == kind.expected)
            // Another namespace's interface of the same name.
            #expect(files.connectionType(name: kind.name, index: 4) == .unknown)
        }

        @Test("a name that is no name of an interface leads to no file")
        func names() throws {
            let folder = try TemporaryFolder()
            let longest = String(repeating: "a", count: 15)
            // Each leads to the files of an interface, if it is taken as a part of a path.
            let names = ["", ".", "..", "../net/eth0", "eth0/../eth0", longest + "a"]
            for name in names + ["eth0", longest] {
                let interface = URL(filePath: folder.file("net/" + name)).standardizedFileURL
                try FileManager.default.createDirectory(
                    at: interface,
                    withIntermediateDirectories: true
                )
                for (file, text) in [("ifindex", "3\n"), ("type", "1\n"), ("uevent", "")] {
                    try Data(text.utf8).write(to: interface.appending(path: file))
                }
            }
            let files = InterfaceFiles(folder: folder.file("net"))
            for name in ["eth0", longest] {
                #expect(files.connectionType(name: name, index: 3) == .ethernet)
            }
            for name in names {
                #expect(files.connectionType(name: name, index: 3) == .unknown, "\(name)")
            }
        }
    }
#endif
