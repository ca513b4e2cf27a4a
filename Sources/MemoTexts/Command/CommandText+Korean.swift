extension CommandText {
    var korean: StaticString {
        switch self {
        case .saved: "저장했습니다. 곧 받은편지함에 도착합니다."
        case .savedSignedOut: "저장했습니다. 로그인하면 보냅니다: memo login 주소"
        case .savedNotLeaving: "저장했습니다. {1}"
        case .signedOutElsewhere:
            """
            이 기기는 더 이상 로그인되어 있지 않습니다. 메모는 여기에 보관되며 다시 로그인하면 \
            보냅니다: memo login 주소
            """
        case .waitingLong:
            """
            한 시간 넘게 보내지 못한 메모가 있습니다. 이 기기에 안전하게 보관되어 있습니다. 목록: \
            memo outbox
            """
        case .composeHint: "Ctrl-D로 보내고, Ctrl-C로 나가고, Ctrl-G로 키 보기."
        case .composeKeys:
            """
            Ctrl-D: 보내기. Ctrl-C: 초안을 남기고 나가기. Ctrl-X: 모두 지우기. Ctrl-Y: 지운 것 \
            되돌리기. Ctrl-A, Ctrl-E: 줄의 처음, 끝. Alt-B, Alt-F: 단어 단위. Ctrl-W, Ctrl-U, \
            Ctrl-K: 단어, 처음까지, 끝까지 지우기. Ctrl-Z: 잠시 멈추기.
            """
        case .fieldEmptied: "모두 지웠습니다. Ctrl-Y로 되돌립니다."
        case .draftKept: "초안을 보관했습니다. 이어서 쓰려면 memo를 실행하세요."
        case .draftNotSaved: "초안이 저장되지 않았습니다. {1}"
        case .draftLossAhead:
            "초안이 저장되지 않았습니다. {1} Ctrl-C를 다시 누르면 나가며 글을 잃습니다."
        case .draftLost: "초안을 저장하지 못해 쓴 글이 남아 있지 않습니다. {1}"
        case .draftsDiscarded: "버린 초안: {1}"
        case .notSent: "보내지 않았습니다. {1}"
        case .needsTerminal:
            """
            글을 쓰려면 터미널이 필요합니다. 아무것도 보내지 않았습니다. 글 보내기: memo 글, 또는 … \
            | memo
            """
        case .usageHint:
            "아무것도 보내지 않았습니다. 하이픈이나 하위 명령으로 시작하는 글: memo -- 글"
        case .argumentUnclear: "{1}번째 인수를 이해하지 못했습니다."
        case .didYouMean:
            "아무것도 보내지 않았습니다. {1}을(를) 뜻하셨나요? 그대로 메모로 보내려면: memo -- 글"
        case .emptyMemo: "메모가 비어 있어 보낼 것이 없습니다."
        case .notUTF8:
            "메모가 올바른 UTF-8이 아닙니다. 아무것도 보내지 않았습니다. 변환한 뒤 다시 보내세요."
        case .containsNUL:
            """
            메일로 보낼 수 없는 NUL 문자가 메모에 있습니다. 아무것도 보내지 않았습니다. 없앤 뒤 다시 \
            보내세요.
            """
        case .tooLong: "메모가 {1}바이트를 넘습니다. 아무것도 보내지 않았습니다. 줄이거나 나누세요."
        case .inputNotUTF8:
            """
            표준 입력이 {1}바이트 위치에서 올바른 UTF-8이 아닙니다. 아무것도 보내지 않았습니다. 변환한 \
            뒤 다시 보내세요.
            """
        case .inputUnreadable:
            """
            표준 입력을 읽을 수 없습니다({1}). 아무것도 보내지 않았습니다. 입력 출처를 확인하고 다시 \
            시도하세요.
            """
        case .outputFailed:
            """
            표준 출력에 쓸 수 없어({1}) 결과가 완전하지 않습니다. 저장된 내용은 잃지 않았습니다. \
            다른 곳에 출력하세요.
            """
        case .outputFailedStored:
            """
            메모는 저장되었으니 다시 보내지 마세요. 식별자만 표준 출력에 쓸 수 없었습니다({1}). \
            확인하세요: memo history
            """
        case .noDataFolder:
            """
            메모를 보관할 폴더가 없습니다. 아무것도 저장하지 않았습니다. HOME 또는 MEMO_HOME을 \
            설정하세요.
            """
        case .readOnly:
            "{1}에 쓸 수 없습니다. 아무것도 저장하지 않았습니다. 글을 따로 보관하고 쓸 수 있게 하세요."
        case .readingNeedsWriting:
            """
            {1}에 쓸 수 없고, 읽을 때에도 쓰기가 필요합니다. 아무것도 바꾸지 않았습니다. 쓸 수 \
            있게 하거나, 폴더를 복사하고 MEMO_HOME을 그 복사본으로 지정하세요.
            """
        case .diskFull:
            """
            {1}이(가) 있는 디스크가 가득 찼습니다. 아무것도 저장하지 않았습니다. 글을 따로 보관하고 \
            공간을 확보하세요.
            """
        case .folderUnusable:
            "{1}을(를) 쓸 수 없습니다({2}). 아무것도 저장하지 않았습니다. 글을 따로 보관하세요."
        case .keyUnreadable:
            """
            키 파일 {1}을(를) 읽을 수 없습니다. 아무것도 바꾸지 않았습니다. 소유자가 읽을 수 있게 \
            하세요.
            """
        case .keyPermissions:
            """
            다른 사람이 키 파일 {1}을(를) 읽을 수 있습니다. 아무것도 바꾸지 않았습니다. 실행하세요: \
            chmod 600 '{1}'
            """
        case .keyDamaged:
            "키 파일 {1}에 키가 없습니다. 아무것도 바꾸지 않았습니다. 백업에서 복원하세요."
        case .keyMissing:
            """
            저장된 데이터에 필요한 키 파일 {1}이(가) 없습니다. 아무것도 바꾸지 않았습니다. 백업에서 \
            복원하거나, 폴더 전체를 옮겨 새로 시작하세요.
            """
        case .wrongKey:
            """
            저장된 데이터는 {1}이(가) 아닌 다른 키로 암호화되었습니다. 아무것도 저장하지 않았고 \
            데이터는 그대로 보관됩니다. 올바른 키 파일을 복원하세요.
            """
        case .keyringLocked:
            "키를 보관하는 키링이 잠겨 있습니다. 아무것도 바꾸지 않았습니다. 잠금을 풀고 다시 시도하세요."
        case .keyringUnreachable:
            "키를 보관하는 키링이 여기에서는 응답하지 않습니다. 아무것도 바꾸지 않았습니다. 그 키링이 있는 데스크톱 세션에서 다시 시도하세요."
        case .keyringItemMissing:
            "저장된 데이터에 필요한 키가 키링에 더 이상 없습니다. 아무것도 바꾸지 않았습니다. 키링을 백업에서 복원하세요."
        case .keyStoreUnknown:
            "{1}(이)라는 키 보관 장소는 여기에 없습니다. 아무것도 바꾸지 않았습니다. 사용 가능: {2}"
        case .keyCopyLeft:
            "키는 파일에 있지만, 키링에 있는 사본을 삭제하지 못했습니다. 손실된 내용은 없습니다. 키링이 응답할 때 다시 시도하세요."
        case .keyRotated:
            "앞으로는 새 키로 암호화합니다. 저장된 항목 {1}개를 새 키로 다시 암호화했습니다."
        case .oldKeyKept:
            "이전 키도 함께 남겨 두었습니다. Simple Memo의 다른 프로그램이 실행 중이거나 읽을 수 없는 항목이 있기 때문입니다."
        case .busy:
            "다른 프로세스가 메모 데이터베이스를 잠그고 있습니다. 아무것도 저장하지 않았습니다. 다시 시도하세요."
        case .databaseDamaged:
            """
            {1}이(가) 손상되었거나 데이터베이스가 아닙니다. 아무것도 저장하지 않았고 파일은 \
            그대로 두었습니다. 백업에서 복원하거나 다른 곳으로 옮기세요.
            """
        case .databaseInconsistent:
            """
            {1}이(가) 손상되었습니다. 보낼편지함의 메모 중 일부가 전송되지 않거나 목록에 나오지 않을 수 있습니다. memo outbox와 memo \
            history를 비교하여 빠진 것을 다시 보내세요.
            """
        case .logDamaged:
            """
            마지막에 저장한 내용의 일부를 다시 읽을 수 없었습니다. 데이터베이스 로그가 손상되었거나 쓰는 동안 전원이 끊겼습니다. 그 이전의 메모는 \
            안전합니다. memo history로 최근 메모가 있는지 확인하고 빠진 것을 다시 보내세요. 손상된 로그는 암호화된 그대로 보관되어 있습니다: \
            {1}. 이 파일을 삭제하면 이 알림이 사라집니다.
            """
        case .databaseTooNew:
            """
            {1}은(는) 더 새로운 버전의 Simple Memo가 저장했습니다. 아무것도 바꾸지 않았습니다. \
            업데이트하세요.
            """
        case .storageFailed:
            """
            메모 데이터베이스에 오류가 있습니다({1}). 아무것도 저장하지 않았습니다. 글을 \
            따로 보관하세요.
            """
        case .unknownOperation:
            "보낼편지함에 그런 항목이 없습니다. 아무것도 바꾸지 않았습니다. 목록: memo outbox"
        case .unknownMemo:
            "기록에 그런 메모가 없습니다. 아무것도 바꾸지 않았습니다. 확인하세요: memo history"
        case .ambiguousIdentifier:
            """
            이렇게 시작하거나 끝나는 식별자가 여러 개입니다. 아무것도 바꾸지 않았습니다. 더 길게 \
            지정하세요. 전체 보기: --json
            """
        case .notResendable:
            "도착하지 않은 메모만 한 번 다시 보낼 수 있습니다. 기록에 이 식별자의 그런 메모가 없어 아무것도 보내지 않았습니다. 목록: memo history"
        case .entryDamaged:
            """
            항목이 손상되어 읽을 수 없습니다. 그대로 보관되며 보내지 않습니다. 데이터베이스를 백업에서 \
            복원하거나 항목을 삭제하세요.
            """
        case .memoDeleted: "이 기기에서 삭제했습니다. 이미 도착한 메일은 받은편지함에 남습니다."
        case .accountDamaged:
            """
            저장된 계정이 손상되어 읽을 수 없습니다. 메모는 저장되어 있습니다. 다시 로그인하세요: memo \
            login 주소
            """
        case .settingsDamaged:
            """
            저장된 설정이 손상되어 읽을 수 없습니다. 메모는 설정 없이 보냅니다. 다시 설정하세요: memo \
            settings
            """
        case .agentSilent:
            """
            배달을 맡은 다른 memo-agent가 응답하지 않습니다. 저장된 메모는 그대로 있습니다. 그 \
            프로세스를 끝내거나 나중에 다시 시도하세요.
            """
        case .noAccount:
            "로그인한 사람이 없습니다. 메모는 저장되어 있습니다. 실행하세요: memo login 주소"
        case .agentNotStarted:
            """
            배달 프로그램을 시작하지 못했습니다({1}). 메모는 저장되어 있으며 다음에 시작하면 보냅니다: \
            memo agent
            """
        case .agentFailed: "배달 프로그램이 지난번에 작동하지 못했습니다({1}). 메모는 저장되어 있으며 안전합니다. 확인하세요: memo doctor"
        case .agentCannotWork:
            "배달 프로그램이 작동할 수 없습니다({1}). 저장된 메모는 안전하지만 보내지지 않습니다. 이유를 보려면: memo agent"
        case .entriesNeedPerson: "보낼편지함에 확인이 필요한 항목: {1}. 이 기기에 안전하게 있습니다. 확인하세요: memo outbox"
        case .memosNotArrived:
            """
            도착하지 못했고 아직 확인하지 않은 메모: {1}. 글은 보관되어 있습니다. 확인: memo \
            history
            """
        case .relayUnreached:
            """
            서버 {1}이(가) {2}부터 메모를 받지 않았습니다({3}). 기다리는 메모: {4}. 안전하게 \
            보관되며 자동으로 보냅니다.
            """
        case .folderLacksLocks:
            """
            {1}의 파일 시스템에는 잠금이나 공유 메모리가 없습니다. 아무것도 저장하지 않았습니다. 글을 따로 보관하고 MEMO_HOME을 로컬 디스크의 폴더로 \
            지정하세요.
            """
        case .agentMissing:
            """
            memo-agent를 시작할 수 없습니다({1}). 저장된 메모는 그대로 있습니다. memo와 같은 \
            폴더나 검색 경로에 두세요.
            """
        case .outboxEmpty: "보낼편지함이 비어 있습니다."
        case .outboxRetried: "지금 시도하는 메모: {1}"
        case .folder: "데이터 폴더"
        case .key: "키"
        case .keyPresent: "있음"
        case .keyIsMissing: "없음"
        case .keyIsOpen: "다른 사람이 읽을 수 있음"
        case .keyIsUnreadable: "읽을 수 없음"
        case .keyInKeyring: "키링에 있음"
        case .signedIn: "로그인"
        case .server: "서버"
        case .yes: "예"
        case .notSignedIn: "아니요. 실행하세요: memo login 주소"
        case .noLongerSignedIn: "더 이상 아닙니다. 실행하세요: memo login 주소"
        case .codeEntryWaits: "아직 아닙니다. 받은 코드를 입력하려면 실행하세요: memo login 주소"
        case .outbox: "보낼편지함"
        case .outboxUnreadable: "읽을 수 없음"
        case .oldest: "가장 오래된 항목: {1}"
        case .seconds: "{1}초"
        case .minutes: "{1}분"
        case .hours: "{1}시간"
        case .days: "{1}일"
        case .nextAttemptIn: "{1} 뒤 다시 시도"
        case .newsAsOf: "서버에 새 소식을 물어볼 수 없었습니다. 보낸 메모의 상태는 {1} 기준입니다."
        case .newsNever: "아직 서버에 물어볼 수 없었습니다. 보낸 메모의 상태가 다를 수 있습니다."
        case .agentErrors: "배달 오류"
        case .none: "없음"
        case .problem: "문제"
        case .unknownLanguage:
            "{1}(이)라는 언어는 없습니다. 이전 설정을 계속 사용합니다. 다음 중에서 고르세요: {2}"
        case .settingsReplaced: "이전에 저장된 설정을 읽을 수 없어 모두 바꾸었습니다."
        case .codePrompt: "메일로 받은 코드를 입력하세요:"
        case .codePending: "{1}에 코드를 메일로 보냈습니다. 새 코드가 필요하면 Enter만 누르세요."
        case .codeWrong: "코드가 틀렸습니다. 남은 횟수: {1}. 새 코드가 필요하면 Enter만 누르세요."
        case .codeNoTries:
            """
            코드가 틀렸고 남은 횟수가 없어 로그인하지 않았습니다. 새 코드를 받으려면 명령을 다시 \
            실행하세요.
            """
        case .codeExpired:
            "코드가 만료되어 로그인하지 않았습니다. 새 코드를 받으려면 명령을 다시 실행하세요."
        case .signedInTo: "로그인했습니다. 메모는 서버 {2}을(를) 거쳐 {1}(으)로 갑니다"
        case .noCode:
            """
            코드가 입력되지 않아 로그인하지 않았습니다. 명령을 다시 실행하면 코드를 입력하거나 \
            새 코드를 받을 수 있습니다.
            """
        case .signedInFormerValid:
            """
            로그인했습니다. 이 기기의 이전 토큰을 취소하지 못했으며 그 서버에서는 아직 유효합니다. 이 토큰은 \
            소유자에게만 메일을 보낼 수 있습니다. 메모는 안전하며 새 토큰으로 전송됩니다. 이전 토큰을 취소하려면 웹 \
            앱의 기기 목록에서 로그아웃하세요.
            """
        case .signedOut: "로그아웃했습니다. 기록, 초안, 보내지 않은 메모는 이 기기에 남아 있습니다."
        case .signedOutUntold:
            """
            이 기기에서는 로그아웃했지만 서버에 알리지 못했습니다. 토큰은 이 기기에서 삭제되었으나 서버에서는 \
            아직 유효하며 취소할 수 없습니다. 그 토큰은 주인에게만 메일을 보낼 수 있습니다.
            """
        case .synced: "모든 것이 다른 기기와 같습니다."
        case .notConfirmed: "아직 확인되지 않은 변경: {1}"
        case .lastSynced: "마지막 동기화: {1}"
        case .syncFailed:
            """
            서버에 물어볼 수 없었습니다({1}). 변경한 내용은 이 기기에 남으며 다음 \
            memo sync 때 전송됩니다.
            """
        case .settingAsked:
            """
            {1}이(가) 여기와 다른 기기에서 변경되었습니다. 이 기기의 것을 유지하려면 \
            1, 다른 것을 유지하려면 2를 입력하세요. Enter만 누르면 나중에 \
            정합니다.
            """
        case .unknownDevice:
            """
            이 식별자의 기기가 없습니다. 아무것도 바꾸지 않았습니다. memo \
            devices로 볼 수 있습니다.
            """
        case .noQuestion: "{1}에 대해 고를 것이 없습니다. 아무것도 바꾸지 않았습니다."
        case .deviceLeaving: "{1}은(는) 서버에 연결되는 대로 로그아웃됩니다."
        case .elsewhere: "다른 기기"
        case .eraseAccount: "계정 지우기"
        case .eraseWarning:
            """
            서버에서 {1}의 모든 메모, 설정, 기기가 지워지며 되돌릴 수 없습니다. \
            기기에 있는 것은 그대로 남습니다. 지우려면 메일의 코드를 입력하세요:
            """
        case .accountErased:
            "계정이 서버에서 지워졌고 이 기기는 로그아웃되었습니다. 이 기기에 있는 것은 남습니다."
        case .changesKept:
            """
            서버가 아직 확인하지 않은 변경: {1}. 이 계정에 다시 로그인할 때까지 \
            암호화되어 이 기기에 남습니다. 버리려면 실행하세요: memo logout \
            --discard-changes
            """
        case .relayNotURL:
            "서버의 URL이 아닙니다. 아무것도 바꾸지 않았습니다. 예: https://relay.example.org"
        case .relayUnencrypted:
            """
            암호화되지 않은 http는 이 컴퓨터의 서버에만 쓸 수 있습니다. 아무것도 보내지 않았습니다. \
            https를 쓰세요.
            """
        case .relayUnreachable:
            """
            서버 {1}에 연결할 수 없습니다. 아무것도 바꾸지 않았습니다. 네트워크와 --relay로 \
            지정하는 URL을 확인하고 다시 시도하세요.
            """
        case .relayUntrusted:
            """
            서버의 인증서를 신뢰할 수 없어 아무것도 보내지 않았습니다. URL을 확인하거나 서버 관리자에게 \
            문의하세요.
            """
        case .agentIdle: "더 배달할 것이 없습니다."
        case .agentStopped: "멈췄습니다. 보내지 못한 것은 저장되어 있습니다."
        case .agentRunsElsewhere: "다른 memo-agent가 배달 중이며, 알렸습니다."
        case .serviceRuns:
            "에이전트가 서비스로 설치되어 있습니다. 대기 중인 메모는 memo를 실행하지 않아도 로그인할 때마다, 그리고 15분마다 전송됩니다."
        case .serviceMissing:
            "에이전트가 서비스로 설치되어 있지 않습니다. 메모는 저장되어 있으며 memo를 실행하면 전송됩니다. 설치하려면 실행하세요: memo agent install"
        case .serviceOutdated:
            "{1}이(가) 이 버전이 이 데이터 폴더에 쓰는 내용과 다릅니다. 메모는 저장되어 있습니다. 실행하세요: memo agent install"
        case .serviceInactive:
            """
            서비스 관리자가 서비스를 실행하고 있지 않습니다. 메모는 저장되어 있으며 memo를 실행하면 전송됩니다. 시작하려면 memo agent install을, \
            이유를 보려면 다음을 실행하세요: {1}
            """
        case .serviceUnreachable:
            """
            여기서는 서비스 관리자가 응답하지 않아 서비스가 아직 실행되지 않습니다. 서비스 관리자가 있는 세션에 다음에 로그인하면 시작됩니다. 그곳에서 바로 \
            시작하려면 실행하세요: memo agent install
            """
        case .serviceNeedsLogin: "컴퓨터를 다시 시작하면 메모는 로그인할 때까지 기다립니다. 그 전에 전송되게 하려면 실행하세요: {1}"
        case .serviceWritten: "썼습니다: {1}"
        case .serviceUnchanged: "변경 없음: {1}"
        case .serviceRemoved: "제거했습니다: {1}"
        case .serviceKept: "memo agent install이 쓴 것이 아니어서 남겨 두었습니다: {1}"
        case .serviceForeign:
            """
            {1}은(는) memo agent install이 쓴 것이 아닙니다. 아무것도 바꾸지 않았습니다. 다른 곳으로 옮기고 memo agent install을 \
            다시 실행하세요.
            """
        case .serviceFailed:
            """
            {1}을(를) 읽거나 쓰거나 제거할 수 없습니다({2}). 메모는 저장되어 있지만 서비스가 일부만 남아 있을 수 있습니다. 문제를 해결하고 명령을 다시 \
            실행하세요.
            """
        case .serviceUnfit:
            """
            서비스에는 이 경로나 값을 쓸 수 없습니다: {1}. 따옴표, 백슬래시 또는 인쇄되지 않는 문자가 들어 있습니다. 아무것도 바꾸지 않았습니다. 다른 \
            위치를 고르세요.
            """
        }
    }
}
