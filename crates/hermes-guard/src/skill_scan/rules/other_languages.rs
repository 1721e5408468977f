//! "Ignore the previous instructions" in the languages that skills are found in.
//!
//! Accents are folded before, so the patterns have none.

use super::super::finding::SkillRisk::Injection;
use super::super::finding::SkillSeverity::Critical;
use super::{ScanRule, instruction};

const ABOUT: &str = "The text tells the agent to ignore the instructions it was given.";
const HEAD: (&str, super::super::finding::SkillRisk, super::super::finding::SkillSeverity) =
    ("prompt_injection_ignore", Injection, Critical);

pub(super) const RULES: &[ScanRule] = &[
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
];
