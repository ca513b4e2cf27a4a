extension AppText {
    var korean: StaticString {
        switch self {
        case .memo: "메모"
        case .send: "보내기"
        case .sendWithShortcut: "보내기({1})"
        case .back: "뒤로"
        case .close: "닫기"
        case .cancel: "취소"
        case .firstHint: "메모를 써서 보내면 자신의 받은편지함에 도착합니다."
        case .saved: "저장했습니다. 곧 받은편지함에 도착합니다."
        case .savedOffline: "저장했습니다. 다시 연결되면 보냅니다."
        case .savedSignedOut: "저장했습니다. 로그인하면 보냅니다."
        case .savedUnreached: "저장했습니다. 서버에 연결되면 보냅니다."
        case .savedLimited: "저장했습니다. 서버가 기다려 달라고 하여 조금 뒤에 보냅니다."
        case .savedKept: "저장했습니다. 메모는 이 기기에 보관됩니다."
        case .offline: "오프라인"
        case .unreached: "서버에 연결되지 않음"
        case .waitingLong: "한 시간 넘게 보내지 못한 메모가 있습니다. 이 기기에 안전하게 보관되어 있습니다."
        case .notArrived: "도착하지 못한 메모가 있습니다. 글은 보관되어 있습니다."
        case .notifyMe: "메모가 도착하지 못하면 알림 받기"
        case .showQueue: "보기"
        case .updateReady: "새 버전이 준비되었습니다. 초안은 그대로 남습니다."
        case .update: "업데이트"
        case .memoTooLong:
            "메모가 1 MiB를 넘어 보내지 않았습니다. 글은 그대로 있습니다. 줄이거나 나누세요."
        case .memoContainsNUL:
            """
            메일로 보낼 수 없는 NUL 문자가 메모에 있어 보내지 않았습니다. 글은 그대로 있습니다. 그 \
            문자를 없앤 뒤 다시 보내세요.
            """
        case .memoNotStored:
            "메모를 저장하지 못해 보내지 않았습니다. 글은 그대로 있습니다. 다시 시도하세요."
        case .storageFull:
            """
            저장 공간이 가득 차 메모를 보내지 않았습니다. 글은 그대로 있습니다. 공간을 확보하고 다시 \
            시도하세요.
            """
        case .storageUnavailable:
            """
            이 브라우저에서는 Simple Memo가 아무것도 저장할 수 없어 보낼 수 없습니다. 글은 그대로 \
            있습니다. 복사하거나 일반 창에서 Simple Memo를 여세요.
            """
        case .persistenceRefused:
            """
            공간이 부족해지면 브라우저가 아직 보내지 않은 메모를 삭제할 수 있습니다. 앱을 설치하면 그럴 \
            가능성이 줄어듭니다.
            """
        case .draftNotSaved:
            """
            지금은 초안을 저장할 수 없습니다. 글은 그대로 있습니다. 보낼 때까지 이 페이지를 열어 \
            두세요.
            """
        case .shareMissed: "공유한 텍스트가 앱에 전달되지 않았습니다. 다른 데이터는 그대로입니다. 다시 공유하세요."
        case .shareOffered: "다른 앱이나 사이트에서 텍스트를 공유했습니다:"
        case .shareTake: "메모에 추가"
        case .shareDiscard: "버리기"
        case .shareTooLong: "공유한 텍스트가 1 MiB를 넘어 받지 않았습니다. 다른 데이터는 그대로입니다. 줄여서 다시 공유하세요."
        case .keyLost:
            """
            이 기기에 저장된 메모의 키가 없습니다. 메모는 남아 있지만 읽거나 보낼 수 없습니다. 도착한 \
            메일에는 영향이 없습니다. 새로 시작하려면 로그아웃하세요.
            """
        case .databaseTooNew:
            """
            이 기기의 데이터는 더 새로운 버전의 Simple Memo가 저장했습니다. 아무것도 바꾸지 \
            않았습니다. 페이지를 새로 고쳐 업데이트하세요.
            """
        case .insecureConnection:
            """
            이 페이지는 https로 열리지 않아 메모를 안전하게 저장하거나 보낼 수 없습니다. 글은 그대로 \
            있습니다. 복사한 뒤 https로 Simple Memo를 여세요.
            """
        case .otherTab:
            """
            다른 탭에서 이전 버전의 Simple Memo가 실행 중입니다. 손실된 내용은 없습니다. 그 탭을 닫고 \
            이 페이지를 새로 고치세요.
            """
        case .signedOutElsewhere:
            "다른 탭에서 로그아웃하여 이 기기의 데이터를 모두 삭제했으므로 메모를 저장하지 않았습니다. 글은 그대로 있습니다. 복사한 뒤 이 페이지를 새로 고치세요."
        case .appStopped:
            """
            앱이 멈추었습니다. 입력란의 글은 그대로 있습니다. 복사한 뒤 이 페이지를 새로 고치세요. 보낸 \
            메모는 안전합니다.
            """
        case .tokenRevoked:
            "이 기기는 더 이상 로그인되어 있지 않습니다. 메모는 여기에 보관되며 다시 로그인하면 보냅니다."
        case .signIn: "로그인"
        case .history: "기록"
        case .historyEmpty: "아직 메모가 없습니다"
        case .historyMore: "더 보기"
        case .memoUnreadable: "열 수 없음"
        case .showAll: "모두 보기({1}자)"
        case .statusQueued: "대기 중"
        case .statusSent: "보냄"
        case .statusDelivered: "배달됨"
        case .statusBounced: "반송됨"
        case .statusExpired: "만료됨"
        case .statusRefused: "거부됨"
        case .statusDeleted: "삭제됨"
        case .statusResent: "다시 보냄"
        case .statusParked: "확인 필요"
        case .statusUnreadable: "읽을 수 없음"
        case .statusUnknown: "알 수 없음"
        case .reasonSignedOut: "로그인할 때까지 여기에 보관됩니다({1})."
        case .reasonOffline: "연결을 기다리고 있습니다({1})."
        case .reasonRelay: "서버가 응답하지 않습니다({1}). 메모는 보관되며 다시 시도합니다."
        case .reasonWait: "서버가 기다려 달라고 합니다({1}). 메모는 보관되며 나중에 보냅니다."
        case .reasonForeign:
            """
            서버가 아닌 다른 것이 응답했습니다. 이 네트워크의 로그인 페이지일 수 있습니다({1}). \
            메모는 보관되며 다시 시도합니다.
            """
        case .reasonUntrusted:
            "서버의 인증서를 신뢰할 수 없습니다({1}). 메모는 보관되며 다시 시도합니다."
        case .reasonFailed: "마지막 시도가 실패했습니다({1}). 메모는 보관되며 다시 시도합니다."
        case .reasonRefused:
            "서버가 받지 않았습니다({1}). 여기에 보관됩니다. 고쳐서 다시 보내거나 삭제하세요."
        case .reasonLost:
            """
            서버에 저장된 이 메모의 내용이 손실되었습니다({1}). 글은 여기에 보관됩니다. 다시 \
            보내세요.
            """
        case .reasonBounced:
            "메일 서버가 거부했습니다({1}). 글은 여기에 보관됩니다. 주소를 확인하고 다시 보내세요."
        case .reasonMailboxFull:
            "받은편지함이 가득 찼습니다({1}). 글은 여기에 보관됩니다. 공간을 비우고 다시 보내세요."
        case .reasonNoMailbox:
            """
            메일 서버에 이 주소가 없습니다({1}). 글은 여기에 보관됩니다. 주소를 확인하고 다시 \
            보내세요.
            """
        case .reasonExpired:
            """
            며칠 동안 메일 서버가 받지 않았습니다({1}). 글은 여기에 보관됩니다. 다시 보낼 수 \
            있습니다.
            """
        case .reasonUnsupported:
            "이 버전에서는 보낼 수 없습니다({1}). 여기에 보관됩니다. 앱을 업데이트하세요."
        case .reasonUnreadable:
            "손상되어 읽을 수 없습니다({1}). 그대로 보관되며 삭제할 수 있습니다."
        case .copy: "복사"
        case .copied: "복사했습니다"
        case .copyFailed: "복사하지 못했습니다. 글을 선택해 직접 복사하세요."
        case .resend: "다시 보내기"
        case .resent: "다시 저장했습니다. 곧 받은편지함에 도착합니다."
        case .delete: "삭제"
        case .deleteQuestion: "이 메모를 삭제할까요?"
        case .deleteSentHint: "이 기기에서 사라집니다. 받은편지함의 메일은 남습니다."
        case .deleteQueuedHint:
            "아직 보내지 않았으며, 삭제하면 보내지 않습니다. 되돌릴 수 없습니다."
        case .settings: "설정"
        case .address: "메일 주소"
        case .addressHint: "메모가 여기로 도착합니다."
        case .askCode: "메일로 코드 받기"
        case .codeSent: "이 주소로 코드를 보냈습니다."
        case .longCode: "받은편지함에 있는 Simple Memo의 최신 메일에 적힌 긴 코드를 입력하세요."
        case .code: "메일로 받은 코드"
        case .confirmCode: "확인"
        case .signedInAs: "메모 받는 주소: {1}"
        case .signedIn: "로그인됨"
        case .addressInvalid: "이 주소로는 메일을 보낼 수 없습니다. 확인하세요."
        case .codeInvalid: "코드는 {1}자리 숫자입니다."
        case .codeRejected: "코드가 틀렸습니다. 확인하거나 새 코드를 요청하세요."
        case .codeExpired: "코드가 만료되었습니다. 새 코드를 요청하세요."
        case .codeSpent: "이 코드는 더 시도할 수 없습니다. 새 코드를 요청하세요."
        case .handleMissing:
            """
            서버는 코드를 요청한 앱에서 보낸 코드만 받습니다. 메모는 보관되어 있습니다. 새 코드를 요청하고, \
            다시 나타나면 Simple Memo를 업데이트하세요.
            """
        case .tooManyRequests: "시도 횟수가 너무 많습니다. {1}초 후에 다시 시도할 수 있습니다."
        case .tooManyRequestsLater: "시도 횟수가 너무 많습니다. 나중에 다시 시도하세요."
        case .relayUnreachable:
            "서버에 연결할 수 없습니다. 손실된 내용은 없습니다. 연결을 확인하고 다시 시도하세요."
        case .relayFailed: "서버에 문제가 있었습니다(HTTP {1}). 손실된 내용은 없습니다. 나중에 다시 시도하세요."
        case .notARelay:
            """
            서버가 아닌 다른 것이 응답했습니다. 이 네트워크의 로그인 페이지일 수 있습니다. 손실된 내용은 \
            없습니다. 연결을 확인하고 다시 시도하세요.
            """
        case .subjectTemplate: "제목"
        case .subjectTemplateHint:
            "{line}은 메모의 첫 줄, {date}는 날짜, {id}는 메일을 구별하는 짧은 코드입니다."
        case .subjectPreview: "예: {1}"
        case .templatePlaceholder:
            """
            중괄호 안에는 {line}, {date}, {id}만 쓸 수 있고 {line}은 한 번만 쓸 수 \
            있습니다. 이전 제목을 계속 사용합니다.
            """
        case .templateBrace:
            "짝이 없는 중괄호가 있습니다. 중괄호 자체는 {{ 또는 }}로 쓰세요. 이전 제목을 계속 사용합니다."
        case .templateTooLong: "제목이 너무 깁니다. 줄이세요. 이전 제목을 계속 사용합니다."
        case .signature: "서명"
        case .signatureHint: "각 메모 아래에 붙습니다."
        case .signatureTooLong: "서명이 너무 깁니다. 줄이세요. 이전 서명을 계속 사용합니다."
        case .language: "언어"
        case .languageAutomatic: "자동"
        case .devices: "기기"
        case .deviceCurrent: "이 기기"
        case .deviceSince: "{1}부터"
        case .deviceUsed: "마지막 사용: {1}"
        case .deviceQuestion: "이 기기를 로그아웃할까요?"
        case .deviceHint: "{1}에서 더 이상 메모를 보낼 수 없습니다. 받은편지함의 메일은 남습니다."
        case .deviceSignedOut: "기기를 로그아웃했습니다."
        case .privacyOverlay: "앱이 백그라운드에 있을 때 글 숨기기"
        case .signOut: "로그아웃"
        case .signOutQuestion: "로그아웃하고 이 기기의 모든 데이터를 삭제할까요?"
        case .signOutHint:
            "기록, 초안, 설정이 이 기기에서 삭제됩니다. 받은편지함의 메일은 남습니다."
        case .signOutUnsent: "보내지 못하고 사라지는 메모: {1}"
        case .signOutConfirm: "로그아웃하고 삭제"
        case .signOutUntold:
            """
            이 기기의 모든 데이터를 삭제했습니다. 서버에 알리지 못해 이 기기가 서버 목록에 남아 있을 수 \
            있습니다.
            """
        case .signOutKeep: "로그아웃하고 모두 보관"
        case .signOutKept: "로그아웃했습니다. 이 기기의 모든 내용은 암호화되어 다음 로그인까지 보관됩니다."
        case .signOutKeptUntold:
            "로그아웃했습니다. 이 기기의 모든 내용은 다음 로그인까지 보관됩니다. 서버에 알리지 못해 이 기기가 서버 목록에 남아 있을 수 있습니다."
        case .settingsSaved: "저장했습니다"
        case .settingsNotSaved:
            "변경 사항을 저장하지 못했습니다. 이전 설정을 계속 사용합니다. 다시 시도하세요."
        case .syncing: "동기화하는 중"
        case .changesUnconfirmed: "아직 확인되지 않은 변경: {1}"
        case .syncedAt: "마지막 동기화: {1}"
        case .changeMet: "다른 기기에서도 변경했습니다. 그 값: {1}"
        case .changeRefused: "이 변경은 받아들여지지 않았습니다."
        case .edit: "편집"
        case .writtenOn: "작성한 기기: {1}"
        case .writtenElsewhere: "다른 기기에서 작성"
        case .diagnostics: "진단"
        case .queue: "대기열"
        case .queueEmpty: "기다리는 항목이 없습니다"
        case .queued: "대기 중: {1}"
        case .parked: "확인 필요: {1}"
        case .quarantined: "읽을 수 없음: {1}"
        case .waitingSince: "{1}부터"
        case .attempts: "시도 횟수: {1}"
        case .nextAttempt: "다음 시도: {1}"
        case .retryNow: "지금 시도"
        case .retryAll: "모두 지금 시도"
        case .timings: "소요 시간"
        case .timeToText: "시작부터 입력까지"
        case .sendToReset: "보내기부터 빈 입력란까지"
        case .timing: "중앙값 {1} ms, 최근 {2} ms, 목표 {3} ms"
        case .notMeasured: "아직 측정하지 않음"
        case .log: "최근 단계"
        case .logRemoved: "대기열에서 나감"
        case .ratingQuestion: "Simple Memo는 어떠신가요?"
        case .ratingStars: "별점: 5점 만점에 {1}점"
        case .ratingDismiss: "나중에"
        case .ratingThanks: "평가해 주셔서 감사합니다."
        case .hidden: "개인정보 보호를 위해 숨김"
        }
    }
}
