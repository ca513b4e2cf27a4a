// What the sources use of StoreKit: the request for a review, which the system shows or not.

public import UIKit

public enum AppStore {
    @MainActor public static func requestReview(in scene: UIWindowScene) {
        reviewRequests += 1
    }

    /// How often the app has asked the system to ask for a review.
    @_spi(Device) @MainActor public static var reviewRequests = 0
}
