extension HelpText {
    var korean: StaticString {
        switch self {
        case .helpUsage: "사용법:"
        case .helpArguments: "인수:"
        case .helpOptions: "옵션:"
        case .helpSubcommands: "명령:"
        case .helpDefault: "(기본값: {1})"
        case .helpStandard: "(기본)"
        case .helpSee: "명령에 대한 설명: {1}"
        case .helpManual: "형식, 종료 코드, 환경 변수 설명(영어): {1}"
        case .showHelp: "도움말을 표시합니다."
        case .showVersion: "버전을 표시합니다."
        case .argumentMissing: "{1} 인수가 없습니다."
        case .limitNegative: "--limit에는 음수를 쓸 수 없습니다."
        case .memoCommand: "메모를 써서 보내면 자신의 받은편지함에 도착합니다."
        case .usageCompose: "터미널에서 작성(Ctrl-D로 보내고 Ctrl-C로 나가기)"
        case .usageWords: "단어를 공백으로 이어서 보내기"
        case .usageDashes: "단어를 모양과 상관없이 보내기"
        case .usageInput: "표준 입력을 보내기. memo - 도 같음"
        case .usageJSON: "메모의 식별자를 JSON으로 출력"
        case .usageDiscardDraft: "다음 memo가 열 초안을 버립니다"
        case .sending:
            """
            메모가 이 기기에 안전하게 저장되면 보내기가 끝납니다. 배달은 memo-agent가 백그라운드에서 합니다. 표준 입력의 텍스트는 끝의 줄바꿈 하나가 \
            빠집니다.
            """
        case .historyCommand: "이 기기에서 보낸 메모를 최신순으로 나열합니다."
        case .historyLimit: "나열할 메모의 최대 수."
        case .historyResend: "도착하지 않은 메모를 새 메모로 다시 보냅니다."
        case .historyShow: "메모 전체를 식별자와 함께 보여 줍니다."
        case .historyDelete: "메모를 글까지 이 기기에서 삭제합니다. 기다리는 것은 보내지 않습니다."
        case .memoIdentifier: "memo history가 출력하는 메모의 식별자."
        case .printJSON: "JSON으로 출력합니다."
        case .outboxCommand: "아직 이 기기를 떠나지 않은 것."
        case .outboxList: "항목을 나열합니다."
        case .outboxLimit: "상태마다 나열할 항목의 최대 수."
        case .outboxShow: "항목과 그 메모를 표시합니다."
        case .entry: "항목의 식별자 또는 entry:NUMBER."
        case .outboxWatch: "보낼편지함의 상태를 지금, 그리고 바뀔 때마다 Ctrl-C까지 출력합니다."
        case .printJSONLines: "JSON을 한 줄에 한 객체씩 출력합니다."
        case .outboxRetry: "항목 하나를, 또는 대기 중이거나 보류된 모두를 바로 시도합니다."
        case .entryOrAll: "항목의 식별자 또는 entry:NUMBER. 없으면 모두."
        case .outboxExport: "항목의 저장된 바이트를 출력합니다. 읽을 수 없는 항목의 사본을 남길 수 있습니다."
        case .outboxDelete: "항목을 완전히 삭제합니다. 그 메모는 보내지 않습니다."
        case .settingsCommand: "이 기기의 설정을 표시하거나 바꿉니다."
        case .settingLanguage: "언어: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar. auto는 $LANG의 언어."
        case .settingTemplate: "제목을 만드는 방법."
        case .settingSignature: "각 메모 아래에 붙는 서명. - 는 표준 입력을 읽습니다."
        case .settingKeyStore: "키를 두는 곳: file, secret-service."
        case .settingRotate: "모든 것을 새 키로 다시 암호화합니다."
        case .doctorCommand:
            "이 기기의 상태와 메모가 가는 곳을 보여 줍니다. 쓴 내용은 보여 주지 않습니다."
        case .loginCommand: "메모를 보낼 수 있도록 주소를 확인합니다: memo login ADDRESS."
        case .loginArguments: "주소, 그리고 --relay URL."
        case .logoutCommand: "이 기기의 토큰을 취소합니다. 기록, 초안, 보낼편지함은 남습니다."
        case .agentCommand: "대기 중인 것을 포그라운드에서 또는 서비스로 배달합니다."
        case .agentInstall: "memo를 실행하지 않아도 에이전트가 배달하도록 systemd 또는 launchd의 서비스로 설치합니다."
        case .agentUninstall: "서비스를 제거합니다. 메모는 저장되어 있습니다."
        case .agentStatus: "서비스가 설치되어 실행 중인지, 무엇을 해야 하는지 보여 줍니다."
        case .runCommand: "저장된 것을 배달하고 끝납니다."
        case .runOnce:
            """
            에이전트는 데이터 폴더마다 하나만 실행되며, 다른 하나는 그것을 부르기만 합니다. 시도할 것이 없으면 끝납니다. 한 일은 데이터 폴더의 \
            agent.log에 있습니다.
            """
        case .runJSON: "실행이 어떻게 끝났는지 JSON으로 출력합니다."
        case .agentLogin: "로그인합니다. 이후 메모는 ADDRESS로 갑니다."
        case .signInCode:
            """
            서버가 코드를 ADDRESS로 보냅니다. 입력하거나 표준 입력에 한 줄로 주세요. 서버의 URL은 https이고, 바로 이 컴퓨터라면 \
            http도 됩니다.
            """
        case .signInAddress: "메모가 도착할 메일 주소."
        case .signInRelay: "서버의 URL. 기본값: $MEMO_RELAY, 없으면 http://127.0.0.1:8080."
        case .resultJSON: "결과를 JSON으로 출력합니다."
        case .agentLogout: "로그아웃합니다. 서버가 이 기기의 토큰을 취소합니다."
        case .signOutKeeps: "기록과 보내지 않은 메모는 남으며, 다음 로그인 뒤에 전송됩니다."
        case .memoAgentCommand: "메모를 백그라운드에서 배달하고, 로그인과 로그아웃을 합니다."
        }
    }
}
