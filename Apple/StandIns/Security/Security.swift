// What the sources use of Security. Declarations only.

@_exported public import CoreFoundation

public typealias OSStatus = Int32

@discardableResult
public func SecItemAdd(
    _ attributes: CFDictionary,
    _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus { declared() }
@discardableResult
public func SecItemCopyMatching(
    _ query: CFDictionary,
    _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus { declared() }
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { declared() }
@discardableResult
public func SecItemUpdate(
    _ query: CFDictionary,
    _ attributesToUpdate: CFDictionary
) -> OSStatus { declared() }

public let kSecAttrAccessGroup: CFString = declared()
public let kSecAttrAccessible: CFString = declared()
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = declared()
public let kSecAttrAccount: CFString = declared()
public let kSecAttrService: CFString = declared()
public let kSecClass: CFString = declared()
public let kSecClassGenericPassword: CFString = declared()
public let kSecMatchLimit: CFString = declared()
public let kSecMatchLimitOne: CFString = declared()
public let kSecReturnData: CFString = declared()
public let kSecUseDataProtectionKeychain: CFString = declared()
public let kSecValueData: CFString = declared()

public var errSecAuthFailed: OSStatus { declared() }
public var errSecDuplicateItem: OSStatus { declared() }
public var errSecInteractionNotAllowed: OSStatus { declared() }
public var errSecInteractionRequired: OSStatus { declared() }
public var errSecItemNotFound: OSStatus { declared() }
public var errSecMissingEntitlement: OSStatus { declared() }
public var errSecNoSuchKeychain: OSStatus { declared() }
public var errSecNotAvailable: OSStatus { declared() }
public var errSecSuccess: OSStatus { declared() }
public var errSecUserCanceled: OSStatus { declared() }

func declared<Value>() -> Value { fatalError("a stand-in has only declarations") }
