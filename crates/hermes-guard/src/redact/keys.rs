//! Keys with a prefix that tells who issued them.

use super::mask::{marker, masked_length};
use super::scan::{Remains, SecretScan, is_token};
use super::values::{SecretLook, look};
use super::words::made_of_words;

/// A prefix that issuers put before their keys.
pub(super) struct KeyPrefix {
    pub(super) text: &'static str,
    /// Fewest characters after it.
    least: usize,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// No ordinary name begins like this.
    Distinct,
    /// The same, and the key has parts separated by dots.
    Dotted,
    /// Names in programs begin like this too.
    Common,
    /// No ordinary name begins like this, and the key is Base64.
    Base64,
    /// Anything may begin like this: what follows has to show that a generator made it.
    Random,
}

const fn distinct(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix { text, least, shape: Shape::Distinct }
}

const fn dotted(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix { text, least, shape: Shape::Dotted }
}

const fn common(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix { text, least, shape: Shape::Common }
}

const fn base64(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix { text, least, shape: Shape::Base64 }
}

const fn random(text: &'static str, least: usize) -> KeyPrefix {
    KeyPrefix { text, least, shape: Shape::Random }
}

/// How much of a key is looked at to tell it from a name.
const JUDGED: usize = 128;

/// Longer prefixes stand before the shorter ones they begin with.
pub(super) const KEY_PREFIXES: &[KeyPrefix] = &[
    distinct("github_pat_", 10),
    // What an account is asked anew with.
    random("1//0", 30),
    // `tok:` in Base64.
    random("dG9rO", 30),
    distinct("ghp_", 10),
    distinct("gho_", 10),
    distinct("ghu_", 10),
    distinct("ghs_", 10),
    distinct("ghr_", 10),
    distinct("glpat-", 10),
    distinct("glptt-", 10),
    distinct("gldt-", 10),
    distinct("glrt-", 10),
    distinct("glcbt-", 10),
    distinct("glsoat-", 10),
    distinct("gloas-", 10),
    distinct("glft-", 10),
    distinct("glagent-", 10),
    distinct("whsec_", 10),
    distinct("xoxc-", 10),
    distinct("xoxd-", 10),
    distinct("xoxe-", 10),
    dotted("xoxe.", 10),
    distinct("ABIA", 16),
    distinct("ABSK", 40),
    distinct("AGE-SECRET-KEY-1", 30),
    distinct("ATATT3", 20),
    distinct("ATCTT3", 20),
    distinct("ATBB", 20),
    distinct("GOCSPX-", 10),
    distinct("GR1348941", 10),
    distinct("HRKU-", 20),
    distinct("NRAK-", 20),
    distinct("NRII-", 20),
    distinct("PMAK-", 20),
    distinct("LTAI", 16),
    distinct("AKID", 28),
    distinct("AKCp", 30),
    distinct("EZAK", 40),
    distinct("CFPAT-", 20),
    distinct("CCIPAT_", 20),
    distinct("FLWSECK", 20),
    distinct("dor_v1_", 10),
    distinct("dapi", 32),
    distinct("dckr_pat_", 10),
    distinct("dckr_oat_", 10),
    distinct("figd_", 20),
    distinct("glsa_", 20),
    distinct("hcaik_", 20),
    distinct("lin_api_", 20),
    distinct("lin_oauth_", 20),
    distinct("lsv2_", 20),
    distinct("nvapi-", 20),
    distinct("pcsk_", 20),
    distinct("pscale_tkn_", 20),
    distinct("pscale_pw_", 20),
    distinct("pscale_oauth_", 20),
    distinct("rubygems_", 32),
    distinct("rzp_live_", 10),
    distinct("rzp_test_", 10),
    distinct("sbp_", 20),
    distinct("sb_secret_", 20),
    distinct("shpss_", 10),
    distinct("shpca_", 10),
    distinct("shppa_", 10),
    distinct("shpua_", 10),
    distinct("sntrys_", 20),
    distinct("sntryu_", 20),
    distinct("sq0atp-", 20),
    distinct("sq0csp-", 20),
    distinct("squ_", 30),
    distinct("sqp_", 30),
    distinct("sqa_", 30),
    distinct("tgp_v1_", 20),
    distinct("tskey-", 16),
    distinct("vercel_blob_rw_", 20),
    distinct("xkeysib-", 20),
    distinct("xsmtpsib-", 20),
    distinct("npg_", 10),
    distinct("access-production-", 20),
    distinct("access-sandbox-", 20),
    distinct("access-development-", 20),
    distinct("pat-ap1-", 20),
    dotted("pat.", 50),
    dotted("sat.", 50),
    distinct("pat-na1-", 20),
    distinct("pat-eu1-", 20),
    dotted("hvb.", 10),
    dotted("hvr.", 10),
    dotted("ya29.", 20),
    dotted("dp.pt.", 20),
    dotted("dp.st.", 20),
    dotted("dp.ct.", 20),
    dotted("dt0c01.", 20),
    dotted("dt0s01.", 20),
    dotted("amzn.mws.", 20),
    dotted("amzn1.oa2-cs.v1.", 20),
    random("nsec1", 50),
    random("1//0", 40),
    random("EAA", 60),
    random("oy2", 43),
    random("cio", 32),
    random("pat", 70),
    random("key-", 32),
    random("secret_", 40),
    random("oauth:", 30),
    random("pul-", 32),
    random("nfp_", 30),
    random("rnd_", 30),
    base64("fo1_", 30),
    base64("fm1_", 30),
    base64("fm2_", 30),
    random("v1.0-", 60),
    random("re_", 30),
    random("csk-", 30),
    random("jina_", 30),
    random("e2b_", 30),
    random("ops_", 60),
    random("y0_", 40),
    random("AQVN", 30),
    random("pnu_", 30),
    random("bkua_", 30),
    random("glc_", 40),
    random("phx_", 30),
    random("sl.", 60),
    distinct("aio_", 24),
    distinct("p8e-", 28),
    distinct("p8-", 40),
    distinct("CLOJARS_", 40),
    distinct("dnkey-", 20),
    distinct("duffel_live_", 20),
    distinct("duffel_test_", 20),
    distinct("EZTK", 40),
    distinct("fio-u-", 30),
    distinct("glffct-", 16),
    distinct("glimt-", 16),
    distinct("_gitlab_session=", 20),
    distinct("api_org_", 30),
    distinct("ico-", 30),
    distinct("NRJS-", 15),
    distinct("NRBR-", 15),
    distinct("rdme_", 40),
    distinct("sgp_", 30),
    distinct("sm_pat_", 12),
    distinct("sm_aat_", 12),
    distinct("sm_sat_", 12),
    distinct("shippo_live_", 30),
    distinct("shippo_test_", 30),
    distinct("tfp_", 40),
    distinct("pdl_live_", 20),
    distinct("pdl_sdbx_", 20),
    distinct("pdl_ntfset_", 20),
    distinct("mdb_sa_sk_", 20),
    distinct("xau_", 20),
    distinct("vcp_", 20),
    distinct("vck_", 20),
    distinct("ddp_", 30),
    distinct("ddo_", 30),
    distinct("ACCA", 16),
    distinct("esecret_", 20),
    distinct("signkey-prod-", 20),
    distinct("signkey-test-", 20),
    distinct("tr_dev_", 16),
    distinct("tr_prod_", 16),
    distinct("essu_", 30),
    distinct("ucat_", 20),
    distinct("secret-live-", 20),
    distinct("secret-test-", 20),
    distinct("sk-ant-", 16),
    distinct("sk-proj-", 16),
    distinct("sk-or-v1-", 16),
    distinct("sk-lf-", 16),
    distinct("snyk_uat.", 20),
    distinct("shptka_", 10),
    distinct("glwt-", 16),
    distinct("dvc_server_", 16),
    random("cmVmd", 56),
    random("API-", 25),
    random("sdk-", 32),
    random("mob-", 32),
    random("test_", 35),
    random("live_", 30),
    random("A3-", 30),
    random("t1.", 60),
    random("ak-", 22),
    random("as-", 22),
    random("tk-us-", 40),
    random("sha256~", 43),
    random("st.", 60),
    random("s-s4t2ud-", 40),
    random("s-s4t2af-", 40),
    random("cfut_", 30),
    random("cfat_", 30),
    random("pk_prod_", 24),
    random("rf_", 20),
    random("AAAAAAAAAAAAAAAAAAAAA", 40),
    random("EXO", 26),
    random("SCW", 17),
    random("AQ.", 40),
    random("ATTA", 60),
    random("tok_", 24),
    random("sess_", 24),
    random("sess-", 30),
    random("apikey_", 24),
    random("apikey-", 24),
    random("token_", 30),
    random("token-", 30),
    random("secret-", 30),
    distinct("sk_live_", 10),
    distinct("sk_test_", 10),
    distinct("rk_live_", 10),
    distinct("rk_test_", 10),
    distinct("xoxa-", 10),
    distinct("xoxb-", 10),
    distinct("xoxp-", 10),
    distinct("xoxr-", 10),
    distinct("xoxs-", 10),
    distinct("xapp-", 10),
    distinct("AIza", 30),
    distinct("AKIA", 16),
    distinct("ASIA", 16),
    distinct("gAAAA", 20),
    distinct("dop_v1_", 10),
    distinct("doo_v1_", 10),
    distinct("shpat_", 10),
    dotted("hvs.", 10),
    dotted("SG.", 10),
    common("sk-", 10),
    common("sk_", 10),
    common("hf_", 10),
    common("r8_", 10),
    common("npm_", 10),
    common("pypi-", 10),
    common("pplx-", 10),
    common("tvly-", 10),
    common("exa_", 10),
    common("gsk_", 10),
    common("xai-", 30),
    common("fpk_", 30),
    common("fw-", 30),
    common("fw_", 30),
    common("ntn_", 10),
    common("fal_", 10),
    common("fc-", 10),
    common("am_", 10),
    common("bb_live_", 10),
    common("syt_", 10),
    common("brv_", 10),
    common("mem0_", 10),
    common("retaindb_", 10),
    common("hsk-", 10),
];

/// Looks at what follows a prefix, given by its place in the list.
pub(super) fn visit(scan: &mut SecretScan<'_>, start: usize, index: usize) {
    let prefix = &KEY_PREFIXES[index];
    let rest = &scan.text[start..];
    let dotted = prefix.shape == Shape::Dotted;
    if !rest.starts_with(prefix.text)
        || !begins_word(scan, start)
        || dotted && follows_dot_in_name(scan, start)
    {
        return;
    }
    if let Some(length) = masked_length(rest) {
        return scan.keep(start..start + length);
    }
    let body = start + prefix.text.len();
    let random = prefix.shape == Shape::Random;
    let base64 = prefix.shape == Shape::Base64;
    let belongs = |byte: u8| {
        is_token(byte)
            || (dotted || random) && byte == b'.'
            || base64 && matches!(byte, b'+' | b'/' | b'=')
    };
    // Judged by its beginning: only what is hidden is read to its end.
    let judged = &scan.text[body..scan.run_end_within(body, JUDGED, belongs)];
    // One lower-case word after a distinct prefix is still a key; two are a name.
    let names_possible = prefix.shape == Shape::Common || judged.contains(['_', '-', '.']);
    let judged = judged.trim_end_matches('.');
    if random && look(judged) != SecretLook::Generated {
        return;
    }
    if judged.len() < prefix.least || names_possible && is_name(judged) || filler(judged) {
        return;
    }
    // The samples of the vendor's manual.
    if matches!(prefix.text, "AKIA" | "ASIA") && judged.ends_with("EXAMPLE") {
        return;
    }
    let end = scan.run_end(body, belongs);
    // A call of a function.
    if prefix.shape == Shape::Common && scan.byte(end) == b'(' {
        return;
    }
    let end = body + scan.text[body..end].trim_end_matches('.').len();
    hide_key(scan, start..end, prefix);
    if matches!(prefix.text, "AKIA" | "ASIA") {
        second_half(scan, end);
    }
}

/// Characters of the secret that belongs to a key's id.
const SECOND_HALF: usize = 40;

/// The secret right behind a key's id: `("AKIA…", "secret")`, `AKIA…:secret`.
fn second_half(scan: &mut SecretScan<'_>, id_end: usize) {
    let start = scan.run_end_within(id_end, 8, |byte| {
        matches!(byte, b'"' | b'\'' | b',' | b':' | b' ' | b'\t')
    });
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+');
    let end = scan.run_end_within(start, SECOND_HALF + 1, base64);
    if start > id_end
        && end - start == SECOND_HALF
        && look(&scan.text[start..end]) == SecretLook::Generated
    {
        scan.hide(start..end);
    }
}

/// Hides a value that its name gave away; a known prefix is told there, too, where nothing else may remain.
pub(super) fn hide_value(scan: &mut SecretScan<'_>, range: std::ops::Range<usize>) {
    let value = &scan.text[range.clone()];
    let known =
        |prefix: &&KeyPrefix| prefix.shape == Shape::Distinct && value.starts_with(prefix.text);
    match KEY_PREFIXES.iter().find(known) {
        Some(prefix) if value.bytes().all(is_token) => hide_key(scan, range, prefix),
        _ => scan.hide(range),
    }
}

fn hide_key(scan: &mut SecretScan<'_>, range: std::ops::Range<usize>, prefix: &KeyPrefix) {
    let rest = &scan.text[range.start..];
    match scan.rules.remains {
        Remains::Ends => scan.hide(range),
        Remains::Nothing => {
            // A shorter prefix is met before a longer one that begins with it.
            let longest = KEY_PREFIXES.iter().find(|known| rest.starts_with(known.text));
            scan.replace(range, &marker(longest.unwrap_or(prefix).text));
        }
    }
}

/// Whether people made this up: `buff_head_init`, `X509_pop_free`.
fn is_name(judged: &str) -> bool {
    made_of_words(judged) || judged.contains('_') && look(judged) == SecretLook::Plain
}

/// Whether a word can begin here. Escapes in strings and URLs (`\n`, `%3D`) end in a letter that does
/// not belong to the word.
fn begins_word(scan: &SecretScan<'_>, start: usize) -> bool {
    let before = scan.byte_before(start);
    if !is_token(before) && before < 0x80 {
        return true;
    }
    let earlier = |distance: usize| start.checked_sub(distance).map_or(0, |at| scan.byte(at));
    // The end of a colour: `ESC [ 3 2 m`.
    let colour = before == b'm' && {
        let digits = scan.run_start(start - 1, 12, |byte| byte.is_ascii_digit() || byte == b';');
        scan.byte_before(digits) == b'[' && digits >= 2 && scan.byte(digits - 2) == 0x1b
    };
    colour
        || matches!(before, b'n' | b'r' | b't') && earlier(2) == b'\\'
        || before.is_ascii_hexdigit() && earlier(2).is_ascii_hexdigit() && earlier(3) == b'%'
}

/// Whether this is a later part of a name with dots, such as `a.b.c`.
fn follows_dot_in_name(scan: &SecretScan<'_>, start: usize) -> bool {
    scan.byte_before(start) == b'.' && start >= 2 && is_token(scan.byte(start - 2))
}

/// `xxxxxxxxxx`, as examples have it.
fn filler(secret: &str) -> bool {
    secret.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'-' | b'_' | b'.'))
}
