//! Which characters the codes and glyph names of fonts stand for.

/// Codes 0x80 to 0x9F of the Windows encoding; the others are those of Latin-1.
const WINDOWS: &str = "€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ";

/// Codes from 0x80 on of the Macintosh encoding.
const MACINTOSH: &str = "\
    ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß\
    ®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ\
    –—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜\
    ¯˘˙˚¸˝˛ˇ";

/// Codes from 0xA0 on of the standard encoding of Type 1 fonts.
const STANDARD: &str = "\
    �¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ�–†‡·�¶•‚„”»…‰�¿�`´ˆ˜¯˘˙\
    ¨�˚¸�˝˛ˇ—����������������Æ�ª����ŁØŒº����\
    �æ���ı��łøœß����";

/// Glyph names, each followed by its character. Letters and digits of one character are their own
/// names and not listed.
const NAMES: &str = "\
    exclam ! quotedbl \" numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( \
    parenright ) asterisk * plus + comma , hyphen - period . slash / zero 0 one 1 two 2 three 3 \
    four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater > \
    question ? at @ bracketleft [ backslash \\ bracketright ] asciicircum ^ underscore _ grave ` \
    braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ currency ¤ yen ¥ \
    brokenbar ¦ section § dieresis ¨ copyright © ordfeminine ª guillemotleft « logicalnot ¬ \
    softhyphen \u{AD} registered ® macron ¯ degree ° plusminus ± twosuperior ² threesuperior ³ \
    acute ´ mu µ paragraph ¶ periodcentered · cedilla ¸ onesuperior ¹ ordmasculine º \
    guillemotright » onequarter ¼ onehalf ½ threequarters ¾ questiondown ¿ Agrave À Aacute Á \
    Acircumflex Â Atilde Ã Adieresis Ä Aring Å AE Æ Ccedilla Ç Egrave È Eacute É Ecircumflex Ê \
    Edieresis Ë Igrave Ì Iacute Í Icircumflex Î Idieresis Ï Eth Ð Ntilde Ñ Ograve Ò Oacute Ó \
    Ocircumflex Ô Otilde Õ Odieresis Ö multiply × Oslash Ø Ugrave Ù Uacute Ú Ucircumflex Û \
    Udieresis Ü Yacute Ý Thorn Þ germandbls ß agrave à aacute á acircumflex â atilde ã \
    adieresis ä aring å ae æ ccedilla ç egrave è eacute é ecircumflex ê edieresis ë igrave ì \
    iacute í icircumflex î idieresis ï eth ð ntilde ñ ograve ò oacute ó ocircumflex ô otilde õ \
    odieresis ö divide ÷ oslash ø ugrave ù uacute ú ucircumflex û udieresis ü yacute ý thorn þ \
    ydieresis ÿ quoteleft ‘ quoteright ’ quotedblleft “ quotedblright ” quotesinglbase ‚ \
    quotedblbase „ endash – emdash — bullet • ellipsis … dagger † daggerdbl ‡ perthousand ‰ \
    guilsinglleft ‹ guilsinglright › fraction ⁄ florin ƒ Euro € trademark ™ minus − ff ff fi fi \
    fl fl ffi ffi ffl ffl dotlessi ı dotlessj ȷ circumflex ˆ tilde ˜ breve ˘ dotaccent ˙ ring ˚ \
    hungarumlaut ˝ ogonek ˛ caron ˇ Lslash Ł lslash ł OE Œ oe œ Scaron Š scaron š Zcaron Ž \
    zcaron ž Ydieresis Ÿ Ccaron Č ccaron č Dcaron Ď dcaron ď Ecaron Ě ecaron ě Ncaron Ň \
    ncaron ň Rcaron Ř rcaron ř Tcaron Ť tcaron ť Uring Ů uring ů Aogonek Ą aogonek ą Cacute Ć \
    cacute ć Eogonek Ę eogonek ę Nacute Ń nacute ń Sacute Ś sacute ś Zacute Ź zacute ź \
    Zdotaccent Ż zdotaccent ż Abreve Ă abreve ă Gbreve Ğ gbreve ğ Idotaccent İ Scedilla Ş \
    scedilla ş Ohungarumlaut Ő ohungarumlaut ő Uhungarumlaut Ű uhungarumlaut ű Dcroat Đ \
    dcroat đ Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ \
    Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ \
    Omega Ω alpha α beta β gamma γ delta δ epsilon ε epsilon1 ε zeta ζ eta η theta θ theta1 ϑ \
    iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π rho ρ sigma σ sigma1 ς tau τ upsilon υ \
    phi φ phi1 ϕ chi χ psi ψ omega ω arrowleft ← arrowright → arrowup ↑ arrowdown ↓ \
    arrowdblright ⇒ arrowdblleft ⇐ element ∈ infinity ∞ integral ∫ summation ∑ product ∏ \
    radical √ partialdiff ∂ gradient ∇ approxequal ≈ similar ∼ notequal ≠ lessequal ≤ \
    greaterequal ≥ equivalence ≡ proportional ∝ intersection ∩ union ∪ propersubset ⊂ \
    reflexsubset ⊆ emptyset ∅ universal ∀ existential ∃ logicaland ∧ logicalor ∨ asteriskmath ∗ \
    dotmath ⋅ prime ′ lozenge ◊ square □ checkmark ✓ copyrightserif © registerserif ® \
    trademarkserif ™";

/// A base encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// `WinAnsiEncoding`.
    Windows,
    /// `MacRomanEncoding`.
    Macintosh,
    /// `StandardEncoding`.
    Standard,
}

impl Base {
    /// The character of a code.
    pub(super) fn character(self, code: u8) -> Option<char> {
        let upper = |table: &str, first: u8| table.chars().nth(usize::from(code - first));
        let character = match (self, code) {
            (_, 0..0x20) => None,
            (Self::Standard, b'\'') => Some('’'),
            (Self::Standard, b'`') => Some('‘'),
            (_, 0x20..0x7F) => Some(char::from(code)),
            (_, 0x7F) => None,
            (Self::Windows, 0x80..0xA0) => upper(WINDOWS, 0x80),
            (Self::Windows, _) => Some(char::from(code)),
            (Self::Macintosh, _) => upper(MACINTOSH, 0x80),
            (Self::Standard, 0x80..0xA0) => None,
            (Self::Standard, _) => upper(STANDARD, 0xA0),
        };
        character.filter(|character| *character != char::REPLACEMENT_CHARACTER)
    }
}

/// The text of a glyph by its name: `eacute`, `uni20AC`, `u1F600`, `f_i`, `a.alt`.
pub(super) fn text_of_name(name: &str) -> Option<String> {
    let name = name.split('.').next().filter(|base| !base.is_empty())?;
    name.split('_').map(text_of_part).collect()
}

fn text_of_part(name: &str) -> Option<String> {
    match name {
        "space" | "nbspace" => return Some(" ".to_owned()),
        "softhyphen" => return Some("\u{AD}".to_owned()),
        _ if name.chars().count() == 1 => return Some(name.to_owned()),
        _ => {}
    }
    let mut words = NAMES.split(' ');
    while let (Some(word), Some(character)) = (words.next(), words.next()) {
        if word == name {
            return Some(character.to_owned());
        }
    }
    if let Some(digits) = name.strip_prefix("uni")
        && digits.len() >= 4
        && digits.len().is_multiple_of(4)
        && digits.is_ascii()
    {
        let units: Result<Vec<u16>, _> = (0..digits.len() / 4)
            .map(|part| u16::from_str_radix(&digits[4 * part..4 * part + 4], 16))
            .collect();
        return String::from_utf16(&units.ok()?).ok();
    }
    let digits = name.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len()))?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_right_length() {
        assert_eq!(WINDOWS.chars().count(), 0x20);
        assert_eq!(MACINTOSH.chars().count(), 0x80);
        assert_eq!(STANDARD.chars().count(), 0x60);
        assert_eq!(NAMES.split(' ').count() % 2, 0);
    }

    #[test]
    fn known_codes_give_known_characters() {
        assert_eq!(Base::Windows.character(0x80), Some('€'));
        assert_eq!(Base::Windows.character(0xE9), Some('é'));
        assert_eq!(Base::Windows.character(0x81), None);
        assert_eq!(Base::Macintosh.character(0x8E), Some('é'));
        assert_eq!(Base::Macintosh.character(0xFF), Some('ˇ'));
        assert_eq!(Base::Standard.character(0xD0), Some('—'));
        assert_eq!(Base::Standard.character(0xFB), Some('ß'));
    }

    #[test]
    fn names_of_all_forms_are_understood() {
        let known = [
            ("A", "A"),
            ("space", " "),
            ("eacute", "é"),
            ("ffi", "ffi"),
            ("uni20AC", "€"),
            ("u1F600", "😀"),
            ("f_i", "fi"),
            ("a.alt", "a"),
            ("uni00660069", "fi"),
            ("alpha", "α"),
        ];
        for (name, text) in known {
            assert_eq!(text_of_name(name).as_deref(), Some(text), "{name}");
        }
        for name in ["", ".notdef", "g123", "uniXYZW", "uni€€€€", "é_"] {
            assert_eq!(text_of_name(name), None, "{name}");
        }
    }
}
