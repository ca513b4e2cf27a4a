// What the sources use of Auto Layout. One pass of layout finds the frames from constraints of
// equality, minimal heights, and the sizes that contents need; it stops the test where the constraints
// do not say where a view is, or disagree.

@MainActor
protocol LayoutItem: AnyObject {
    var view: UIView { get }
}

extension UIView: LayoutItem {
    var view: UIView { self }
}

@MainActor
open class UILayoutGuide: NSObject, LayoutItem {
    enum Kind {
        case safeArea, keyboard
    }

    private(set) weak var owner: UIView?
    let kind: Kind

    init(of view: UIView, _ kind: Kind) {
        owner = view
        self.kind = kind
    }

    var view: UIView { owner! }

    open var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self, .top) }
    open var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self, .bottom) }
    open var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self, .leading) }
    open var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self, .trailing) }
}

@MainActor
open class UITrackingLayoutGuide: UILayoutGuide {}

@MainActor
open class UIKeyboardLayoutGuide: UITrackingLayoutGuide {}

enum LayoutEdge: Hashable {
    case leading, trailing, top, bottom, width, height
}

@MainActor
open class NSLayoutAnchor<AnchorType>: NSObject where AnchorType: AnyObject {
    let item: any LayoutItem
    let edge: LayoutEdge

    init(_ item: any LayoutItem, _ edge: LayoutEdge) {
        self.item = item
        self.edge = edge
    }

    open func constraint(
        equalTo anchor: NSLayoutAnchor<AnchorType>,
        constant c: CGFloat
    ) -> NSLayoutConstraint {
        NSLayoutConstraint(item, edge, (anchor.item, anchor.edge), c)
    }
}

@MainActor
open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}

@MainActor
open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

@MainActor
open class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    open func constraint(greaterThanOrEqualToConstant c: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint(item, edge, nil, c)
    }
}

@MainActor
open class NSLayoutConstraint: NSObject {
    let item: any LayoutItem
    let edge: LayoutEdge
    /// `nil` for a smallest length.
    let other: (item: any LayoutItem, edge: LayoutEdge)?
    let constant: CGFloat
    private static var active: [NSLayoutConstraint] = []

    init(
        _ item: any LayoutItem,
        _ edge: LayoutEdge,
        _ other: (any LayoutItem, LayoutEdge)?,
        _ constant: CGFloat
    ) {
        self.item = item
        self.edge = edge
        self.other = other
        self.constant = constant
    }

    open class func activate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints {
            let item = constraint.item
            if let view = item as? UIView, view.translatesAutoresizingMaskIntoConstraints,
                view.controller == nil
            {
                fatalError("\(type(of: view)) has constraints and its autoresizing mask too")
            }
            guard let other = constraint.other?.item else { continue }
            guard item.view.root === other.view.root else {
                fatalError("a constraint between views that have no view above both")
            }
        }
        active += constraints
    }

    /// Apple: the constraints between a view that goes and what stays are gone; those inside of it stay.
    static func deactivate(across view: UIView) {
        let gone = Set(view.subtree.map(ObjectIdentifier.init))
        active.removeAll { $0.isOrphaned }
        active.removeAll { constraint in
            guard let other = constraint.other?.item.view else { return false }
            let sides = [constraint.item.view, other].map { gone.contains(ObjectIdentifier($0)) }
            return sides[0] != sides[1]
        }
    }

    /// The process has ended.
    static func forgetAll() {
        active = []
    }

    /// Apple: a constraint ends with the views that it is about.
    static func active(below root: UIView) -> [NSLayoutConstraint] {
        active.removeAll { $0.isOrphaned }
        return active.filter { $0.item.view.isInside(root) }
    }

    private var isOrphaned: Bool {
        [item, other?.item].contains { ($0 as? UILayoutGuide).map { $0.owner == nil } ?? false }
    }
}

extension UIView {
    fileprivate var root: UIView { parent?.root ?? self }
}

/// The edges of all items of a window, in its coordinates.
@MainActor
struct LayoutPass {
    private struct Place: Hashable {
        let item: ObjectIdentifier
        let edge: Physical
    }

    private enum Physical: Hashable {
        case left, right, top, bottom
    }

    private let root: UIView
    private let constraints: [NSLayoutConstraint]
    private var values: [Place: CGFloat] = [:]
    private var hasChanged = false

    init(_ root: UIView) {
        self.root = root
        constraints = NSLayoutConstraint.active(below: root)
    }

    /// Lays out the views below the root, whose frame is given.
    mutating func run() {
        set(root, root.frame)
        for constraint in constraints {
            for item in [constraint.item, constraint.other?.item] {
                if let guide = item as? UILayoutGuide { set(guide, frame(of: guide)) }
            }
        }
        let free = root.subtree.filter { !$0.translatesAutoresizingMaskIntoConstraints }
        repeat {
            hasChanged = false
            for constraint in constraints { apply(constraint) }
            if !hasChanged { for view in free where !hasChanged { addContentSize(of: view) } }
        } while hasChanged
        let lost = free.filter { !isPlaced($0) }.map { "\(type(of: $0))" }
        guard lost.isEmpty else {
            fatalError("the constraints do not say where this is: \(lost.joined(separator: ", "))")
        }
        for view in free { view.setFrame(placed(view)) }
    }

    private func frame(of guide: UILayoutGuide) -> CGRect {
        let view = guide.view.frame
        let insets = Device.safeArea
        switch guide.kind {
        case .safeArea:
            return CGRect(
                x: view.origin.x,
                y: view.origin.y + insets.top,
                width: view.size.width,
                height: view.size.height - insets.top - insets.bottom
            )
        case .keyboard:
            let height = max(Device.keyboardHeight, insets.bottom)
            return CGRect(
                x: view.origin.x,
                y: view.origin.y + view.size.height - height,
                width: view.size.width,
                height: height
            )
        }
    }

    private mutating func set(_ item: any LayoutItem, _ frame: CGRect) {
        set(item, .left, frame.origin.x)
        set(item, .right, frame.origin.x + frame.size.width)
        set(item, .top, frame.origin.y)
        set(item, .bottom, frame.origin.y + frame.size.height)
    }

    private mutating func set(_ item: any LayoutItem, _ edge: Physical, _ value: CGFloat) {
        let place = Place(item: ObjectIdentifier(item), edge: edge)
        if let known = values[place] {
            guard abs(known - value) < 0.5 else {
                fatalError("two constraints disagree about the \(edge) of \(type(of: item))")
            }
            return
        }
        values[place] = value
        hasChanged = true
    }

    private func value(_ item: any LayoutItem, _ edge: Physical) -> CGFloat? {
        values[Place(item: ObjectIdentifier(item), edge: edge)]
    }

    private mutating func apply(_ constraint: NSLayoutConstraint) {
        guard let other = constraint.other else { return }
        let isMirrored = constraint.item.view.isRightToLeft
        let first = physical(constraint.edge, isMirrored)
        let second = physical(other.edge, isMirrored)
        let isHorizontal = first == .left || first == .right
        let constant = isHorizontal && isMirrored ? -constraint.constant : constraint.constant
        if let value = value(other.item, second) {
            set(constraint.item, first, value + constant)
        } else if let value = value(constraint.item, first) {
            set(other.item, second, value - constant)
        }
    }

    private func physical(_ edge: LayoutEdge, _ isMirrored: Bool) -> Physical {
        switch edge {
        case .leading: isMirrored ? .right : .left
        case .trailing: isMirrored ? .left : .right
        case .top: .top
        case .bottom: .bottom
        case .width, .height: fatalError("a length is compared with an edge")
        }
    }

    private mutating func addContentSize(of view: UIView) {
        if let width = view.widthOfContent {
            complete(view, .left, .right, max(width, smallest(.width, of: view)))
        }
        guard let left = value(view, .left), let right = value(view, .right) else { return }
        if let height = view.height(forWidth: right - left) {
            complete(view, .top, .bottom, max(height, smallest(.height, of: view)))
        }
    }

    /// The smallest length that the constraints want; 0 for none.
    private func smallest(_ edge: LayoutEdge, of view: UIView) -> CGFloat {
        constraints.filter { $0.item === view && $0.other == nil && $0.edge == edge }
            .map(\.constant).max() ?? 0
    }

    private mutating func complete(
        _ view: UIView,
        _ near: Physical,
        _ far: Physical,
        _ length: CGFloat
    ) {
        switch (value(view, near), value(view, far)) {
        case (let known?, nil): set(view, far, known + length)
        case (nil, let known?): set(view, near, known - length)
        default: break
        }
    }

    private func isPlaced(_ view: UIView) -> Bool {
        [Physical.left, .right, .top, .bottom].allSatisfy { value(view, $0) != nil }
    }

    private func placed(_ view: UIView) -> CGRect {
        let (left, top) = (value(view, .left)!, value(view, .top)!)
        return CGRect(
            x: left,
            y: top,
            width: value(view, .right)! - left,
            height: value(view, .bottom)! - top
        )
    }
}
