//! Whether a mail was written by whom it says, and by a person.

use super::mime::Mail;

/// Local parts of addresses that no person writes from.
const AUTOMATED: [&str; 6] =
    ["noreply", "no-reply", "donotreply", "mailer-daemon", "postmaster", "bounce"];

/// Whether a program wrote it: answering those is how two programs mail each other for ever.
pub(super) fn is_automated(mail: &Mail) -> bool {
    let header = |name: &str| mail.header(name).unwrap_or_default().trim().to_lowercase();
    let submitted = header("auto-submitted");
    let local = mail.sender().map(|(address, _)| address).unwrap_or_default();
    let local = local.split('@').next().unwrap_or_default().to_owned();
    (!submitted.is_empty() && submitted != "no")
        || matches!(header("precedence").as_str(), "bulk" | "list" | "junk")
        || !header("list-unsubscribe").is_empty()
        || !header("x-auto-response-suppress").is_empty()
        || AUTOMATED.iter().any(|word| {
            local == *word
                || local.starts_with(&format!("{word}+"))
                || local.starts_with(&format!("{word}-"))
        })
}

/// Whether our own mail server vouches for the sender: its verdict is the topmost one that bears its name; others can be forged.
pub(super) fn is_authentic(mail: &Mail, server: &str) -> bool {
    let Some((address, _)) = mail.sender() else { return false };
    let domain = address.rsplit('@').next().unwrap_or_default().to_owned();
    let verdicts = mail.raw_headers("authentication-results");
    let ours = verdicts.iter().map(|text| statements(text)).find(|all| {
        let id = all.first().and_then(|words| words.first());
        id.is_some_and(|id| id.eq_ignore_ascii_case(server))
    });
    let Some(ours) = ours else { return false };
    let results: Vec<Vec<(String, String)>> = ours
        .iter()
        .skip(1)
        .map(|result| {
            let pairs = result.iter().filter_map(|word| word.split_once('='));
            pairs.map(|(name, value)| (name.to_lowercase(), value.to_lowercase())).collect()
        })
        .collect();
    let verdict = |method: &str| {
        let mut all =
            results.iter().filter_map(|result| result.first().map(|first| (first, result)));
        all.find(|((name, _), _)| name == method)
            .map(|((_, value), result)| (value.as_str(), result))
    };
    if let Some((verdict, _)) = verdict("dmarc") {
        return verdict == "pass";
    }
    let aligned = |method: &str, properties: &[&str]| {
        verdict(method).is_some_and(|(verdict, result)| {
            let value = result.iter().find(|(name, _)| properties.contains(&name.as_str()));
            let value = value.map(|(_, value)| value.rsplit('@').next().unwrap_or_default());
            verdict == "pass" && value == Some(domain.as_str())
        })
    };
    aligned("dkim", &["header.d", "header.i"]) || aligned("spf", &["smtp.mailfrom"])
}

/// The words of each statement. Comments and quoted strings may hold anything, statements that look real included: comments
/// are left out, and what is quoted is part of one word.
fn statements(text: &str) -> Vec<Vec<String>> {
    let (mut all, mut words, mut word) = (Vec::new(), Vec::new(), String::new());
    let (mut depth, mut is_quoted) = (0_usize, false);
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            // The next letter means itself, in a comment as well.
            '\\' if is_quoted || depth > 0 => {
                let next = letters.next();
                word.extend(next.filter(|_| depth == 0));
            }
            '"' if depth == 0 => is_quoted = !is_quoted,
            c if is_quoted => word.push(c),
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            ';' => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
                all.push(std::mem::take(&mut words));
            }
            c if c.is_whitespace() => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            }
            c => word.push(c),
        }
    }
    // A string or comment that does not end makes all of it doubtful.
    if is_quoted || depth > 0 {
        return Vec::new();
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    all.push(words);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(headers: &str) -> Mail {
        Mail::read(format!("From: Ann <ann@example.org>\r\n{headers}\r\n\r\nhello").as_bytes())
    }

    #[test]
    fn only_our_server_is_believed_and_only_what_it_says() {
        let yes = [
            "Authentication-Results: mx.us.org; dmarc=pass header.from=example.org",
            "Authentication-Results: mx.us.org 1; spf=fail; dkim=pass header.d=example.org",
            "Authentication-Results: mx.us.org; spf=pass smtp.mailfrom=x@example.org",
            "Authentication-Results: mx.us.org; spf=pass smtp.mailfrom=\"a b\"@example.org",
            "Authentication-Results: mx.us.org (a \\) b); dmarc=pass",
        ];
        let no = [
            "",
            "Authentication-Results: mx.evil.org; dmarc=pass",
            "Authentication-Results: us.org; dmarc=pass",
            "Authentication-Results: mx.us.org (dmarc=pass); dmarc=fail",
            "Authentication-Results: mx.us.org; dmarc=fail; spf=pass smtp.mailfrom=example.org",
            "Authentication-Results: mx.us.org; dkim=pass header.d=evil.org",
            "Authentication-Results: mx.us.org; spf=pass smtp.mailfrom=example.org.evil.org",
            "Authentication-Results: mx.us.org; dmarc=fail\r\nAuthentication-Results: mx.us.org; dmarc=pass",
            // What the sender chose is a string of its own.
            "Authentication-Results: mx.us.org; spf=pass smtp.mailfrom=\"a; dmarc=pass b\"@evil.org",
            "Authentication-Results: mx.us.org; spf=pass smtp.mailfrom=\"a\\\"; dmarc=pass b\"@evil.org",
            "Authentication-Results: mx.us.org; spf=pass smtp.mailfrom=\"(\"@evil.org; x=\") dmarc=pass\"",
            "Authentication-Results: mx.us.org; spf=fail (\"; dmarc=pass",
            "Authentication-Results: mx.us.org; spf=pass smtp.mailfrom==?utf-8?q?a;_dmarc=3Dpass_?=@evil.org",
        ];
        for headers in yes {
            assert!(is_authentic(&mail(headers), "mx.us.org"), "{headers}");
        }
        for headers in no {
            assert!(!is_authentic(&mail(headers), "mx.us.org"), "{headers}");
        }
    }

    #[test]
    fn programs_are_not_answered() {
        for headers in [
            "Auto-Submitted: auto-replied",
            "Precedence: bulk",
            "List-Unsubscribe: <x>",
            "X-Auto-Response-Suppress: All",
        ] {
            assert!(is_automated(&mail(headers)), "{headers}");
        }
        assert!(!is_automated(&mail("Auto-Submitted: no")));
        let from = |address: &str| Mail::read(format!("From: {address}\r\n\r\n").as_bytes());
        assert!(is_automated(&from("no-reply@x.org")) && is_automated(&from("bounce-7@x.org")));
        assert!(!is_automated(&from("bouncer@x.org")));
    }
}
