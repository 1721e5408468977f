//! "Ignore the previous instructions" and "do not tell the user" in the languages that skills are found in.
//!
//! Accents are folded before, so the patterns have none.

use super::super::finding::SkillRisk::Injection;
use super::super::finding::SkillSeverity::{Critical, High};
use super::{ScanRule, instruction};

const ABOUT: &str = "The text tells the agent to ignore the instructions it was given.";
const HEAD: (&str, super::super::finding::SkillRisk, super::super::finding::SkillSeverity) =
    ("prompt_injection_ignore", Injection, Critical);

const TOLD: &str = "The user is kept in the dark, or told something else.";
const TWO_FACED: (&str, super::super::finding::SkillRisk, super::super::finding::SkillSeverity) =
    ("deception_hide", Injection, High);

pub(super) const RULES: &[ScanRule] = &[
    instruction(
        HEAD,
        &[
            "vergiss",
            "missachte",
            "ignoriere",
            "olvida",
            "ignora",
            "oublie",
            "esquece",
            "esqueca",
            "dimentica",
        ],
        r"\b(?:vergiss|missachte|ignoriere) (?:alle )?deine (?:\w+ )?(?:regeln|anweisungen|vorgaben|richtlinien|grenzen)\b|\b(?:olvida|ignora) (?:todas )?(?:tus|sus) (?:\w+ )?(?:reglas|instrucciones|directrices|limites|normas)\b|\b(?:oublie|oubliez) (?:toutes )?(?:tes|vos) (?:\w+ )?(?:regles|consignes|instructions|limites)\b|\b(?:esqueca|esquece|ignore) (?:todas )?(?:as )?(?:suas|tuas) (?:\w+ )?(?:regras|instrucoes|diretrizes)\b|\b(?:dimentica|ignora) (?:tutte )?le tue (?:\w+ )?(?:regole|istruzioni|direttive)\b",
        ABOUT,
    ),
    instruction(
        ("leak_system_prompt", Injection, High),
        &[
            "systemprompt",
            "system-prompt",
            "prompt del sistema",
            "prompt de sistema",
            "prompt systeme",
            "prompt di sistema",
            "prompt do sistema",
        ],
        r"\b(?:gib|zeig|zeige|verrate|nenne|wiederhole|drucke|muestra|revela|imprime|repite|ensena|affiche|revele|montre|repete|mostra|rivela|stampa|ripeti|mostre|revele|imprima|repita)\b[^.!?\n]{0,40}\b(?:system-?prompt|prompt (?:del|de|do|di) sistema|prompt systeme)\b",
        "The text asks the agent to give away its system prompt.",
    ),
    instruction(
        HEAD,
        &["vergiss", "vergessen", "ignorier", "missachte", "beachte"],
        r"\b(?:vergiss|vergessen|ignorier(?:e|en|t)|missachte[nt]?)\b ~(?:bisherigen?|vorherigen?|vorigen?|fruheren?|obigen?|vorangegangenen?|alle) ~(?:anweisung(?:en)?|regeln?|vorgaben?|instruktion(?:en)?|befehle?)\b|\bbeachte ~(?:vorherigen?|bisherigen?) ~(?:anweisung(?:en)?|regeln?) (?:nicht|keine)",
        ABOUT,
    ),
    instruction(
        HEAD,
        &["ignora", "ignore", "olvida", "descarta", "omite"],
        r"\b(?:ignor[ae]n?|olvid[ae]n?|descart[ae]n?|omite|haz caso omiso) ~(?:las?|los|todas?|todos|cualquier|sus?|tus?)?\s*~(?:instrucci(?:on|ones)|reglas|ordenes|directrices|indicaciones) ~(?:anterior(?:es)?|previas?|precedentes?|recibidas|dadas)\b|\b(?:ignor[ae]|olvid[ae]) ~(?:anterior(?:es)?|previas?) ~(?:instrucciones|reglas|ordenes)\b",
        ABOUT,
    ),
    instruction(
        HEAD,
        &["ignor", "oubli", "neglige"],
        r"\b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|neglige[rz]?|ne tiens? pas compte de) ~(?:les?|toutes?|tous|vos|tes|ces)?\s*~(?:instructions?|consignes?|regles?|directives?|ordres) ~(?:precedente?s?|anterieure?s?|ci-dessus|donnees|recues)\b",
        ABOUT,
    ),
    instruction(
        HEAD,
        &["ignor", "esque", "desconsider"],
        r"\b(?:ignor[ae]m?|esque[cç][ae]m?|desconsider[ae]m?) ~(?:as?|os?|todas?|todos|suas?|quaisquer)?\s*~(?:instruc(?:ao|oes)|regras?|ordens?|diretrizes|orientacoes) ~(?:anterior(?:es)?|previas?|acima|recebidas)\b",
        ABOUT,
    ),
    instruction(
        HEAD,
        &["гнорир", "абуд", "тмени"],
        r"(?:игнориру[ий](?:те)?|проигнорируй(?:те)?|проигнорируи(?:те)?|забуд[ьи](?:те)?|отмени(?:те)?)\s+(?:\S+\s+){0,4}?(?:предыдущ\S*|прежн\S*|прошл\S*|ранн\S*|вышеуказанн\S*|все)\s+(?:\S+\s+){0,3}?(?:инструкци\S*|указани\S*|правил\S*|команд\S*)",
        ABOUT,
    ),
    instruction(
        HEAD,
        &["忽略", "无视", "忘记", "忘掉", "忽視", "無視", "不要理会", "不理会"],
        r"(?:忽略|无视|忘记|忘掉|忽視|無視|不要理会|不理会)[^。！？\n]{0,16}?(?:之前|以上|先前|前面|此前|上述|所有|一切|全部)[^。！？\n]{0,12}?(?:指令|指示|说明|规则|提示|要求|命令)",
        ABOUT,
    ),
    instruction(
        HEAD,
        &["無視", "忘れ", "従わな"],
        r"(?:これまで|以前|上記|前|すべて|全て|過去)[^。！？\n]{0,16}?(?:指示|命令|ルール|規則|プロンプト|指令)[^。！？\n]{0,16}?(?:無視|忘れ|従わな)",
        ABOUT,
    ),
    instruction(
        HEAD,
        &["무시", "잊어", "잊으"],
        r"(?:이전|위의?|앞의?|모든|기존)[^.!?\n]{0,16}?(?:지시|명령|규칙|지침|프롬프트)[^.!?\n]{0,16}?(?:무시|잊어|잊으)",
        ABOUT,
    ),
    instruction(
        HEAD,
        &["ignora", "dimentica"],
        r"\b(?:ignora(?:te)?|dimentica(?:te)?) ~(?:istruzioni|regole|direttive) ~(?:precedenti|anteriori|ricevute)\b",
        ABOUT,
    ),
    instruction(
        TWO_FACED,
        &["пользовател", "юзер"],
        r"(?:скажи(?:те)?|сообщи(?:те)?|напиши(?:те)?)\s+(?:\S+\s+){0,2}?(?:пользовател\S*|юзер\S*)[^.!?\n]{0,120}(?:на самом деле|в деиствительности|в действительности|таино|тайно|незаметно|при этом)|(?:не\s+(?:говори|сообщаи|сообщай|рассказываи|рассказывай|упоминаи|упоминай|показываи|показывай)(?:те)?)\s+(?:\S+\s+){0,4}?(?:пользовател\S*|юзер\S*)",
        TOLD,
    ),
    instruction(
        TWO_FACED,
        &["nutzer", "anwender", "user"],
        r"\b(?:sag(?:e|t|en)?|erzahl(?:e|t|en)?|teil(?:e|t|en)?) (?:\S+ ){0,2}?(?:nutzer\w*|benutzer\w*|anwender\w*|user)\b[^.!?\n]{0,120}\b(?:in wirklichkeit|tatsachlich|heimlich|nebenbei|unbemerkt)\b|\b(?:sag(?:e|t|en)?|verrat(?:e|en)?|erwahn(?:e|en|t)?|zeig(?:e|en|t)?) ~(?:nutzer\w*|benutzer\w*|anwender\w*) ~(?:nichts|nicht|kein wort)\b|\bohne (?:dass )?(?:der|den|die) (?:nutzer|benutzer|anwender)\w* (?:es )?(?:merkt|bemerkt|weiss|zu informieren|zu fragen)",
        TOLD,
    ),
    instruction(
        TWO_FACED,
        &["usuari", "utilisateur", "utente"],
        r"\b(?:di(?:le|ga|gale)?|informa|comunica|diga|dizer|avise) (?:al?|ao|o) usuario\b[^.!?\n]{0,120}\b(?:pero en realidad|en realidad|mas na verdade|na verdade|en secreto|em segredo|mientras)\b|\b(?:no|nunca|nao) (?:le )?(?:digas|menciones|informes|reveles|diga|mencione|informe|revele|conte)\b[^.!?\n]{0,40}\busuario\b|\bsin que (?:el |la )?usuari\w+ (?:lo )?(?:sepa|note|se entere)\b|\bsem que o usuario (?:saiba|perceba)\b|\b(?:dis|dites|informe|informez) (?:a |à )?l'utilisateur\b[^.!?\n]{0,120}\b(?:mais en realite|en realite|en secret|en fait)\b|\bne (?:le |la |les )?(?:dis|dites|mentionne|mentionnez|revele|revelez|informe|informez)\b[^.!?\n]{0,50}\butilisateur\b|\bn'(?:en )?(?:informe|avertis|parle|alerte)\w* (?:jamais|pas|rien)\b[^.!?\n]{0,30}\butilisateur\b|\ba l'insu de l'utilisateur\b|\bsans que l'utilisateur (?:le )?(?:sache|remarque)\b|\b(?:di'|dite|comunica) all'utente\b[^.!?\n]{0,120}\b(?:ma in realta|in realta|di nascosto)\b|\bnon (?:dire|menzionare|rivelare|informare)\b[^.!?\n]{0,40}\butente\b|\ball'insaputa dell'utente\b",
        TOLD,
    ),
    instruction(
        TWO_FACED,
        &["用户", "用戶", "使用者"],
        r"(?:告诉|告訴|对|向)(?:用户|用戶|使用者)[^。！？\n]{0,60}(?:但实际|实际上|實際上|其实|暗中|偷偷|同时悄悄|私下)|(?:不要|别|不得|切勿|请勿|勿)(?:告诉|告訴|通知|提醒|让|向|对)[^。！？\n]{0,12}(?:用户|用戶|使用者)|(?:在)?(?:用户|用戶|使用者)(?:不知情|不注意|未察觉|不知道)",
        TOLD,
    ),
    instruction(
        TWO_FACED,
        &["ユーザー", "利用者"],
        r"(?:ユーザー|利用者)(?:には|に)[^。！？\n]{0,60}(?:実際には|実は|裏で|こっそり|ひそかに|密かに)|(?:ユーザー|利用者)(?:には|に)[^。！？\n]{0,30}(?:知らせな|伝えな|教えな|言わな|見せな|知らせず|気づかれ|報告しな)",
        TOLD,
    ),
    instruction(
        TWO_FACED,
        &["사용자"],
        r"사용자(?:에게|께)[^.!?\n]{0,60}(?:실제로는|사실은|몰래|은밀히)|사용자(?:에게|께|가|한테)?[^.!?\n]{0,30}(?:알리지|말하지|보여주지|모르게|눈치채지)",
        TOLD,
    ),
    instruction(
        TWO_FACED,
        &["użytkownik", "uzytkownik", "gebruiker", "kullanıcı", "kullanici"],
        r"\b(?:nie (?:mow|informuj|wspominaj|pokazuj)\w*)\b[^.!?\n]{0,40}u[zż]ytkownik|bez wiedzy u[zż]ytkownik|\b(?:vertel|zeg|meld)\b[^.!?\n]{0,20}gebruiker[^.!?\n]{0,40}(?:niet|niets)\b|\bzonder dat de gebruiker\b|kullan[ıi]c[ıi]\w*[^.!?\n]{0,40}(?:soyleme|söyleme|haber verme|fark etmeden|gizlice)",
        TOLD,
    ),
    instruction(
        HEAD,
        &[
            "negeer",
            "vergeet",
            "talimat",
            "huong dan",
            "hướng dẫn",
            "abaikan",
            "ignoruj",
            "zapomnij",
            "ignorera",
            "figyelmen",
            "अनदेखा",
            "تجاهل",
            "αγνόησε",
            "αγνοησε",
            "เพิกเฉย",
        ],
        r"\b(?:negeer|vergeet) ~(?:eerdere|vorige|voorgaande|alle) ~(?:instructies|regels|opdrachten)\b|onceki ~(?:talimat\S*|kural\S*|yonerge\S*) ~(?:yok say|unut|goz ardi|dikkate alma)\S*|\bbo qua ~(?:huong dan|chi dan|quy tac)\b|\babaikan ~(?:instruksi|aturan|perintah)\b|\b(?:ignoruj|zapomnij|zignoruj) ~(?:poprzednie|wczesniejsze|wszystkie) ~(?:instrukcje|polecenia|zasady)\b|\bignorera ~(?:tidigare|alla) ~(?:instruktioner|regler)\b|(?:पिछल|सभी|पूर्व)\S*\s+(?:\S+\s+){0,3}?(?:अनदेखा|नज़रअंदाज़)|تجاهل\s+(?:\S+\s+){0,3}?(?:التعليمات|الأوامر|القواعد)|αγνο\S+\s+(?:\S+\s+){0,4}?(?:οδηγ\S+|κανον\S+)|เพิกเฉย[^\n]{0,20}คำสั่ง",
        ABOUT,
    ),
];
