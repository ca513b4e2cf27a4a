/// Ends the process, which libFuzzer keeps the input of, when the product and its model differ.
func agree<Value: Equatable>(_ what: StaticString, _ product: Value, _ model: Value) {
    guard product == model else {
        fatalError("\(what): the product has \(product), the model \(model)")
    }
}
