// What the sources use of MachO, the module of the dynamic loader's interface. Declarations only.

@discardableResult
public func _NSGetExecutablePath(
    _: UnsafeMutablePointer<CChar>!,
    _: UnsafeMutablePointer<UInt32>!
) -> Int32 { fatalError("a stand-in has only declarations") }
