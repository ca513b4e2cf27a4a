// Foundation without the C library that Foundation on Linux hands on: the sources have Darwin's.

@_exported public import CoreFoundation
@_exported public import FoundationEssentials

@_exported public import class Foundation.Bundle
@_exported public import struct Foundation.CGFloat
@_exported public import struct Foundation.CGRect
@_exported public import class Foundation.NSAttributedString
@_exported public import class Foundation.NSCoder
@_exported public import class Foundation.NSData
@_exported public import class Foundation.NSObject
@_exported public import protocol Foundation.NSObjectProtocol
@_exported public import protocol Foundation.NSSecureCoding
@_exported public import class Foundation.NSString
@_exported public import func Foundation.NSStringFromClass
@_exported public import class Foundation.NSURL
@_exported public import class Foundation.ProcessInfo
@_exported public import struct Foundation.URLError
@_exported public import class FoundationNetworking.HTTPURLResponse
@_exported public import struct FoundationNetworking.URLRequest
@_exported public import class FoundationNetworking.URLResponse
@_exported public import class FoundationNetworking.URLSession
@_exported public import class FoundationNetworking.URLSessionConfiguration
@_exported public import protocol FoundationNetworking.URLSessionDataDelegate
@_exported public import class FoundationNetworking.URLSessionDataTask
@_exported public import class FoundationNetworking.URLSessionTask
