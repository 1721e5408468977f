//! Words for secrets in the languages people name their settings in.
//!
//! Written in lower case and, where people leave the marks out, a second time without them. A
//! word counts by itself, as a part of a name (`db_contraseña`) and at the end of a compound
//! (`Datenbankpasswort`, `数据库密码`). What such a word names besides secrets (a `clave` may open
//! a map) is told by the family: for [`SecretFamily::AnyKey`] only a generated value counts.

use std::sync::LazyLock;

/// The kind of secret a name speaks of; the first that fits counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SecretFamily {
    Password,
    Secret,
    Token,
    ApiKey,
    Key,
    Credential,
    /// A key of no known kind: only a value that was generated counts.
    AnyKey,
    /// The weakest sign; not used where any text may stand.
    Auth,
}

/// Shortest word that counts at the end of another one.
const LEAST_COMPOUND: usize = 6;
/// Longer texts are none of these words.
const LONGEST_WORD: usize = 64;

/// What stands between a name and its value where no blanks do.
const COPULAS: [char; 8] = ['是', '为', '為', 'は', 'が', '는', '은', '이'];

/// In small letters.
const WORDS: &[(SecretFamily, &[&str])] = &[
    (
        SecretFamily::Password,
        &[
            "passwort",
            "kennwort",
            "passord",
            "lösenord",
            "losenord",
            "kodeord",
            "adgangskode",
            "adgangskoden",
            "lykilorð",
            "salasana",
            "parool",
            "slaptažodis",
            "slaptazodis",
            "wachtwoord",
            "contraseña",
            "contrasena",
            "contrasenya",
            "contrasinal",
            "pasahitza",
            "senha",
            "palavra-passe",
            "palavra_passe",
            "mot_de_passe",
            "mot de passe",
            "mot-de-passe",
            "motdepasse",
            "parola",
            "parolă",
            "parola d'ordine",
            "hasło",
            "haslo",
            "heslo",
            "geslo",
            "jelszó",
            "jelszo",
            "lozinka",
            "лозинка",
            "пароль",
            "парола",
            "κωδικός",
            "κωδικος",
            "κωδικός πρόσβασης",
            "şifre",
            "sifre",
            "mật khẩu",
            "mat_khau",
            "matkhau",
            "kata sandi",
            "kata_sandi",
            "katasandi",
            "סיסמה",
            "סיסמא",
            "كلمة المرور",
            "كلمة السر",
            "رمز عبور",
            "گذرواژه",
            "पासवर्ड",
            "รหัสผ่าน",
            "密码",
            "密碼",
            "口令",
            "パスワード",
            "暗証番号",
            "비밀번호",
            "암호",
        ],
    ),
    (
        SecretFamily::Secret,
        &[
            "geheimnis",
            "geheim",
            "segredo",
            "segreto",
            "секрет",
            "秘密",
            "密钥",
            "密鑰",
            "秘钥",
            "秘密鍵",
            "비밀키",
        ],
    ),
    (SecretFamily::Token, &["jeton", "токен", "令牌", "トークン", "토큰"]),
    (
        SecretFamily::AnyKey,
        &[
            "schlüssel",
            "schluessel",
            "sleutel",
            "nyckel",
            "nøgle",
            "nøkkel",
            "clave",
            "chave",
            "chiave",
            "clé",
            "cle_api",
            "cle_secrete",
            "klucz",
            "klíč",
            "anahtar",
            "ключ",
        ],
    ),
];

/// The words by their last byte: a name ends in few of them.
static BY_END: LazyLock<Vec<Vec<(&'static str, SecretFamily)>>> = LazyLock::new(|| {
    let mut by_end = vec![Vec::new(); usize::from(u8::MAX) + 1];
    for (family, words) in WORDS {
        for word in *words {
            if let Some(&last) = word.as_bytes().last() {
                by_end[usize::from(last)].push((*word, *family));
            }
        }
    }
    by_end
});

/// What kind of secret a word in small letters means, by itself or at its end.
pub(super) fn family(word: &str) -> Option<SecretFamily> {
    let word = word.trim_end_matches(COPULAS);
    let last = *word.as_bytes().last()?;
    let means = |known: &str| {
        word.ends_with(known) && (word.len() == known.len() || known.len() >= LEAST_COMPOUND)
    };
    BY_END[usize::from(last)].iter().find(|(known, _)| means(known)).map(|(_, family)| *family)
}

/// Whether a text is one of these words and nothing else, in any case.
pub(super) fn is_word(text: &str) -> bool {
    let lower = text[..text.floor_char_boundary(LONGEST_WORD)].to_lowercase();
    WORDS.iter().any(|(_, words)| words.contains(&lower.as_str()))
}

/// Every word as texts may have it. The automaton knows the two cases of plain letters only, so others stand
/// here with a capital first and in capitals throughout.
pub(super) fn spellings() -> &'static [String] {
    static SPELLINGS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let mut spellings = Vec::new();
        for word in WORDS.iter().flat_map(|(_, words)| *words) {
            let mut letters = word.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            for spelling in [(*word).to_owned(), first + letters.as_str(), word.to_uppercase()] {
                let known = |other: &String| other.eq_ignore_ascii_case(&spelling);
                if !spellings.iter().any(known) {
                    spellings.push(spelling);
                }
            }
        }
        spellings
    });
    &SPELLINGS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compounds_count_and_other_words_do_not() {
        for word in ["contraseña", "datenbankpasswort", "数据库密码", "пароль"] {
            assert_eq!(family(word), Some(SecretFamily::Password), "{word}");
        }
        for word in ["密码强度", "schlossgarten", "enclave", "parolee"] {
            assert_eq!(family(word), None, "{word}");
        }
        assert!(is_word("ПАРОЛЬ") && spellings().iter().any(|word| word == "ПАРОЛЬ"));
    }
}
