// What the sources use of Security, over a keychain in memory. A use that Apple's keychain answers in
// another way than the sources expect, or that only works in the foreground, ends the process with a
// sentence.

@_exported public import CoreFoundation
import FoundationEssentials
public import Synchronization

public typealias OSStatus = Int32

/// The device whose keychain the functions use. A test sets its state.
@_spi(Device) public struct Device: Sendable {
    /// An item of the keychain.
    fileprivate struct Item: Sendable {
        let name: Name
        var data: [UInt8]
    }

    /// The attributes of which no two items have the same.
    fileprivate struct Name: Hashable, Sendable {
        let service: String
        let account: String
        let accessGroup: String
    }

    /// Whether a person has unlocked the device since it started.
    public var isUnlockedOnce = true
    /// The access groups of the running program; an item without a group is in the first one. Without any
    /// group the program has no entitlement, and the keychain answers nothing else.
    public var accessGroups = ["app"]
    /// The answer to each call; `nil` for that of the keychain.
    public var refusal: OSStatus?
    fileprivate var items: [Item] = []

    public init() {}

    /// How many items the keychain has, in all groups.
    public var count: Int { items.count }

    /// The groups of the items, in the order in which the items were added.
    public var groupsOfItems: [String] { items.map(\.name.accessGroup) }
}

@_spi(Device) public let device = Mutex(Device())

/// A query or the attributes of an item, read.
private struct Attributes {
    let service: String
    let account: String
    let accessGroup: String?
    let data: [UInt8]?

    /// - Parameter keys: The keys that the call may have besides those that name an item.
    init(_ dictionary: CFDictionary, keys: Set<CFString>) {
        let naming: Set = [
            kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup,
            kSecUseDataProtectionKeychain,
        ]
        for key in dictionary.keys where !naming.contains(key) && !keys.contains(key) {
            fatalError("the stand-in of the keychain does not know \(key) in this call")
        }
        guard dictionary[kSecClass] as? String == kSecClassGenericPassword else {
            fatalError("the stand-in of the keychain has generic passwords only")
        }
        guard dictionary[kSecUseDataProtectionKeychain] as? Bool == true else {
            fatalError(
                "without kSecUseDataProtectionKeychain macOS takes the keychain file, which has no accessibility"
            )
        }
        guard let service = dictionary[kSecAttrService] as? String,
            let account = dictionary[kSecAttrAccount] as? String
        else { fatalError("an item without service and account is one with any other") }
        self.service = service
        self.account = account
        accessGroup = dictionary[kSecAttrAccessGroup] as? String
        data = dictionary[kSecValueData].map(Self.bytes)
    }

    static func bytes(_ value: Any) -> [UInt8] {
        guard let data = value as? Data else { fatalError("kSecValueData is no Data") }
        return Array(data)
    }
}

extension Device {
    /// Performs a call for which the keychain is open and the program has the group.
    fileprivate mutating func perform(
        _ attributes: Attributes,
        _ body: (inout Device, [Int]) -> OSStatus
    ) -> OSStatus {
        if let refusal { return refusal }
        if accessGroups.isEmpty { return errSecMissingEntitlement }
        if let group = attributes.accessGroup, !accessGroups.contains(group) {
            return errSecMissingEntitlement
        }
        let found = items.indices.filter { index in
            let name = items[index].name
            return name.service == attributes.service && name.account == attributes.account
                && accessGroups.contains(name.accessGroup)
                && attributes.accessGroup.map { $0 == name.accessGroup } ?? true
        }
        return body(&self, found)
    }
}

@discardableResult
public func SecItemAdd(
    _ attributes: CFDictionary,
    _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    let item = Attributes(attributes, keys: [kSecAttrAccessible, kSecValueData])
    guard
        attributes[kSecAttrAccessible] as? String
            == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
    else { fatalError("an item without this accessibility cannot be read in the background") }
    guard let data = item.data else { fatalError("an item without kSecValueData") }
    return device.withLock { device in
        device.perform(item) { device, _ in
            let name = Device.Name(
                service: item.service,
                account: item.account,
                accessGroup: item.accessGroup ?? device.accessGroups[0]
            )
            if device.items.contains(where: { $0.name == name }) { return errSecDuplicateItem }
            guard device.isUnlockedOnce else { return errSecInteractionNotAllowed }
            device.items.append(Device.Item(name: name, data: data))
            return errSecSuccess
        }
    }
}

@discardableResult
public func SecItemCopyMatching(
    _ query: CFDictionary,
    _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    let item = Attributes(query, keys: [kSecReturnData, kSecMatchLimit])
    guard query[kSecReturnData] as? Bool == true,
        query[kSecMatchLimit] as? String == kSecMatchLimitOne, let result
    else { fatalError("the stand-in of the keychain gives the data of one item") }
    let (status, data) = device.withLock { device -> (OSStatus, [UInt8]?) in
        var data: [UInt8]?
        let status = device.perform(item) { device, found in
            guard let first = found.first else { return errSecItemNotFound }
            guard device.isUnlockedOnce else { return errSecInteractionNotAllowed }
            data = device.items[first].data
            return errSecSuccess
        }
        return (status, data)
    }
    result.pointee = data.map { Data($0) as CFTypeRef }
    return status
}

@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    let item = Attributes(query, keys: [])
    return device.withLock { device in
        device.perform(item) { device, found in
            guard !found.isEmpty else { return errSecItemNotFound }
            for index in found.reversed() { device.items.remove(at: index) }
            return errSecSuccess
        }
    }
}

@discardableResult
public func SecItemUpdate(
    _ query: CFDictionary,
    _ attributesToUpdate: CFDictionary
) -> OSStatus {
    let item = Attributes(query, keys: [])
    guard Array(attributesToUpdate.keys) == [kSecValueData],
        let data = attributesToUpdate[kSecValueData].map(Attributes.bytes)
    else { fatalError("the stand-in of the keychain changes kSecValueData alone") }
    return device.withLock { device in
        device.perform(item) { device, found in
            guard !found.isEmpty else { return errSecItemNotFound }
            guard device.isUnlockedOnce else { return errSecInteractionNotAllowed }
            for index in found { device.items[index].data = data }
            return errSecSuccess
        }
    }
}

public let kSecAttrAccessGroup: CFString = "agrp"
public let kSecAttrAccessible: CFString = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
public let kSecAttrAccount: CFString = "acct"
public let kSecAttrService: CFString = "svce"
public let kSecClass: CFString = "class"
public let kSecClassGenericPassword: CFString = "genp"
public let kSecMatchLimit: CFString = "m_Limit"
public let kSecMatchLimitOne: CFString = "m_LimitOne"
public let kSecReturnData: CFString = "r_Data"
public let kSecUseDataProtectionKeychain: CFString = "nleg"
public let kSecValueData: CFString = "v_Data"

public var errSecAuthFailed: OSStatus { -25293 }
public var errSecDuplicateItem: OSStatus { -25299 }
public var errSecInteractionNotAllowed: OSStatus { -25308 }
public var errSecInteractionRequired: OSStatus { -25315 }
public var errSecItemNotFound: OSStatus { -25300 }
public var errSecMissingEntitlement: OSStatus { -34018 }
public var errSecNoSuchKeychain: OSStatus { -25294 }
public var errSecNotAvailable: OSStatus { -25291 }
public var errSecSuccess: OSStatus { 0 }
public var errSecUserCanceled: OSStatus { -128 }
