extension AppText {
    var arabic: StaticString {
        switch self {
        case .memo: "مذكرة"
        case .send: "إرسال"
        case .sendWithShortcut: "إرسال ({1})"
        case .back: "رجوع"
        case .close: "إغلاق"
        case .cancel: "إلغاء"
        case .firstHint: "اكتب مذكرة وأرسلها لتصل إلى بريدك."
        case .saved: "حُفظت. ستصل إلى بريدك قريبًا."
        case .savedOffline: "حُفظت. ستُرسل عند عودة الاتصال."
        case .savedSignedOut: "حُفظت. ستُرسل بعد تسجيل الدخول."
        case .savedUnreached: "حُفظت. ستُرسل عندما يمكن الوصول إلى الخادم."
        case .savedLimited: "حُفظت. يطلب الخادم الانتظار، لذا ستُرسل بعد قليل."
        case .savedKept: "حُفظت. المذكرة باقية على هذا الجهاز."
        case .offline: "غير متصل"
        case .unreached: "تعذّر الوصول إلى الخادم"
        case .waitingLong: "هناك مذكرة تنتظر منذ أكثر من ساعة. إنها محفوظة بأمان على هذا الجهاز."
        case .notArrived: "لم تصل إحدى المذكرات. نصها محفوظ."
        case .notifyMe: "أشعرني إذا لم تصل مذكرة"
        case .showQueue: "عرض"
        case .updateReady: "يتوفر إصدار جديد. ستبقى مسودتك محفوظة."
        case .update: "تحديث"
        case .memoTooLong:
            "المذكرة أطول من 1 ميبيبايت فلم تُرسل. النص باقٍ هنا؛ يُرجى اختصاره أو تقسيمه."
        case .memoContainsNUL:
            """
            تحتوي المذكرة على محرف NUL لا يستطيع البريد نقله فلم تُرسل. النص باقٍ هنا؛ يُرجى حذف \
            المحرف ثم إعادة الإرسال.
            """
        case .memoNotStored: "تعذّر حفظ المذكرة فلم تُرسل. النص باقٍ هنا؛ يُرجى المحاولة مرة أخرى."
        case .storageFull:
            """
            مساحة التخزين ممتلئة فلم تُرسل المذكرة. النص باقٍ هنا؛ يُرجى إخلاء بعض المساحة ثم \
            المحاولة مرة أخرى.
            """
        case .storageUnavailable:
            """
            لا يسمح هذا المتصفح لتطبيق Simple Memo بحفظ أي شيء، لذا يتعذّر الإرسال. النص باقٍ \
            هنا؛ انسخه أو افتح Simple Memo في نافذة عادية.
            """
        case .persistenceRefused:
            """
            قد يحذف المتصفح المذكرات التي لم تُرسل بعد عند ضيق المساحة. تثبيت التطبيق يقلل من \
            احتمال ذلك.
            """
        case .draftNotSaved:
            "يتعذّر حفظ المسودة حاليًا. النص باقٍ هنا؛ يُرجى إبقاء هذه الصفحة مفتوحة حتى إرساله."
        case .shareMissed:
            "لم يصل النص المُشارَك إلى التطبيق. لم يتأثر شيء آخر؛ يُرجى مشاركته من جديد."
        case .shareOffered: "شارك تطبيق أو موقع آخر نصًا:"
        case .shareTake: "إضافة إلى المذكرة"
        case .shareDiscard: "تجاهل"
        case .shareTooLong:
            """
            النص المُشارَك أطول من 1 ميبيبايت فلم يُقبل. لم يتأثر شيء آخر؛ يُرجى اختصاره \
            ومشاركته من جديد.
            """
        case .keyLost:
            """
            مفتاح المذكرات المحفوظة على هذا الجهاز مفقود. المذكرات باقية، لكن لا يمكن قراءتها أو \
            إرسالها. الرسائل التي وصلت لم تتأثر. للبدء من جديد، سجّل الخروج.
            """
        case .databaseTooNew:
            """
            حفظ إصدار أحدث من Simple Memo بيانات هذا الجهاز. لم يتغير شيء. أعد تحميل الصفحة \
            للتحديث.
            """
        case .insecureConnection:
            """
            لم تُفتح هذه الصفحة عبر https، لذا لا يمكن حفظ المذكرات بأمان ولا إرسالها. النص باقٍ \
            هنا؛ انسخه وافتح Simple Memo عبر https.
            """
        case .otherTab:
            """
            يعمل إصدار أقدم من Simple Memo في علامة تبويب أخرى. لم يُفقد شيء؛ أغلقها ثم أعد تحميل \
            هذه الصفحة.
            """
        case .signedOutElsewhere:
            """
            سُجّل الخروج في علامة تبويب أخرى وحُذف كل شيء من هذا الجهاز، فلم تُحفظ المذكرة. \
            النص باقٍ هنا؛ يُرجى نسخه ثم إعادة تحميل الصفحة.
            """
        case .appStopped:
            """
            توقف التطبيق. النص في الحقل باقٍ؛ يُرجى نسخه ثم إعادة تحميل الصفحة. المذكرات المرسلة \
            بأمان.
            """
        case .tokenRevoked:
            "لم يعد هذا الجهاز مسجّل الدخول. مذكراتك باقية هنا وستُرسل عند تسجيل الدخول من جديد."
        case .signIn: "تسجيل الدخول"
        case .history: "السجل"
        case .historyEmpty: "لا توجد مذكرات بعد"
        case .historyMore: "عرض المزيد"
        case .memoUnreadable: "يتعذّر فتحها"
        case .showAll: "عرض الكل (عدد الأحرف: {1})"
        case .statusQueued: "في الانتظار"
        case .statusSent: "أُرسلت"
        case .statusDelivered: "سُلّمت"
        case .statusBounced: "ارتدّت"
        case .statusExpired: "انتهت مهلتها"
        case .statusRefused: "رُفضت"
        case .statusDeleted: "حُذفت"
        case .statusResent: "أُرسلت من جديد"
        case .statusParked: "تحتاج إلى انتباهك"
        case .statusUnreadable: "تتعذّر قراءتها"
        case .statusUnknown: "غير معروف"
        case .reasonSignedOut: "باقية هنا حتى تسجيل الدخول ({1})."
        case .reasonOffline: "في انتظار الاتصال ({1})."
        case .reasonRelay: "الخادم لا يستجيب ({1}). المذكرة محفوظة وستُعاد المحاولة."
        case .reasonWait: "يطلب الخادم الانتظار ({1}). المذكرة محفوظة وستُرسل لاحقًا."
        case .reasonForeign:
            """
            جاء الرد من غير الخادم، ربما من صفحة تسجيل الدخول إلى هذه الشبكة ({1}). المذكرة \
            محفوظة وستُعاد المحاولة.
            """
        case .reasonUntrusted: "شهادة الخادم غير موثوقة ({1}). المذكرة محفوظة وستُعاد المحاولة."
        case .reasonFailed: "فشلت المحاولة الأخيرة ({1}). المذكرة محفوظة وستُعاد المحاولة."
        case .reasonRefused:
            "لم يقبلها الخادم ({1}). إنها باقية هنا؛ عدّلها وأرسلها من جديد أو احذفها."
        case .reasonLost:
            "فقد الخادم ما كان يحفظه من هذه المذكرة ({1}). النص باقٍ هنا؛ أرسلها من جديد."
        case .reasonBounced:
            "رفضها خادم البريد ({1}). النص باقٍ هنا؛ تحقّق من عنوانك وأرسلها من جديد."
        case .reasonMailboxFull: "بريدك ممتلئ ({1}). النص باقٍ هنا؛ وفّر مساحة وأرسلها من جديد."
        case .reasonNoMailbox:
            "لا يعرف خادم البريد عنوانك ({1}). النص باقٍ هنا؛ تحقّق من العنوان وأرسلها من جديد."
        case .reasonExpired:
            "لم يقبلها خادم البريد لأيام ({1}). النص باقٍ هنا؛ يمكنك إرساله من جديد."
        case .reasonUnsupported:
            "لا يستطيع هذا الإصدار إرسالها ({1}). إنها باقية هنا؛ حدّث التطبيق."
        case .reasonUnreadable: "إنها تالفة ولا يمكن قراءتها ({1})، وهي باقية كما هي؛ يمكنك حذفها."
        case .copy: "نسخ"
        case .copied: "تم النسخ"
        case .copyFailed: "تعذّر النسخ. حدّد النص وانسخه بنفسك."
        case .resend: "إرسال من جديد"
        case .resent: "حُفظت من جديد. ستصل إلى بريدك قريبًا."
        case .delete: "حذف"
        case .deleteQuestion: "هل تريد حذف هذه المذكرة؟"
        case .deleteSentHint: "ستختفي من هذا الجهاز. تبقى الرسالة في بريدك."
        case .deleteQueuedHint: "لم تُرسل بعد ولن تُرسل. لا يمكن التراجع عن ذلك."
        case .settings: "الإعدادات"
        case .address: "عنوان البريد"
        case .addressHint: "تصل مذكراتك إلى هنا."
        case .askCode: "استلام رمز بالبريد"
        case .codeSent: "أُرسل رمز إلى هذا العنوان."
        case .longCode: "أدخل الرمز الطويل من أحدث رسالة من Simple Memo في بريدك."
        case .code: "الرمز الوارد في البريد"
        case .confirmCode: "تأكيد"
        case .signedInAs: "تُرسل المذكرات إلى {1}"
        case .signedIn: "تم تسجيل الدخول"
        case .addressInvalid: "لا يمكن إرسال بريد إلى هذا العنوان. يُرجى التحقق منه."
        case .codeInvalid: "عدد أرقام الرمز: {1}."
        case .codeRejected: "هذا الرمز غير صحيح. تحقّق منه أو اطلب رمزًا جديدًا."
        case .codeExpired: "انتهت صلاحية هذا الرمز. اطلب رمزًا جديدًا."
        case .codeSpent: "لم تبق محاولات لهذا الرمز. اطلب رمزًا جديدًا."
        case .handleMissing:
            """
            لا يقبل الخادم الرمز إلا من التطبيق الذي طلبه. مذكراتك محفوظة. اطلب رمزًا جديدًا، \
            وإن تكرّر هذا فحدّث Simple Memo.
            """
        case .tooManyRequests: "محاولات كثيرة جدًا. يمكنك المحاولة من جديد بعد {1} ث."
        case .tooManyRequestsLater: "محاولات كثيرة جدًا. يُرجى المحاولة لاحقًا."
        case .relayUnreachable:
            "يتعذّر الوصول إلى الخادم. لم يُفقد شيء؛ تحقّق من الاتصال وحاول من جديد."
        case .relayFailed: "حدثت مشكلة في الخادم (HTTP {1}). لم يُفقد شيء؛ يُرجى المحاولة لاحقًا."
        case .notARelay:
            """
            جاء الرد من غير الخادم، ربما من صفحة تسجيل الدخول إلى هذه الشبكة. لم يُفقد شيء؛ تحقّق \
            من الاتصال وحاول من جديد.
            """
        case .subjectTemplate: "الموضوع"
        case .subjectTemplateHint:
            """
            {line} هو السطر الأول من المذكرة، و{date} التاريخ، و{id} رمز قصير يميّز الرسائل بعضها \
            من بعض.
            """
        case .subjectPreview: "مثال: {1}"
        case .templatePlaceholder:
            """
            لا يمكن أن يرد بين القوسين \u{2066}{ }\u{2069} إلا {line} و{date} و{id}، و{line} مرة واحدة فقط. \
            يبقى الموضوع السابق مستخدمًا.
            """
        case .templateBrace:
            """
            هناك قوس \u{2066}{\u{2069} أو \u{2066}}\u{2069} بلا مقابل. لكتابة القوس نفسه استعمل \u{2066}{{\u{2069} أو \
            \u{2066}}}\u{2069}. يبقى الموضوع السابق مستخدمًا.
            """
        case .templateTooLong: "هذا الموضوع طويل جدًا. اختصره؛ يبقى الموضوع السابق مستخدمًا."
        case .signature: "التوقيع"
        case .signatureHint: "يُضاف أسفل كل مذكرة."
        case .signatureTooLong: "هذا التوقيع طويل جدًا. اختصره؛ يبقى التوقيع السابق مستخدمًا."
        case .language: "اللغة"
        case .languageAutomatic: "تلقائي"
        case .devices: "الأجهزة"
        case .deviceCurrent: "هذا الجهاز"
        case .deviceSince: "منذ {1}"
        case .deviceUsed: "آخر استخدام: {1}"
        case .deviceQuestion: "هل تريد تسجيل خروج هذا الجهاز؟"
        case .deviceHint: "لن يتمكن {1} من إرسال مذكرات. تبقى الرسائل في بريدك."
        case .deviceSignedOut: "سُجّل خروج الجهاز."
        case .privacyOverlay: "إخفاء النص عندما يكون التطبيق في الخلفية"
        case .signOut: "تسجيل الخروج"
        case .signOutQuestion: "هل تريد تسجيل الخروج وحذف كل شيء من هذا الجهاز؟"
        case .signOutHint: "يُحذف السجل والمسودة والإعدادات من هذا الجهاز. تبقى الرسائل في بريدك."
        case .signOutUnsent: "مذكرات لم تُرسل وستُفقد: {1}"
        case .signOutConfirm: "تسجيل الخروج والحذف"
        case .signOutUntold:
            "حُذف كل شيء من هذا الجهاز. تعذّر إبلاغ الخادم، وقد يبقى هذا الجهاز في قائمته."
        case .signOutKeep: "تسجيل الخروج والاحتفاظ بكل شيء"
        case .signOutKept:
            "تم تسجيل الخروج. يبقى كل شيء مشفّرًا على هذا الجهاز حتى تسجيل دخولك التالي."
        case .signOutKeptUntold:
            """
            تم تسجيل الخروج. يبقى كل شيء على هذا الجهاز حتى تسجيل دخولك التالي. تعذّر إبلاغ \
            الخادم، وقد يبقى هذا الجهاز في قائمته.
            """
        case .settingsSaved: "تم الحفظ"
        case .settingsNotSaved:
            "تعذّر حفظ التغيير. يبقى الإعداد السابق مستخدمًا؛ يُرجى المحاولة مرة أخرى."
        case .syncing: "تجري المزامنة"
        case .changesUnconfirmed: "تغييرات لم تُؤكَّد بعد: {1}"
        case .syncedAt: "آخر مزامنة: {1}"
        case .changeMet: "غيّر جهاز آخر هذا أيضًا. القيمة هناك: {1}"
        case .changeRefused: "لم يُقبل هذا التغيير."
        case .edit: "تعديل"
        case .writtenOn: "كُتبت على {1}"
        case .writtenElsewhere: "كُتبت على جهاز آخر"
        case .diagnostics: "التشخيص"
        case .queue: "قائمة الانتظار"
        case .queueEmpty: "لا شيء في الانتظار"
        case .queued: "في الانتظار: {1}"
        case .parked: "تحتاج إلى انتباهك: {1}"
        case .quarantined: "تتعذّر قراءتها: {1}"
        case .waitingSince: "منذ {1}"
        case .attempts: "المحاولات: {1}"
        case .nextAttempt: "المحاولة التالية: {1}"
        case .retryNow: "المحاولة الآن"
        case .retryAll: "محاولة الكل الآن"
        case .timings: "أوقات الاستجابة"
        case .timeToText: "من البدء إلى الكتابة"
        case .sendToReset: "من الإرسال إلى خلوّ الحقل"
        case .timing:
            "الوسيط {1}\u{00A0}ملي\u{00A0}ث، الأحدث {2}\u{00A0}ملي\u{00A0}ث، الهدف {3}\u{00A0}ملي\u{00A0}ث"
        case .notMeasured: "لم يُقس بعد"
        case .log: "أحدث الخطوات"
        case .logRemoved: "غادرت قائمة الانتظار"
        case .ratingQuestion: "ما رأيك في Simple Memo؟"
        case .ratingStars: "النجوم: {1} من 5"
        case .ratingDismiss: "ليس الآن"
        case .ratingThanks: "شكرًا على تقييمك."
        case .hidden: "مخفي حفاظًا على الخصوصية"
        }
    }
}
