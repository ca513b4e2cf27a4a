extension HelpText {
    var arabic: StaticString {
        switch self {
        case .helpUsage: "الاستخدام:"
        case .helpArguments: "الوسائط:"
        case .helpOptions: "الخيارات:"
        case .helpSubcommands: "الأوامر:"
        case .helpDefault: "(الافتراضي: {1})"
        case .helpStandard: "(افتراضي)"
        case .helpSee: "المزيد عن أمر: {1}"
        case .helpManual: "تُشرح الصيغ ورموز الخروج والبيئة بالإنجليزية في: {1}"
        case .showHelp: "يعرض المساعدة."
        case .showVersion: "يعرض الإصدار."
        case .argumentMissing: "ينقص {1}."
        case .limitNegative: "لا يجوز أن يكون --limit سالبًا."
        case .memoCommand: "اكتب مذكرة وأرسلها لتجدها في بريدك."
        case .usageCompose: "الكتابة في الطرفية (Ctrl-D للإرسال، Ctrl-C للخروج)"
        case .usageWords: "إرسال الكلمات مفصولة بمسافات"
        case .usageDashes: "إرسال الكلمات أيًّا كان شكلها"
        case .usageInput: "إرسال الإدخال القياسي، وكذلك: memo -"
        case .usageJSON: "طباعة معرّف المذكرة بصيغة JSON"
        case .usageDiscardDraft: "يهمل المسودة التي سيفتحها memo التالي"
        case .sending:
            """
            ينتهي الإرسال عندما تُحفظ المذكرة حفظًا دائمًا على هذا الجهاز؛ ويسلّمها memo-agent \
            في الخلفية. يُحذف سطر جديد واحد من نهاية نص الإدخال القياسي.
            """
        case .historyCommand: "يسرد المذكرات المرسلة من هذا الجهاز، الأحدث أولًا."
        case .historyLimit: "أقصى عدد من المذكرات في القائمة."
        case .historyResend: "يرسل من جديد مذكرة لم تصل، كمذكرة جديدة."
        case .historyShow: "يعرض مذكرة كاملة مع معرّفها."
        case .historyDelete: "يحذف مذكرة ونصها من هذا الجهاز؛ المنتظرة لا تُرسل."
        case .memoIdentifier: "معرّف المذكرة كما يعرضه memo history."
        case .printJSON: "يطبع JSON."
        case .outboxCommand: "ما لم يغادر هذا الجهاز بعد."
        case .outboxList: "يسرد العناصر."
        case .outboxLimit: "أقصى عدد من العناصر لكل حالة."
        case .outboxShow: "يعرض عنصرًا ومذكرته."
        case .entry: "معرّف العنصر، أو entry:NUMBER."
        case .outboxWatch: "يطبع حال صندوق الصادر، الآن وبعد كل تغيير، حتى Ctrl-C."
        case .printJSONLines: "يطبع JSON، كائنًا في كل سطر."
        case .outboxRetry: "يحاول إرسال عنصر فورًا، أو كل ما ينتظر أو أُوقف."
        case .entryOrAll: "معرّف العنصر، أو entry:NUMBER؛ ومن دونه الكل."
        case .outboxExport: "يطبع البايتات المحفوظة لعنصر، للاحتفاظ بنسخة مما لا يُقرأ."
        case .outboxDelete: "يحذف عنصرًا نهائيًا؛ ولا تُرسل مذكرته."
        case .settingsCommand: "يعرض إعدادات هذا الجهاز أو يغيّرها."
        case .settingLanguage:
            "اللغة: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar؛ و auto للغة $LANG."
        case .settingTemplate: "كيف يُكوَّن الموضوع."
        case .settingSignature: "ما يوضع أسفل كل مذكرة؛ و - يقرأ الإدخال القياسي."
        case .settingKeyStore: "مكان حفظ المفتاح: file, secret-service."
        case .settingRotate: "يشفّر كل شيء من جديد بمفتاح جديد."
        case .doctorCommand: "يعرض حالة هذا الجهاز وإلى أين تذهب المذكرات، دون أي مما كُتب."
        case .loginCommand: "يتحقق من عنوانك كي تخرج المذكرات: memo login ADDRESS."
        case .loginArguments: "العنوان، و --relay URL."
        case .logoutCommand: "يبطل رمز هذا الجهاز. يبقى السجل والمسودة وصندوق الصادر."
        case .agentCommand: "يسلّم ما ينتظر، في المقدمة أو كخدمة."
        case .agentInstall: "يجعل الوكيل يسلّم دون استدعاء memo: كخدمة من systemd أو launchd."
        case .agentUninstall: "يحذف الخدمة؛ المذكرات باقية محفوظة."
        case .agentStatus: "يعرض هل الخدمة مثبّتة وتعمل، وما الذي ينبغي فعله."
        case .runCommand: "يسلّم ما هو محفوظ ثم ينتهي."
        case .runOnce:
            """
            يعمل وكيل واحد لكل مجلد بيانات؛ والآخر يناديه فقط. ينتهي عندما لا يبقى ما يُحاوَل. \
            ما فعله مسجّل في agent.log في مجلد البيانات.
            """
        case .runJSON: "يطبع بصيغة JSON كيف انتهى التشغيل."
        case .agentLogin: "تسجيل الدخول: تذهب المذكرات من بعدها إلى ADDRESS."
        case .signInCode:
            """
            يرسل الخادم رمزًا إلى ADDRESS؛ أدخله، أو أعطه سطرًا في الإدخال \
            القياسي. عنوان URL للخادم هو https، أو http على هذا الجهاز نفسه.
            """
        case .signInAddress: "عنوان البريد الذي تصل إليه المذكرات."
        case .signInRelay: "عنوان URL للخادم. الافتراضي: $MEMO_RELAY، وإلا http://127.0.0.1:8080."
        case .resultJSON: "يطبع النتيجة بصيغة JSON."
        case .agentLogout: "تسجيل الخروج: يبطل الخادم رمز هذا الجهاز."
        case .signOutKeeps: "يبقى السجل والمذكرات غير المرسلة؛ وتُرسل بعد تسجيل الدخول التالي."
        case .memoAgentCommand: "يسلّم المذكرات في الخلفية؛ ويسجّل الدخول والخروج."
        }
    }
}
