import Store

/// A list without a screen: which rows there are, what each shows, and what follows a tap.
@MainActor
protocol ListModel: AnyObject {
    associatedtype RowID: Hashable & Sendable

    var screen: ListScreen { get }
    /// Whether a person can pull the list down, for ``refresh()``.
    var isRefreshable: Bool { get }
    /// The rows, in their order.
    func rows() -> Derived<[RowID]>
    /// What a row shows. A row that has gone shows nothing.
    func row(_ id: RowID) -> Derived<ListRow>
    /// The list is about to be shown.
    func begin()
    func refresh()
    func tapped(_ id: RowID)
    func switched(_ id: RowID, to isOn: Bool)
    func take(_ offer: ListOffer, of id: RowID)
}

extension ListModel {
    var isRefreshable: Bool { false }
    func begin() {}
    func refresh() {}
    func switched(_ id: RowID, to isOn: Bool) {}
    func take(_ offer: ListOffer, of id: RowID) {}
}
