import OutboxCore
import Testing

@testable import RelayRules

@Suite("The codes of a day")
struct CodeDayTests {
    private static let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    private static func uses(_ service: Int, _ limited: [Int] = [0, 0, 0]) -> CodeDay.Uses {
        CodeDay.Uses(limited: limited, service: service)
    }

    private static func reasons(
        _ share: CodeShare,
        strangers: CodeDay.Uses = uses(0),
        established: CodeDay.Uses = uses(0)
    ) -> Set<CodeLimitName> {
        let day = CodeDay([.strangers: strangers, .established: established], at: now)
        return day.usedUp(for: share, VerificationRules())
    }

    @Test("strangers get so many, and leave the others to established networks")
    func shares() {
        func reasons(_ share: CodeShare, _ strangers: Int, _ known: Int) -> Set<CodeLimitName> {
            Self.reasons(share, strangers: Self.uses(strangers), established: Self.uses(known))
        }
        #expect(reasons(.strangers, 99, 0) == [])
        #expect(reasons(.strangers, 100, 0) == [.strangersDay])
        #expect(reasons(.strangers, 40, 109) == [])
        #expect(reasons(.strangers, 40, 110) == [.serviceDay])
        #expect(reasons(.strangers, 100, 50) == [.strangersDay, .serviceDay])
        #expect(reasons(.established, 100, 49) == [])
        #expect(reasons(.established, 100, 50) == [.serviceDay])
        #expect(reasons(.established, 40, 109) == [])
        #expect(reasons(.established, 40, 110) == [.serviceDay])
    }

    @Test("mails about new devices count for the whole day, and take none of the strangers' codes")
    func announcements() {
        func reasons(_ share: CodeShare, _ strangers: Int, _ mails: Int) -> Set<CodeLimitName> {
            let day = CodeDay(
                [.strangers: Self.uses(strangers), .established: Self.uses(0)],
                announcements: mails,
                at: Self.now
            )
            return day.usedUp(for: share, VerificationRules())
        }
        // A block that signs in with each of its codes.
        #expect(reasons(.strangers, 50, 50) == [])
        #expect(reasons(.strangers, 50, 100) == [.serviceDay])
        #expect(reasons(.established, 100, 1000) == [])
    }

    @Test("the networks of a share get so many, whatever those of the other share do")
    func networks() {
        let limits: [(uses: [Int], name: CodeLimitName)] = [
            ([30, 0, 0], .networkDay), ([0, 40, 0], .siteDay), ([0, 0, 50], .blockDay),
        ]
        for (counts, name) in limits {
            let full = Self.uses(0, counts)
            let almost = Self.uses(0, counts.map { max($0, 1) - 1 })
            #expect(Self.reasons(.strangers, strangers: full) == [name])
            #expect(Self.reasons(.strangers, strangers: almost) == [])
            #expect(Self.reasons(.established, strangers: full) == [])
            #expect(Self.reasons(.established, established: full) == [name])
            #expect(Self.reasons(.strangers, established: full) == [])
        }
    }

    @Test("a network is established once the account of its device is a week old")
    func weeks() {
        let week = Self.now.advanced(by: .seconds(-7 * 86_400))
        #expect(CodeShare(knownSince: nil, at: Self.now) == .strangers)
        #expect(CodeShare(knownSince: week, at: Self.now) == .established)
        let young = week.advanced(by: Milliseconds(1))
        #expect(CodeShare(knownSince: young, at: Self.now) == .strangers)
        // The account was made while the clock was ahead.
        let ahead = Self.now.advanced(by: .seconds(1 << 40))
        #expect(CodeShare(knownSince: ahead, at: Self.now) == .strangers)
    }

    @Test("no network, site or block uses up what strangers share, nor strangers the whole")
    func parts() {
        var rules = VerificationRules()
        #expect(rules.strangersDay == 100 && rules.perBlockDay == 50)
        #expect(rules.perSiteDay == 40 && rules.perSourceDay == 30)
        for day in Array(3...2000) + [Int.max] {
            rules.perDay = day
            let sizes = [
                1, rules.perSourceDay, rules.perSiteDay, rules.perBlockDay, rules.strangersDay,
            ]
            #expect(sizes == sizes.sorted())
            #expect(rules.perBlockDay < rules.strangersDay && rules.strangersDay < day)
        }
    }

    @Test("no block uses up the codes of a mailbox")
    func partsOfMailboxes() {
        var rules = VerificationRules()
        #expect(rules.perPairDay == 10 && rules.perBlockPairDay == 20)
        #expect(rules.perBlockPair == 6)
        for hour in 2...60 {
            rules.perPair = hour / 2
            rules.perAddress = hour
            for day in hour...(4 * hour) {
                rules.perAddressDay = day
                #expect(rules.perBlockPair < hour && rules.perBlockPair >= rules.perPair)
                #expect(rules.perBlockPairDay < day && rules.perBlockPairDay >= rules.perPairDay)
            }
        }
    }
}
