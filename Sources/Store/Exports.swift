// Who imports Store has the tables and changes too: half of the store's own interface is made of them.
@_exported public import StoreCore
