"""How English requests say things. Rows are tried from the top."""
# ruff: noqa: E501 - rows of data are read whole

MODALS = [
    (
        "Must",
        r"\b(?:must|shall|ha(?:s|ve) to|(?:is|are) required to|(?:is|are) (?:mandatory|required)|may not|may only"
        r"|(?<!no )(?<!the )(?<!what we )(?<!what i )needs?(?: to)?)\b(?! not need)",
    ),
    ("Should", r"\b(?:should|ought to|(?:is|are) expected to|ideally|preferably)\b"),
    (
        "Could",
        r"\b(?:could|may|might|optional(?:ly)?|nice[- ]to[- ]have|would be (?:nice|good|great|useful)|if time permits)\b",
    ),
]
WEAK = r"\b(?:(?:is|are|would be|will be) enough|suffices?)\b|\b(?:can(?:not|'t)?|(?:is|are|be) able to|will|ha(?:s|ve) to|needs?(?: to)?|could|may|might|want(?:s|ed)? to)\b"

_TONGUE = r"(?:english|german|french|spanish|turkish|italian|chinese|japanese|korean|arabic|portuguese|dutch|polish|russian|hindi|czech|ukrainian|danish|swedish|norwegian|finnish|greek|romanian|hungarian|vietnamese|welsh|catalan|frisian)"
_TONGUE_DE = (
    r"(?:deutsch|englisch|französisch|türkisch|polnisch|italienisch|spanisch|russisch|arabisch|ukrainisch)"
)
_NUMBER = r"(?:sixty|seventy|eighty|ninety|zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred)"
_COUNT = rf"(?:\d[\d.,]*|one|{_NUMBER}|half|an? (?:hour|day|week|month|third|quarter)|several)"
CATEGORIES = [
    (
        "S",
        r"encrypt|\btls\b|\bssl\b|\bhttps\b|authenticat|authori[sz]|permission|\baudit(?!or)|\bgdpr\b|\bhipaa\b|\bhash(?:ed|ing)?\b|password|\bconfidential|\bnobody(?:['’]s business| (?:else|except|but) )|\b(?:visible|shown|readable|accessible|read|seen|opened|viewed|known) (?:only )?(?:to|by|for)\b.{2,60}\bonly\b|\b(?:visible|readable|accessible|shown|seen|viewed|opened|read) only (?:to|by|for)\b|\bonly (?:the |an? |their |its )?[\w ]{3,40}\b(?:may|can|should|must) (?:see|read|open|access|view|change)"
        r"|\bstays? (?:on servers )?(?:in|within) (?:the|our) (?:country|eu|building|network|house)|\b(?:kept|stored|retained) (?:for|until)\b.{2,40}\b(?:removed|deleted|erased)|\blogged with\b|\b(?:names?|addresses|phone numbers?|e-?mails?|photos?|secrets?)\b.{0,40}\b(?:never|must not) (?:be )?(?:shown|visible|shared|part|sent|stored|leave)|\banonymi[sz]|\bpseudonymi[sz]|\bconsent\b|\b(?:former|old|past) \w+\b.{0,30}\berased|\b(?:positions?|records?|readings?|recordings?|numbers?|entries|images?|logs?)\b.*\b(?:delet|eras|remov|purg)ed? .*\b(?:days?|weeks?|months?|years?|hours?)\b"
        r"|\bsalted\b|\bcertificate|\bsecrets?\b|personal|privacy|\b(?:names?|phone|e-?mails?|address(?:es)?|accounts?|photos?|data)\b.*\b(?:delet|eras|remov)ed? .*\b(?:days?|months?|years?|hours?)\b|retention|access control|\blogged with who\b|two-factor"
        r"|\b(?:is|are|be|gets?|get) (?:\w+ly )?(?:delet|eras|remov|purg)ed\b.{0,40}\b(?:after|within|once|when|in|every|at the end of)\b|\btwo[- ]factors?\b|\bnever (?:touch(?:es)?|leaves?|stored?|leav(?:e|es))\b|\bno (?:network|internet) access\b|\bcan(?:not|['’]t) be (?:changed|altered|removed|deleted|edited)\b|\bblurred\b|\bonly for (?:staff|the)\b|\bonly \w+(?: \w+){0,4} can (?:change|edit|delete|see|read)\b|unveränder|\bsecond factor\b|\bsigned? ?-?in with\b|\bno (?:tracking|names)\b"
        r"|\b(?:kept|stored|recorded|written|logged|saved|noted) with (?:the |its |his |her |their |a )?(?:user|name|person|author|who|time|date)|\bwho (?:has )?(?:changed|edited|deleted|read|opened) (?:what|it|them|which)\b|\b(?:may|can|must|should) only be (?:seen|read|opened|changed|viewed|edited)\b|\b(?:never|not|nothing)\b.{0,40}\bpublic\b|\bsign-?in with\b"
        r"|\btamper|\bmask(?:ed|ing)?\b|\b(?:signed|signature)\b|vulnerab|leak",
    ),
    (
        "SC",
        r"\bif (?:the |our |an? )?\w+(?: \w+){0,2} (?:is|are|goes|go) (?:down|gone|offline|unreachable|unavailable)\b|\b(?:dies|crash(?:es)?)\b|\b(?:nightly|daily|weekly|hourly) (?:copy|copies|backup)|\bnetwork gap\b"
        r"|\b(?:system|server|line|network|internet|connection|power|wi-?fi|site)\b.{0,20}\b(?:is|goes|are|was) (?:down|out|cut|gone|lost)\b|\bwithout (?:an? |any |the )?(?:\w+ ){0,2}(?:network|internet|connection|reception|signal|wi-?fi|power)\b|\bcopes? with\b|\bpower (?:failure|cut|outage)\b|\bwithout (?:data )?loss\b"
        r"|^(?:about |up to |some |~ ?)?\d[\d.,]* (?:\w+ )?(?:customers|users|members|visitors|orders|cars|vehicles|people|contracts|loans|requests|devices|students|patients)\b",
    ),
    (
        "U",
        r"\bwcag\b|accessib|screen ?reader|keyboard(?! shortcut)|usab|\btranslat|locali[sz]|internationali[sz]|right-to-left|contrast|(?:font|text|letter) size|colou?r[- ]?blind|\bgloves\b|\bwheelchair\b|\bcannot see\b|\bnever seen\b|\bglasses\b|\b\d+ ?(?:px|pt)\b|\bof explanation\b|\bnothing fancy\b"
        rf"|\b{_TONGUE_DE}(?:,| und| oder) ?(?:und )?{_TONGUE_DE}\b"
        rf"|\b{_TONGUE}(?:,| and| or| \+|/) ?(?:and )?{_TONGUE}\b"
        r"|\b(?:\w+ languages?|languages? of|switch languages?)\b(?<!by language)|\b(?:in|into|and|or|both) (?:english|german|french|spanish|turkish|italian|chinese|japanese|korean|arabic|portuguese|dutch|polish|russian|hindi)\b"
        r"|easy to|without training|intuitive|mobile (?:phones?|devices?|screens?)|responsive|with (?:one|a single) hand|with gloves|wear(?:ing)? gloves|without (?:a )?(?:mouse|glasses|help|instruction|manual|explanation)|\breadable\b(?! by)|\blegible|\b(?:big|bigger|larger?) (?:letters|type|print|buttons|text)|letters? big|self-explanatory|\btrain(?:ed|ing)\b|\bwet fingers\b|\b(?:first|new) [\w ]{2,30} (?:without help|unaided)|\b(?:learn|understand)s? it (?:in|within)|\ben 301 549\b|\bsection 508\b|\bclicks?\b.{0,12}\b(?:at most|or (?:less|fewer))|\bat most \w+ (?:clicks|taps|steps)\b|plain (?:language|words)|large (?:print|type|letters)",
    ),
    (
        "P",
        r"\blatency|response time|\b(?:take|takes|last) (?:no )?longer than\b|responsive|respon(?:ds?|ses?) (?:times?|in|within|under|below|fast|quickly|immediately)\b|\bload(?:s|ing)?\b|throughput|\bmemory\b|\bram\b|\bcpu\b|per second|percentile|\bp9\d\b"
        r"|\b(?:under|within|below|less than|at most|up to|no more than|not more than|faster than)\s+(?:under |less than |at most |about )?(?:[\d.,]+|an?|one|two|three|five|ten|half an?)\s*(?:ms|milliseconds?|s|secs?|seconds?|minutes?|mb|gb|kb|mib|gib)\b|\b\d[\d.,]*\s?(?:ms|milliseconds?|seconds?|mb|gb|mib|gib)\b.{0,20}(?:at most|or less|max)|\bin (?:under |about |at most )?(?:[\d.,]+|an?|one|two|three|five|half an?)\s*(?:ms|milliseconds?|s|secs?|seconds?)\b|\bkeeps? up with\b|\bquick\b"
        r"|(?:[<≤]=?|\b(?:under|within|below|less than|at most|up to|no more than)) ?\d[\d.,]* ?(?:ms|s|secs?|min)\b"
        r"|\bfast\b|performan|startup time|start in|bandwidth|disk space|battery",
    ),
    (
        "SC",
        r"availab(?:le \d|ility)|uptime|\bback(?:ed)? up\b|\brestor(?:e|es|ed|ing)\b|\bconcurren|at once|at the same time|simultaneous|\bscal(?:e|es|able|ing)\b"
        r"|\b(?:surviv|failover|outage|recover|offline|redundan)|\baround the clock\b|\b24/7\b|\b99(?:[.,]\d+)? ?%|\bwithout (?:a |any )?(?:network|internet|connection|reception|signal|wi-?fi|losing|loss)\b|\b(?:airplane|flight) mode\b|\bpower (?:failure|cut)|\bpeak\b|\bin one (?:day|hour|minute|weekend)\b|\bno (?:signal|network|reception)\b|\bwhen the (?:line|network|connection|internet|power) (?:is|goes|drops)|\b(?:line|network|internet|connection|power|reception|wi-?fi|signal)\b.{0,30}\b(?:down|drops?|fails?|gone|lost|out)\b|\b(?:go(?:es)? on|keeps?|continues?) (?:on )?(?:working|running)\b|\b(?:lose|loses|lost)\b.{0,20}\b(?:data|entr(?:y|ies)|records?|messages?)|\b(?:restart|crash|reboot)\b|\binterruption|\bper (?:hour|minute)\b"
        r"|\d[\d,.]*\s+(?:[\w-]+ ){1,3}(?:a|per|on an?|every|each) (?:\w+ )?(?:day|night|evening|morning|weekend|monday|saturday|sunday)\b"
        r"|\bbackup|\bdown for\b|per (?:day|month)\b|within (?:\w+ )?(?:years?)\b"
        r"|\d[\d,.]*\s*(?:k|m|million|thousand)?\s+(?:\w+ )?(?:people|members|patients|technicians|drivers|employees|students|visitors|pupils|tickets|documents|entries|vehicles|messages|requests|events|addresses|users|devices|customers|clinics|sites|stores|tenants|sessions|connections|records|rows|nodes|orders)\b",
    ),
    (  # what only these words say, after all others
        "S",
        r"\b(?:forgotten|gone|removed|removable|revo(?:ked|cable)|purged|wiped)\b.{0,20}\b(?:after|within|in|when|once|not just)\b|\bno(?:t|thing|body)?\b.{0,30}\b(?:uploaded|transmitted|published)\b|\b(?:never|not)\b.{0,12}\b(?:be )?(?:stored|saved|recorded|kept)\b|\b(?:keep|keeps|kept|hold|holds) (?:the |their |our )?(?:names?|numbers?|addresses|data|details|contacts)\b.{0,30}\b(?:for|until|no longer|not longer|only)\b|\baccess to\b.{0,40}\b(?:limited|restricted)\b|\boauth\b|\bsso\b|\btokens?\b|\bfrom outside\b|\bnever (?:an?|the|their|his|her) (?:name|address|face|number|content)|\bcsrf\b|\bxss\b|\binjection\b|\bpenetration\b",
    ),
    (
        "U",
        r"\bvoiceover\b|\btalkback\b|\bbraille\b|\b(?:biggest|bigger|large|larger) (?:fonts?|text|letters)\b|\b(?:no|without|little|any) (?:explanation|training|introduction|instructions?)\b|\b(?:one|a|wet|gloved) (?:\w+ )?(?:thumb|hand|finger)s?\b|\b(?:cannot|can['’]t|can not) (?:read|see|hear)\b|\b(?:can be|is|are) read (?:in|from|at|by)\b|\bdark mode\b|\boldest\b|\bby (?:ear|voice)\b|\bclear error messages\b",
    ),
    (
        "SC",
        rf"\b(?:{_COUNT}) times (?:the|as|more)\b|\b(?:in|through) a tunnel\b|\b(?:hours?|days?|night) without (?:an? |the )?(?:server|network|power|connection)\b|\bon battery\b|\bloss of power\b|\bfor \d+ days without\b|\b(?:will|may) have \d",
    ),
    (
        "P",
        r"\b\d[\d.,]* ?(?:w|mw|watts?|wh|kwh|fps|hz)\b|\bpower consumption\b|\b(?:at once|immediately|instantly|right away|in real time|real-time)\b.{0,20}$",
    ),
    (
        "S",
        r"\block (?:themselves|itself)\b|\bkept with the (?:account|name|user)|\b(?:may|must|can|should)(?: not|n['’]?t) (?:see|read|know)\b|\baccess is logged\b|\b(?:store|keep|save) (?:no |card|real )|\b(?:don['’]?t|never|not) store\b|\b(?:stays?|kept|remains?) (?:hidden|secret|private|confidential)\b|\bhidden from\b|\btrace(?:d|able) to an? |\b(?:vanish(?:es)?|dropped|disappears?)\b.{0,20}\b(?:after|within|at (?:midnight|the end))\b|\bkept longer than\b|\bpass ?keys?\b|\bon record\b|\b(?:logs?|records?|logged|recorded|written down|noted)\b.{0,12}\b(?:who|by whom|with [\w' ]{2,20}'s name)\b|\bnever (?:learns?|publish(?:es|ed)?|opens? a connection|leaves?)\b|\bmust(?: not|n['’]t) (?:collect|show|reveal|disclose|publish)\b|\b(?:to|and) nobody else\b",
    ),
    (
        "SC",
        r"\b(?:los(?:es?|ing|t)|without|no) (?:its |the |any |mobile |phone )?(?:network|connection|coverage|signal|reception|wi-?fi|internet)\b|\b(?:network|connection|wi-?fi|internet|signal)\b.{0,20}\b(?:off|away|does not|doesn['’]?t|breaks?|drops?)\b|\bsen[dt]s? (?:it |them )?(?:later|afterwards|when)\b|\bsyn(?:c|ced|cs|chroni[sz]e[sd]?) (?:it )?(?:later|when|once)\b|\brestorable\b|\bcopy of everything\b|^\d[\d.,]*\d{2} [\w ]{3,40}\b(?:in|within|on) (?:an?|one|the same|\d+|five|ten) (?:minutes?|hours?|day|evening|saturday|sunday|weekend)\b",
    ),
    (
        "U",
        r"\bno(?:t need)? more than \w+ (?:answers|levels|questions|fields|screens|steps|clicks|taps)\b|\bneeds? no (?:explanation|manual|training)\b|\bspeaks? slowly\b|\bphone first\b|\bnight mode\b|\blandline\b|\bwithout registering\b",
    ),
    ("P", r"\blag\b|\b\d+ ?ms\b"),
]
QUALITIES = [
    ("S", r"\bprotection of (?:personal )?data\b|^access(?: rights?)?$"),
    ("SC", r"^(?:loss of power|power|failures?|no network|mengen?(?:gerüst)?|quantities|volumes?)$"),
    ("P", r"^battery$"),
    (
        "S",
        r"mit (?:name|benutzer|nutzer|datum|zeit|uhrzeit)\w*(?: und \w+)?\b.{0,12}(?:protokoll|festgehalten|gespeichert|vermerkt)|avec (?:le )?(?:nom|l.auteur|l.heure|la date)|con (?:el )?(?:nombre|usuario|la fecha|la hora)|verschlüssel|passwor|anmeldung|zugriff|berechtig|dsgvo|personenbezogen|protokollier|zwei-faktor|vertraulich|chiffr|mot de passe|rgpd|accès (?:réservé|limité)|données personnelles|anonymis|journalis|authentif|confidentiel|cifrad|contraseña|senha|lgpd|datos personales|dados pessoais|anonim|auditor|autenticac|autenticaç|cifrat|dati personali|può vedere|暗号|認証|パスワード|権限|個人情報|監査|削除|\baudit trail\b|\brole-based\b|\blog(?:s|ged)? (?:who|every|all|each)\b|\bowasp\b|\bgdpr\b|\blogin\b|\bsessions? (?:end|expire)|\bnot (?:shared|stored|sold)\b|\bwho (?:did|changed|saw)\b|閲覧できるのは|のみ(?:閲覧|アクセス|と)|^(?:sec|priv)\w*-|visible (?:only )?to\b|\b(?:sees?|reads?|access(?:es)?|opens?|changes?)\b.{0,30}\bonly\b|\bonly\b.{1,40}\b(?:may|can) (?:see|read|open|change)|code was entered|secur|traceab|privacy|confidential|data protection|complian|audit\b|access control|sicherheit|datenschutz|sécurité|confidentialité|seguridad|privacidad|セキュリティ|プライバシー",
    ),
    (
        "U",
        r"bitv|verständlich|ohne schulung|einweisung|handschuh|lesbar|tastatur|intuitiv|klicks?\b|rgaa|lisible|formation|malvoyant|gros caractères|clavier|accesib|acessib|idioma|legible|legível|capacitaci|treinamento|letra grande|teclado|toques|lingua\b|leggibil|caratteri grandi|formazione|文字サイズ|大きな文字|手袋|研修|操作できる|\bfirst[- ]time\b|\bnon-technical\b|\bplain (?:words|language)\b|\btaps?\b|\bsteps\b|\btouch targets?\b|\btooltips?\b|\bmobile-friendly\b|\bonboarding\b|\bone-handed\b|\bdark mode\b|\belderly\b|\btranslat|[ァ-ヶー一-鿿]語(?:でも|で|表示|対応)|多言語|schriftgröße|ungeübt|sprachen?\b|bedienung|langues?\b|idiomas?\b|^(?:use|ux|usab|acc)\w*-|\bhandling\b|\blearn|\bunderst|\bclicks?\b|ease\b|usab|accessib|locali[sz]|internationali[sz]|ease of use|ergonom|barrierefrei|bedienbar|benutzbar|utilisab|usabilidad|使いやすさ|アクセシビリティ",
    ),
    (
        "P",
        r"sekunden?\b|millisekunde|antwortzeit|ladezeit|reaktionszeit|secondes?\b|temps de réponse|chargement|segundos?\b|milisegundos|tiempo de respuesta|tempo de resposta|rápid|secondi\b|tempo di risposta|durare più|秒以内|応答|ミリ秒|\b\d[\d.,]* ?(?:ms|milliseconds?|seconds?|secs?|fps)\b|\bload time|\bcold start\b|\bp9\d\b|\bframes?\b|\bbundle size\b|\brender|^perf-|\boverhead\b|[<≤] ?\d[\d.,]* ?(?:ms|s|sec|min)\b|\bunter (?:einer|\d+|zwei|drei|fünf|zehn) (?:sekunde|minute)|perform|speed|freshness|\\bdelay\\b|\\blag\\b|latency|respon[sd]|throughput|efficien|(?<!produkt)(?<!dienst)leistung(?!s?(?:umfang|beschreibung))|geschwindigkeit|rendimiento|性能",
    ),
    (
        "SC",
        r"wiederherstell|offline|ohne (?:netz|empfang|internet|verbindung)|stromausfall|datenverlust|bis zu \d|\d[\d.]* (?:nutzer|geräte|datensätze|benutzer|mitglieder)|hors (?:ligne|connexion)|sans (?:réseau|connexion)|panne|jusqu.à \d|perte de données|respaldo|cópia de segurança|sin (?:conexión|internet|red)|sem (?:conexão|internet|rede)|caída|hasta \d|até \d|pérdida de datos|contemporane|senza (?:linea|rete)|guasto|fino a \d|同時|稼働率|バックアップ|復旧|オフライン|停電|(?:件|人|台)まで|\bpeak\b|\buptime\b|\bfailover\b|\brpo\b|\brto\b|\bdata loss\b|\bsync(?:s|ed)? (?:later|when|once)\b|\breconnect|\bup to [\d,.]+|\bdown ?time\b|\bdegrad|\bredundan|^(?:avail|rel|scal|cap)\w*-|service level|\bsla\b|incident|sicherung|gleichzeitig|an einem (?:tag|wochenende)|ausfall|sauvegarde|simultané|copia de seguridad|\bparallel\b|\bpeak\b|\bwithout (?:an? |the )?(?:network|internet|connection|power|reception)\b|network gap|\bkeeps? working\b|\blost\b|\d[\d.,]*(?:\d{3}|\s?million)\b|\b\d{2}[\d.,]* (?!(?:seconds|minutes|hours|days|weeks|months|years|points|pixels|clicks|taps|steps|euros|pounds|dollars)\b)[a-z]+s\b|scal(?:e|ab|ing)|growth|availab|reliab|resilien|robust|stabil|capacity|load|volume|backup|recovery|verfügbar|skalier|zuverlässig|disponib|fiabilité|escalab|可用性|信頼性|拡張性",
    ),
]
DOMAINS = [
    ("health care", r"\bclinic|patient|hospital|doctor|nurse|medical|health|pharmac"),
    ("catering and hospitality", r"restaurant|\bmenu\b|kitchen|hotel|guest|\bcaf[eé]\b|waiter"),
    ("commerce", r"\bshop|store\b|customer|order|cart|checkout|invoice|payment|product catalog"),
    ("education", r"school|student|teacher|course|lesson|exam|universit|homework"),
    ("finance", r"\bbank|billing|ledger|accounting|loan|portfolio|\btax\b|insurance"),
    ("logistics", r"deliver|warehouse|shipment|truck|courier|inventory|fleet"),
    ("operations and observability", r"\blogs?\b|metric|monitor|incident|alert|on-call|gateway|telemetry"),
    ("identity and access", r"authenticat|two-factor|log ?in|sign-?in|password|single sign-on"),
    ("data processing", r"\bcsv\b|parquet|\bschema\b|dataset|pipeline|\betl\b|convert|import|export"),
    ("web tools", r"\burl\b|website|web page|browser|dashboard|link"),
    (
        "developer tools",
        r"\bcli\b|command line|library|\bsdk\b|refactor|compiler|linter|developer|repository|code",
    ),
    ("communication", r"\bchat|message|e-?mail|newsletter|notification|forum"),
]
# feedback that asks for form: something is done to a text of ours, and nothing is said behind it; all else may be a need
_FORM_DO = (
    r"shorten|re-?name|re-?order|re-?arrange|re-?structure|re-?phrase|re-?word|re-?write|re-?format|re-?number|edit|polish|tidy(?: up)?|clean up|trim"
    r"|simplify|clarify|format|translate|proof-?read|correct|fix|improve|tighten|condense|summari[sz]e|capitali[sz]e|swap|merge|split|sort"
)
_FORM_ID = r"(?:REQ|NFR|G|ADR|EPIC|STORY)-[\w-]+"
_FORM_THE = r"(?:(?:all|each|every|some|any|most)(?: of)? )?(?:(?:the|your|these|those|this|its|each|every) )"
_FORM_OURS = (  # what may be a thing of the product as well (documents, sections) is ours when it is pointed at
    rf"(?:{_FORM_THE}(?:documents?|brief|vision|summary|sections?|chapters?|sentences?|paragraphs?|(?:user )?stor(?:y|ies)|glossary|tone|language)"
    rf"|(?:{_FORM_THE}|all |some |any )?(?:(?:document|requirement|epic|story|section)(?:'?s)? )?(?:requirements?|epics?|adrs?|acceptance criteri(?:a|on)|wordings?|phrasing|terminology"
    r"|titles?|headings?|typos?|(?:spelling|grammar|punctuation)(?: (?:errors?|mistakes?))?)"
    rf"|{_FORM_ID})"
)
_FORM_PART = rf"(?:(?:(?:the |all )*(?:texts?|titles?|headings?|order|numbering|formatting|layout|wording|tone|language|typos?|spelling|grammar|punctuation) (?:of|in) )?{_FORM_OURS})"
_FORM_HOW = (
    r"(?:short(?:er)?|long(?:er)?|clear(?:er)?|unclear|concise|verbose|wordy|readable|simpler?|formal|informal|friendly|friendlier|polite|technical|precise|vague"
    r"|brief(?:er)?|consistent|inconsistent|confusing|nicer?|better|easier to read|hard to read)"
)
_FORM_READS = r"(?:unclear|concise|verbose|wordy|readable|formal|informal|polite|precise|vague|clearer|shorter|briefer|easier to read|hard to read)"
_FORM_MORE = r"(?:(?:a (?:bit|little)|too|more|less|very|quite|so|not|rather|much|far|even|sound|read) )*"
_FORM_END = r"(?:,? (?:please|everywhere|throughout))?[.!? ]*$"
PATTERNS = {
    "remark": r"^(?:rated \d|ratings? from|risk[_ ]level|suggestions only|missing section)"
    r"|^(?:add|repair|define|replace|give|keep|write|complete|fill|settle) .*\b(?:section|placeholder|acceptance criteri\w*|open questions?)\b"
    r"|\b(?:section is missing|section has no content|cannot be tested|placeholder was left|traceab\w*|this document)\b",
    "form": r"^(?:please |kindly |also |and |then |just |now |can you |could you |would you |i(?:'d| would) like you to |you should |there (?:is|are) )*(?:please )?"
    rf"(?:(?:{_FORM_DO}) {_FORM_PART}(?: (?:(?:more|less) )?\w+ly| in (?:plain|simple) \w+)?"
    rf"|re-?name {_FORM_ID} (?:in)?to .+|(?:{_FORM_DO}) (?:the |all |your )*(?:requirements?|epics?|user stories) by (?:priority|importance|number|id|identifier)"
    rf"|translate {_FORM_OURS} (?:in)?to \w+|(?:{_FORM_DO})(?: (?:it|this|that|them|everything))?"
    rf"|(?:make|keep|write|get) (?:{_FORM_PART} {_FORM_MORE}{_FORM_HOW}|(?:it|this|that|them|everything) {_FORM_MORE}{_FORM_READS})"
    rf"|(?:use|choose|prefer|write in) (?:an? )?{_FORM_MORE}(?:{_FORM_HOW}|active|passive|neutral) (?:tone|language|style|voice|words?|wording|sentences?)"
    rf"|less jargon|more concise|be (?:more |less )?{_FORM_HOW}"
    rf"|(?:i find |i think )?(?:{_FORM_PART} (?:is|are|reads?|sounds?|looks?|seems?|feels?) {_FORM_MORE}{_FORM_HOW}|(?:it|this|everything) (?:is|reads|sounds|looks|seems|feels) {_FORM_MORE}{_FORM_READS})"
    rf"|(?:a |some |many |several |the )*(?:typos?|(?:spelling|grammar|punctuation)(?: (?:errors?|mistakes?))?|formatting|wording)(?: in {_FORM_OURS})?){_FORM_END}",
    "small_talk": r"^(?:(?:(?:and|with|many|kind(?:est)?|best|warm(?:est)?|yours) )*(?:hello|hi|hey|regards|wishes|sincerely|good (?:morning|evening|day|job|work)|greetings|thanks?|thank you|thx|cheers|please|looks? (?:good|great|fine|ok(?:ay)?)|lgtm|nice|great|perfect"
    r"|awesome|excellent|cool|fine|ok(?:ay)?|yes|no|yep|nope|sure|well done|i (?:like|love) (?:it|this)|i agree|agreed|approved?|go (?:on|ahead)|bye|hmm+|test(?:ing)?)"
    r"(?: (?:there|all|everyone|team|you|so|very|much|work|job|this|it|that|to me|a lot|in advance|from (?:me|us|all of us|\w+)|again|for (?:the|this|your) \w+))*[,.!?: ]*)+$",
    "one_shot": r"\b(?:cli|command[- ]line|library|script|converter|parser|sdk|convert\w*)\b",
    "changes": r"^(?:please\s+)?(?:add|refactor|migrate|move|rename|rewrite|upgrade|replace|fix|improve|remove|split|extract|modernize|port)\b",
    "exclusion": r"\bwe (?:will |would )?(?:also |therefore )?not (?:replace|rebuild|build|touch|migrate|support|cover|handle|offer|provide|include|develop|integrate|implement|tackle)\b|\b(?:it|this|they|the (?:app|system|tool|site|page|first version)) (?:need(?: not|n['’]?t)|(?:does not|doesn['’]?t) (?:need|have) to) (?:do|have|cover|handle|support|include|know|contain|show|replace|be able)\b|\b(?:is|are)(?: not|n['’]t) (?:offered|foreseen|provided) (?:in|for|during|until) (?:the|this|our)\b|\bnot (?:in|for|before|during) (?:the|its|our) (?:first|initial|next|coming) (?:year|season|version|release|phase|round|sprint|iteration|term)\b|\b(?:leave|keep)s? (?:(?!to\b|for\b)[\w'’-]+ ){1,6}out (?:here|for now|this time|of (?:the|this) (?:first |initial )?(?:version|release|phase|round|sprint|iteration|mvp))\b|\b(?:is|are|was|were) (?:deliberately |intentionally |explicitly )(?:left out|omitted|excluded)\b|\b(?:is|are) out,? (?:too|as well)(?:$|[.,;])|\bleave that out\b|^(?:please )?dont (?:do|build|make)\b|^(?:please )?(?:do not|don['’]?t) (?:replace|rebuild|rewrite|redesign|reinvent|build|touch|migrate|bother (?:with|about)|worry about|cover|handle)\b|\b(?:we|i) (?:have |had )?said no to\b|\b(?:we|i) (?:also |will |would )?(?:do not|don['’]?t|will not|won['’]?t) (?:touch|build|handle)\b|\b(?:we|i) can live without\b(?! (?:an? |some )?(?:few|couple|things))|\b(?:i|we)(?:['’]d| would) (?:rather )?leave .{3,60} (?:to|for) (?:an?|the|later|another|somebody|someone|others)\b|^not core\b|\bremains? with the (?!same\b)\w+(?: \w+)?[.]?$|\b(?:do|does) not (?:seek|touch)\b|\bmaybe (?:some|another|next) year\b|\bsome(?:body| ?one) else['’]s (?:project|job|business)\b|\b(?:leave|leaves|keep|keeps) (?:(?!to\b|for\b)[\w'’-]+ ){1,6}(?:out(?: of (?:it|this|them|the first \w+|scope))?|for later)\s*(?:$|[,.;])|^(?:we|i)(?:['’]d| would)? (?:leave|keep|save) .{3,60} (?:for|until) (?:later|another|the (?:next|second))|\bstays? with the (?!same\b)\w+(?: \w+)?[.]?$|\bwe (?:don['’]?t|do not) build for\b|\b(?:stays?|remains?) (?:as|where|what) (?:it|they) (?:is|are)\b|\bleaves? .{3,40} alone\b|\bfor another (?:rfc|project|time|release|day)\b|\b(?:do|does) not (?:intend|aim|plan) to\b|\b(?:is|are) not touched\b|^not asking for\b|^please nothing\b|^no .{2,40} (?:in|for) this (?:round|sprint|release|version|iteration|step)\b|(?:^|[.,;] )(?:\w+ ){1,3}(?:is|are)(?: not|n['’]t) needed\b|\bwon['’]?t\b(?! (?:lose|leak|fail|block|crash|break|be lost|budge|accept|allow|agree|approve|tolerate|negotiate|bend|give way|back down|sign off|let (?:us|me|you|anyone)|notice|mind|miss)\b)"
    r"|\bwill not\b(?! (?:lose|leak|fail|block|crash|break|exceed|be lost))"
    r"|\bnot going to\b|\bnot be (?:supported|included|part)\b|\bout of (?:scope|the question)\b|\bnot (?:in|part of) (?:the )?scope\b|\bnot part of\b|\bno need (?:for|to)\b|\bnot needed\b"
    r"|\b(?:do|does|is|are)(?: not|n['’]t) (?:need(?:ed)?|planned|included|supported|support|required|cover(?:ed)?)\b"
    r"|^(?:no|not|without)\b.*\b(?:first|this|initial) (?:version|release|phase|iteration)|^(?:no|not)\b.*\b(?:for now|yet|initially|at first)\b"
    r"|\b(?:can|may) wait\b|\bleaves? (?:it |this |that )?(?:out|aside)\b|\b(?:we|i) (?:do not|don['’]?t) (?:want|plan)\b|^[^,]*\bnobody (?:asked for|needs|wants)\b|^please (?:do not|don['’]?t|no)\b"
    r"|\b(?:is|are) not (?:asked for|wanted|the aim|a goal)\b|^not an? (?!(?:big|huge|major|real|serious|complete|full) |must\b|bug\b|priority\b)|^(?:this|it) is not an? (?!(?:big|huge|major|serious) |must\b|priority\b)|^(?:we are|we're) not (?:building|making)\b"
    r"|\bout of the question\b|\bneed(?:n['’]t| not)\b(?! be (?:changed|entered|typed))|\bleave (?:that|this|it|them|those|these) out\b|\ba different (?:story|project|matter)\b|\bnot (?:this year|now|this time|in this (?:version|release|project))\b"
    r"|^(?:(?:also|and|but|so|oh|just|please|fine|ok|yes|again),? )*(?:do not|don['’]?t) (?:build|add|make|implement|create|include|bother|do|want|need)\b|^(?:(?:also|and|but|so|oh|please|fine|ok),? )+no\b|^not? ?[:：]|^not (?:in|for) [\w. ]{1,20}[:：]|^(?!(?:any|every|no)thing\b|.*\b(?:when|if)\b)[\w -]{3,60} (?:is|are) out(?: too)?(?=[.,;]|$)|^no .{2,60}\bplease\b|\bso no \w+.{0,30}(?:either)?[.]?$|\b(?:is|are) (?:explicitly )?(?:excluded|left out|ruled out|off the table)\b"
    r"|\b(?:is|are) (?:not|n['’]t) (?:our (?:job|business|task)|part|a part|meant to|supposed to|intended)\b|\bnever (?:planned|wanted|asked)\b|\b(?:skip|forget about|ignore|drop) (?:the|any|all)? ?.{2,40}\b(?:for now|this time|for the moment|at first)\b|\bcomes? later\b|\bnothing (?:about|to do with)\b"
    r"|\bnot\b.*\bin the (?:first|initial) (?:version|release)|\b(?:left|postponed|deferred) (?:for|to|until) (?:a )?later\b|\b(?:deferred|postponed) (?:to|until) (?:release|version|phase|v?\d|the next|next)|^[^:.]{3,80}: (?:maybe |perhaps )?(?:later\b|not (?!(?:more|less|only|later|before|after|longer|fewer|yet)\b))",
    "refused": r"\b(?:(?:i|we)(?:['’]d| would)|let['’]?s) (?:rather )?(?:keep|leave) (?:[\w'’-]+ ){1,6}out\b|\bwe will (?:also )?not (?:replace|rebuild|build|touch|migrate|support|cover|offer|develop|integrate)\b|\b(?:is|are)(?: not|n['’]t) (?:supported|covered|included) (?:in|for|during|until) (?:the|this|our)\b|^(?:we|i) (?:really )?(?:do not|don['’]?t) (?:want|need|build) (?:an?|any) |^please (?:no|do not|don['’]?t)\b|\b(?:is|are) not part of (?:this|it)\b|\bout of scope\b",
    "refusal": r"\b(?:must|shall|may) not\b",
    # what people would have to bear or to use, and nobody orders as a function: a "no" to it is a rule of the thing that is built
    "burden": r"(?:passwords?|passcodes?|pins?|captchas?|log-?ins?|sign-?ups?|registrations?|accounts?|cookies?(?: banners?)?|trackers?|tracking|profiling|surveillance|ads?|adverts?|advertis\w+|banners?|pop-?ups?|spam|nagging|autoplay|flashing|blinking|jargon|small print|plug-?ins?|installations?|downloads?|training|manuals?|paper\w*|cash|hidden costs?|fees?|subscriptions?|lock-in|waiting|queues?|delays?|downtimes?|outages?|double[- ]\w+|duplicates?|overlaps?|conflicts?|gaps?|errors?|mistakes|data loss|personal data|real names)(?!\w)",
    "bare_no": r"^no\s+(?!(?:one|more|less|later|fewer)\b)",
    "restriction": r"\b(?:nothing|nobody|no one) else (?:may|can)\b|^nothing (?:may|can)\b|\bonly\b.*\b(?:may|can)\b|\b(?:may|can)\b[^.;]*\bonly\b|\bno \w+(?: \w+)? (?:may|can)\b|^no\b.*\b(?:may|can|must)\b",
    "question": r"[:–—-] ?(?:tbd|to be (?:decided|discussed|determined|agreed|clarified|confirmed|defined))\b|^(?:what|one thing) (?:i|we) (?:do not|don['’]?t|did not|didn['’]t) (?:know|settle|decide|agree on)\b|\b(?:still (?:open|to be decided|undecided)|not (?:yet )?(?:decided|settled|agreed|clear)(?: yet)?)[.:]?$|^(?:and |but |also )?(?:we|i|it)(?: really| still)* (?:do(?:es)? not|don['’]?t|doesn['’]?t|is not (?:known|decided|clear|settled))(?: really| yet| quite)*(?: know| decided)?(?: yet)?,? (?:whether|if|who|how|what|when|which)\b|^whether\b(?!.{3,120},)|\b(?:remains?|is left|are left|still has|still have) to be (?:seen|decided|agreed|clarified|settled|found out)\b|^(?:not sure|unclear|undecided|tbd|to be (?:decided|discussed|determined|agreed|clarified|confirmed|defined)|open question|it is (?:not clear|unclear|open))\b",
    "want": r"\b(?:we|i|they|she|he|our \w+)(?: would| ?['’]d| really| also| all)* (?:(?:want|like|love|wish|hope|aim|intend|plan)s?|be (?:happy|satisfied|glad) (?:with|if))\b|\b(?:we|i)(?: are| am|['’]re|['’]m) (?:\w+ )?looking for\b|\b(?:the )?(?:wish|goals?|aims?|idea|purpose|objectives?|target|hope|point) (?:is|are|would be)\b",
    # something measured changes from one value to another
    "outcome": rf"\bfrom (?:about |around |nearly |currently |now |the present )?{_COUNT}[^.;]{{0,60}}?\b(?:down |up )?to (?:about |around |under |below |over |at (?:most|least) |less than |more than |fewer than |no more than )?(?:none\b|{_COUNT})|\b(?:instead of|compared (?:to|with)|rather than) (?:the )?(?:present |current |usual |today's )?(?:about )?{_COUNT}"
    rf"|\b(?:cut|reduce|lower|shorten|bring|get|raise|increase|lift|grow|push|halve|double|improve|decrease|drop|fall|rise|go|sink|shrink)\w*\b[^.;]{{0,60}}?\b(?:down to|up to|to (?:under|below|over|at (?:most|least)|less than|more than)|by (?:at least |about )?{_COUNT}|below|under)\b",
    "relies": r"\b(?:comes?|is taken(?: over)?|are taken(?: over)?|is imported|are imported|is read|are read|is fetched|are fetched|is pulled|are pulled|is delivered|are delivered|is fed|are fed) (?:every \w+ |daily |weekly |once a \w+ )?from (?:the|our|an?|[A-Z])|\b(?:provided|supplied|sent|delivered|hosted|operated|maintained|run|owned) by (?:the |our |an? )|\bcomes? (?:every \w+ )?(?:as .{1,20} )?from (?:the |our )|\brel(?:y|ies) on\b",
    # what others still have to do for it
    "awaits": r"^(?:still |we are |is )?waiting (?:for|on) |^needs the [\w'’-]+['’]s? |\b(?:would|still) (?:have|has) to (?:approve|agree|consent)\b|^(?!.{0,40}\b(?:system|app|application|tool|service|page|user)s? (?:must|has|have|needs?)\b).{3,80}\b(?:has|have|needs?|must|will|would) (?:to )?(?:still |first )?(?:give us|provide us|send us|deliver us|tell us|let us|grant us|open (?:up )?(?:the|its|their) (?:api|export|interface|data|network|port))\b|\b(?:has|have|needs?) to be (?:installed|signed|ordered|delivered|in place|merged|released) (?:separately|first|beforehand|by (?:the|our))\b|\b(?:needs?|requires|waits for|is waiting for|are waiting for|is blocked by|builds on|depends on) (?:the \w+ from )?(?:#\d+|rfc|adr|pr|issue|epic|ticket)\b|\bto be merged first\b|\b(?:contract|agreement|licen[cs]e|permission|consent|approval)\b.{0,40}\b(?:not (?:yet )?signed|not (?:yet )?given|pending|outstanding|in writing)\b|\b(?:pending|awaiting|subject to) (?:the )?(?:approval|consent|agreement|permission)\b",
    # a budget, a date, a team or a platform that is given
    "limits": rf"^(?:(?:we|i) (?:only |just )?have (?:only |just )?|there (?:is|are) (?:only |just )?)(?:{_COUNT}|an?) (?:working |business )?(?:hours?|days?|weeks?|months?) (?:left|to go|until|till|before)\b|"
    r"^(?:the |our |my |hard )*deadline(?: is|:) (?!not\b)|\bgo-?live (?:is |must be )?(?:no later than|by|before|on|until)\b|\bno later than (?:the )?(?:\d{1,2}(?:st|nd|rd|th)? |end of )?(?:of )?(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|christmas|easter)\b|\bis the minimum\b|\bfrom one code ?base\b|\bruns? on (?:the|our) [\w -]{3,40} we (?:already )?have\b|\b(?:by|until|before) then (?:it|this|that|everything) (?:has to|must) (?:run|work|be)\b|\buntil then it has to\b|^(?:about |around |up to |at most |max(?:imum)?\.? )?(?:(?:chf|eur|usd|gbp|nok|sek|dkk|[$€£¥])\s?\d[\d.,]*\s?(?:k|m|million|thousand)?|\d[\d.,]*\s?k?\s?(?:euros?|dollars?|pounds?|francs?|kroner|€|£|\$))(?!\w)|\bnot (?:a|one) (?:cent|penny|euro|dollar|day|week) more\b|\bwe (?:can|could|may) spend\b|\bfixed price\b|\b(?:[$€£]|euros?|dollars?|pounds?|kroner|francs?)\s?[\d.,]*k?\b.{0,20}\b(?:all in|is all|altogether|in total|and (?:no|not) .{1,10}more)\b|\bbudget\b.{0,20}\d|\bno (?:money|budget) for\b"
    rf"|^(?:appetite:? )?(?:{_COUNT}) (?:weeks?|months?|sprints?|days?)\b[^.]{{0,30}}\b(?:people|person|developers?|designers?|engineers?|programmers?)\b|^(?:we have |there (?:is|are) |only )?(?:{_COUNT}|an?) (?:[\w-]+ ){{0,2}}(?:developers?|programmers?|engineers?|designers?)\b[^.]{{0,40}}\b(?:until|till|for|per|weeks?|days?|months?|available|at most)\b|\b(?:developers?|programmers?|engineers?|designers?)\b[^.]{{0,30}}\b(?:days? a week|per week|part[- ]time|half[- ]time)\b"
    r"|^(?:ios|ipados|android|windows|macos|linux|python|java|node(?:\.js)?|ruby|php|go|rust|chrome|firefox|safari|edge|postgres\w*|mysql|\.net)\b[\w. ]{0,20}?\d+(?:\.\d+)*\s*(?:\+|or (?:newer|later|higher|above)|and (?:newer|later|above|up)|(?:, )(?:ios|android|macos|linux))"
    r"|\b(?:opening(?: day| night)?|launch|go-?live|release|first (?:day|night|performance|match|lesson)|season|reopening|deadline|kick-?off|premiere|semester|term|fair|festival|regatta|inspection|audit)\b[^.]{0,60}?\b(?:is|on|by|opens|starts|begins|before)\b[^.]{0,20}?\b(?:\d{1,2}(?:st|nd|rd|th)? (?:january|february|march|april|may|june|july|august|september|october|november|december)|(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2})\b"
    r"|\b(?:hosting|hosted|the data|data) (?:is|are|stays?|must stay|has to stay|remains?) (?:at|in|on|with) (?:the|our)\b|\b(?:cannot|can['’]t|may not|must not) be (?:changed|replaced|moved|touched|modified)\b",
    "bound": r"^(?:please )?(?:do not|don['’]?t|never) (?:use|touch|change)\b|\bbudget (?:is|of)\b|\b(?:run|work|be used)s? (?:on|in|with) (?:our|the club's|the) (?:\w+ ){0,3}?(?:tablets?|computers?|phones?|servers?|machines?|laptops?|web space|hosting|browsers?)\b|\bbudget\b|^(?:the |our |hard )*deadline\b(?! (?:register|list|calendar|reminders?|dates?)\b)|\b(?:the|our|hard|fixed|a|legal) deadline (?:is|of|for (?:this|the|it|us)|on|by|in)\b|\b(?:must|has to|have to|should) be (?:running|live|ready|finished|done|online|launched|shipped) (?:by|before|until|in)\b|\bgo(?:es)? live (?:by|before|on)\b|\bcosts? (?:no |not )?more than\b|\bcosts? (?:us )?(?:at most|up to|under|less than|below)\b.{0,12}\d|\b(?:runs?|running|hosted|deployed|installed) on (?:an?|one|a single|our|the|this|existing)\b[\w ]{0,30}?\b(?:vps|servers?|virtual machines?|vms?|raspberry pi|nas|hosting|data cent\w+)\b|\b(?:stays?|remains?|be (?:kept|stored|hosted|held)) (?:on|in) (?:our|the) (?:own )?(?:\w+ )?(?:servers?|data cent\w+|premises|hardware)\b|\b(?:i|we) (?:can|could|may) spend\b",
    # of limits: what is fixed around the work; what the thing itself has to be like
    "around": r"\b(?:hours?|days?|weeks?|months?) (?:left|to go|until|till|before)\b|\bbudget\b|\bdeadline\b|\b(?:be|goes?|is) (?:running|live|ready|finished|done|online|launched|shipped|opened)\b|\bgo-?live\b|\bcosts?\b|\bspend\b|\bfixed price\b|^(?:about |at most )?(?:[$€£]|eur|usd|gbp|chf)\s?\d|^(?:around |about |at most |up to |we have |there (?:is|are) )*\d[\d.,]*\s?k?\s?(?:euros?|dollars?|pounds?|francs?|kroner|€|£|\$)(?!\w)",
    "inside": r"\b(?:runs?|works?|used|hosted|deployed|installed|stays?|remains?|kept|stored) (?:on|in|with|offline|without)\b",
    "finished": r"\b(?:is|are|was|were|has been|have been) (?:all )?(?:done|finished|shipped|merged|deployed|sorted|built|live|in place|already there|solved)\b(?! (?:when|if|once|by|within|in|until|before|as soon))|\b(?:went|gone|been) live\b|\b(?:works?|in use|live|running) since\b|\b(?:is|are) (?:already )?(?:printed|bought|ordered|installed|set up)\b|\balready\b.{0,30}\b(?:done|finished|live|built|shipped|implemented|in place)\b|\b(?:done|finished|built|shipped|implemented)\b.{0,20}\balready\b",
    "afraid": r"\b(?:i am|we are|is|are|am|i['’]m|we['’]re) (?:(?:also|still|a (?:bit|little)|very|rather|quite|really) )*(?:afraid|worried|nervous|scared)\b|\b(?:warn(?:s|ed)?|fear(?:s|ed)?|worr(?:y|ies)|dreads?)(?: (?:us|me))?(?: a (?:bit|little)| most)? (?:that|about)\b|\b(?:the|one|our|my|another|biggest|main|only|a) (?:\w+ )?(?:risk|danger|worry|fear|concern|nightmare) (?:here )?(?:is|would be)\b|\b(?:what|things that) (?:can|could|might|may) go wrong\b|\bkeeps? (?:me|us) awake\b",
    "makes": r"\b(?:want|need|would like|looking for|like|love)\s+(?:to\s+(?:build|create|make|develop|have|get|write|launch)\b|(?:an?|some)\s)",
    "now": r"^we (?:are|run) (?:an?|the|\d|two|three|four|five|six|ten)\b|\b(?:today|currently|at the moment|at present|right now|nowadays|so far|until now|these days)\b",
    "problem": r"\b(?:lose|loses|losing|lost|nobody|no one|too (?:long|slow|many|much|often|expensive)|by hand|manually|complain|waste|error-prone|slow|fails?|failing"
    r"|takes? (?:hours|days|weeks|over|more)|hard to|difficult|problem|missing|forget|tedious|painful|scattered|broken)\b",
    "dependency": r"\b(?<!which )(?<!that )(?<!\w who )we (?:already )?(?:have(?! (?:\w+ed|been|to|no|not|seen|found|had|put|got|that|about|only|just|some|many|\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|several|(?:a|the|an) (?:budget|deadline|problem|plan|idea|goal|rule|lot|few|total|small|team))\b)|pay for|use|operate|license)\b|\balready (?:have|has|use|uses|pay|run|runs|exists?|own)\b|\b(?:the|our|an|its|their|club['’]s) existing (?:[\w-]+ ){0,2}?(?:systems?|services?|databases?|api|servers?|tools?|software|platform|infrastructure|hosting|web space|accounts?|login|interface|app|application|backend|website|hardware|tablets?|screens?|gateway|licen[cs]es?|contract|program)\b"
    r"|\bour (?:current|existing|own(?! (?:\w+ )?(?:servers?|data cent\w+|premises|hardware|computers?)))\b|(?<!which )(?<!that )(?<!price )(?<!fee )(?<!cost )(?<!amount )(?<!length )\bdepends? on\b(?! (?:whether|how|what|which|who|if|the (?:day|time|week|season|age|size|number|amount|type|kind|length|weather)))|\bintegrat(?:e|es|ed|ion|ing) with\b",
    "system": r"^(?:the |this |our |a |an )?(?:\S+ )?(?:system|it|app|application|service|page|pages|tool|site|website|platform|product|cli|api|server|software|solution|program"
    r"|module|library|bot|dashboard|backend|frontend|component|database|interface|plugin|job|script|queue|data|names?|report|reports|files?|requests?|messages?|they|there|all|each|every)$",
    # words that name who does something (`teller`), and those alike that name things (`folder`)
    "agent": r"^[a-z]{3,}(?:ers?|ors?|ists?|ians?|eers?|(?:m|wom)[ae]n)$",
    "tool": r"(?:brows|serv|comput|print|fold|ord|numb|remind|head|foot|tim|filt|lett|paramet|count|contain|lay|buff|pap|sens|monit|err|col|vect|fact|mirr|load|scann|regist|met|trigg|charact|oth|wat|pow|corn|bord|newslett|process|connect|sect|generat|controll|adapt|rout|quart|wint|summ|clust|transf|handl|pars|point|indicat|mot|cov|lock|batter)(?:ers?|ors?|ours?)$|^(?:her|per|for|nor|over|under|after|ever|never|either|neither|rather|whether|together|gender)$",
    "as_a": r"\bas (?:an?|the|our|another) ([a-z](?:(?! (?:i|we) )[\w'’ /()-]){2,50}?),? (?:i|we)(?:['’]d)? (?:get|see|receive|find|choose|want|need|can|must|should|would|like|wish|have|hope|expect)",
    "for_person": r"\bfor ((?:our |the |a |an |all )?(?:[a-z-]+ ){0,2}?[a-z]+)\b(?=\s*(?:that|which|who|with|to|in|on|,|\.|$))",
    "lead_condition": r"^((?:if|when|whenever|while|after|before|once|as soon as|during|unless|in case|for every|for each)\b[^,]{2,160}),\s*(.+)$",
    "condition": r"\b(?:and again |and |or )?((?:when|whenever|if|unless|as soon as|while|after|until|before|once(?! (?:a|an|per|every|each|and)\b))\s+[^,;.]{3,120}?)(?=\s+(?:and again|and|or)\s+(?:when|if|unless|after|before)\b|[,;.]|$)",
    "measure": r"(?:(?:in |for )?(?:fewer|less|more|better|faster|lower|higher) than|at (?:least|most)|(?:in )?under|over|(?:in )?below|above|no more than|within|up to|every|once (?:a|per)"
    r"|between|after|maximum|minimum|exactly|for)?\s*(?:\d[\d.,:]*\s*(?:%|percent\b)?(?:\s*(?:and|to|-|–)\s*\d[\d.,:]*)?(?:\s*[A-Za-z]+)?|\bonce (?:a|per) \w+|\bone \w+)",
    "parts": r"\s*,\s*(?:and\s+|or\s+|then\s+)?|\s+(?:and|or|then)\s+(?:also\s+)?",
    "with": r"\s+(?:with|including|that has|which has|plus)\s+",
    "relative": r"\b(?:so that|which|who|that|if|when|because|where|while)\b[^,;]*$",
    "so_that": r"\bso that\s+([^.;]+)",
    "ui": r"\b(?:ui|user interface|web ?page|dashboard|screen|button|web app|website|frontend|front-end|react|vue|svelte|css|tailwind|mobile app|page|form|display|tap|browser)\b",
    "personal": r"\bpersonal|phone numbers?|\be-?mails?\b|addresses\b|health|medical|patient|password|payment|credit card|birth",
    "vague": r"\b(?:fast|quick(?:ly)?|easy|easily|simple|user[- ]friendly|intuitive|good|nice|robust|flexible|appropriate(?:ly)?|adequate|efficient(?:ly)?|seamless(?:ly)?|well)\b",
}
VERBS = (
    "add allow analyse analyze approve archive arrange assign attach authenticate automate backup block book browse build cache calculate call cancel capture categorize "
    "change charge chat check choose classify clean close collect combine compare compile complete compress compute configure confirm connect consume contain control convert "
    "copy correct count create customize debug decide define delete deliver deploy design detect develop disable display distribute do download draw edit email embed enable "
    "encrypt enforce enter estimate evaluate execute expire explain export expose extend extract fetch filter find finish fix follow forward generate get give group handle help hide "
    "highlight identify ignore implement import improve include inform insert inspect install integrate introduce invite issue join keep label launch let limit link list load lock log "
    "login look maintain make manage map mark match measure merge migrate mirror mock modernize modify monitor move name navigate notify offer open optimize order organize "
    "parse pause pay perform pick place plan play port post predict preserve prevent preview print process produce protect provide publish push query queue rank rate read receive "
    "recommend record recover redesign reduce refactor refund refuse register reject remember remind remove rename render reorder repeat replace reply report request require "
    "reserve reset resize resolve respond restart restore restrict retrieve retry return reuse review revoke rewrite roll rotate route run save scan schedule score search secure see "
    "select sell send separate serve set share shorten show sign simplify skip sort split start stop store stream submit subscribe suggest summarize support suspend switch "
    "sync synchronize tag take test throttle toggle track train transcode transfer transform translate trigger turn undo unify unlock unsubscribe update upgrade upload use "
    "alert ask apply tell tick stay fill hold hand borrow learn speak answer hear keep survive put pass bring appear call wait work "
    "validate verify view visualize vote warn watch withdraw work wrap write zoom"
)
NOT_NOUNS = (
    "out off up down in on by for from with without of onto upon against along among around beneath beside beyond despite except near outside past round through throughout toward towards underneath unlike via "
    "expect expects what whom whose whatever whichever whoever wherever whenever yes no then please thanks sorry oh well hence thus otherwise though although unless since whereas "
    "i myself yourself himself herself itself ourselves themselves mine yours hers ours theirs none neither either such shall should would could might ought must may will "
    "is are was were be been being am has have had do does did within if or nor so too than as at but can into it he she we you me him them us separate admin "
    "automatic automatically manual strict full pretty elegant neat equal optimal standard multiple able about above across after again ahead all almost along already also always another any anyone available away back because behind being below better between big both "
    "bad best common current currently daily different done down during early easily either else enough estimated even every everyone everything exactly existing few first fast "
    "five four free full further good great hand high however identical important inside instead just keep large last late later least less little local long low lower main many "
    "maybe median minimum maximum month months more most much must nearly necessary need needs never new next nobody none not nothing now number numbers often old older once one only other our over own "
    "per possible possibly quick quickly rather real really right same second seconds minute minutes hour hours day days week weeks year years several short should similar simple single six small "
    "some something soon still ten three time times today together too top total two under until upon usual various very want week well when where whether which while "
    "whole why without yet zero time way ways thing things kind part parts show shows version people case cases change changed logged moved removed called deleted encrypted "
    "sent made done using based given named shown stored used user users system app application service tool product page pages going want wants like likes first second third "
    "before since open told fail carry take get fewer english german french turkish hours percent percentile seconds who what how that this these those them their its his her your ours they it"
)
