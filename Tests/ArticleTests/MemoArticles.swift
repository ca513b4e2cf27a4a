import Foundation
import MemoCourier
import MemoKit
import MemoTexts
import Outbox
import TemporaryFolders
import Testing

// docs/libraries.md

private func send(_ text: String, as account: Account) async throws {
    let box = try MemoBox(folder: DataFolder(path: "memos"), keys: .file)
    try box.setAccount(account)
    Task { for await state in box.outboxStates() { print("\(state.queued) to send") } }
    let id = try box.send(text)
    let courier = Courier(box: box)
    try await courier.deliver()
    await courier.readNews()
    if let memo = try box.historyEntry(id) { print(memo.status) }
}

private func signIn(_ address: String, at relay: String, with box: MemoBox) async throws {
    let signIn = SignIn(box: box, client: RelayClient()) {
        _ = Task { try await Courier(box: box).deliver() }
    }
    try await signIn.signIn(address, at: RelayLocation(relay), in: .english) { _ in readLine() }
}
