import Foundation
import SyncCore

/// A shopping list that several people edit, with or without a server in reach.
@main struct Groceries {
    private static let usage = """
        usage: Groceries serve FOLDER [HOST PORT]
               Groceries FOLDER [URL [POLICY]]
        policies: serverWins, clientWins, newerWins, manual, merge
        """

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard let first = words.first else { return say(usage) }
        if first == "serve", words.count == 2 || words.count == 4 {
            let port = words.count == 4 ? Int(words[3]) : 8080
            guard let port else { return say(usage) }
            try await GroceryService(store: GroceryStore(folder: words[1]))
                .run(host: words.count == 4 ? words[2] : "127.0.0.1", port: port) { say("serving") }
            return
        }
        let policy = words.count > 2 ? GroceryRules.policies[words[2]] : .newerWins
        guard words.count <= 3, let policy,
            let url = URL(string: words.count > 1 ? words[1] : "http://127.0.0.1:8080")
        else { return say(usage) }
        try await edit(GroceryList(folder: first, server: url, policy: policy))
    }

    /// Obeys commands, one a line, until the input ends, and synchronises meanwhile.
    private static func edit(_ list: GroceryList) async throws {
        // Detached: the loop below keeps the main actor busy.
        let synchronising = Task.detached { try await list.synchronise() }
        say("add NAME | count N NAME | remove NAME | show | again | drop | seen")
        while let line = readLine() {
            do {
                say(try obey(line.split(separator: " "), list))
            } catch {
                say("nothing was changed: \(error)")
            }
        }
        synchronising.cancel()
        try await synchronising.value
    }

    private static func obey(_ words: [Substring], _ list: GroceryList) throws -> String {
        let name = words.dropFirst().joined(separator: " ")
        switch (words.first, words.count) {
        case ("add", 2...): try list.add(name)
        case ("count", 3...):
            guard let count = Int(words[1]), count >= 0 else { return "The count is a number." }
            let item = words.dropFirst(2).joined(separator: " ")
            guard try list.setCount(of: item, to: count) else { return "no such item" }
        case ("remove", 2...):
            guard try list.remove(name) else { return "no such item" }
        case ("again", 1): try list.tryAgain()
        case ("drop", 1): try list.discard()
        case ("seen", 1): try list.acknowledge()
        case ("show", 1): return try list.lines().joined(separator: "\n")
        default: return "add NAME | count N NAME | remove NAME | show | again | drop | seen"
        }
        return "stored"
    }

    /// Writes a line at once, also into a pipe.
    private static func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
