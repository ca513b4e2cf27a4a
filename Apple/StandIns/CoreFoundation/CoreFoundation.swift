// What the sources use of CoreFoundation. Apple's compiler bridges a Swift dictionary to
// `CFDictionary` and a string to `CFString`; here the types are the bridged ones.

public typealias CFTypeRef = AnyObject
public typealias CFString = String
public typealias CFDictionary = [CFString: Any]
