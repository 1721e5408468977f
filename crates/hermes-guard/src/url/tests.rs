use std::net::Ipv6Addr;

use proptest::prelude::*;

use super::*;
use credentials::credential_parameter;
use iri::normalise;
use sites::{Blocked, Blocklist};

fn public(url: &str) -> Result<UrlTarget, UrlRefusal> {
    check(url, Policy::PublicOnly)
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn public_web_addresses_pass() {
    for (url, host, port) in [
        ("https://example.com/a?b#c", "example.com", 443),
        ("HTTP://Example.COM.:8080/", "example.com", 8080),
        ("  https://example.com ", "example.com", 443),
        ("http://8.8.8.8/", "8.8.8.8", 80),
        ("http://[2606:4700::1111]/", "[2606:4700::1111]", 80),
        ("https://user:password@example.com/x@y\\z", "example.com", 443),
        ("https://bücher.example/", "xn--bcher-kva.example", 443),
        (
            "https://metadata.google.internal.example.com/",
            "metadata.google.internal.example.com",
            443,
        ),
        ("http://169.254.169.254.example.com/", "169.254.169.254.example.com", 80),
    ] {
        let target = public(url).unwrap();
        assert_eq!((target.host(), target.port()), (host, port), "{url}");
    }
}

#[test]
fn only_the_web_is_visited() {
    for url in ["ftp://example.com", "file:///etc/passwd", "example.com", "", "javascript:alert(1)"]
    {
        assert_eq!(public(url), Err(UrlRefusal::NotWeb), "{url}");
    }
    for url in ["http://", "http:///path", "https://?q"] {
        assert_eq!(public(url), Err(UrlRefusal::NoHost), "{url}");
    }
    for url in
        ["http://a b/", "http://exa<mple/", "http://[::1", "http://1.2.3.999/", "http://x:y/"]
    {
        assert!(public(url).is_err(), "{url}");
    }
    assert_eq!(public("http://./"), Err(UrlRefusal::NoHost));
}

#[test]
fn an_authority_that_reads_two_ways_is_refused() {
    for url in [
        "http://example.com\\@127.0.0.1/",
        "http://127.0.0.1\\.example.com/",
        "http:\\\\example.com/",
        "http:/\\example.com/",
        "http:example.com",
        "http://exam\tple.com/",
        "http://example.com\r\nHost: x/",
        "http://example.com\u{0}/",
        "http://example.com\u{85}/",
    ] {
        assert_eq!(public(url), Err(UrlRefusal::Authority), "{url:?}");
    }
}

#[test]
fn metadata_services_are_closed_under_every_policy() {
    for url in [
        "http://metadata.google.internal/computeMetadata/v1/",
        "http://METADATA.google.internal./",
        "http://metadata.goog/",
        "http://169.254.169.254/latest/meta-data/",
        "http://169.254.169.253/",
        "http://169.254.170.2/v2/credentials",
        "http://169.254.1.1/",
        "http://100.100.100.200/",
        "http://[fd00:ec2::254]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[::ffff:100.100.100.200]/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://0xA9.0xFE.0xA9.0xFE/",
        "http://0251.0376.0251.0376/",
        "http://169.254.43518/",
        "http://169.16689662/",
        "http://%31%36%39.254.169.254/",
        "http://１６９.254.169.254/",
        "http://169。254。169。254/",
        "http://[2002:a9fe:a9fe::1]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[64:ff9b:1::a9fe:a9fe]/",
        "http://[2001:0:808:808::5601:5601]/",
        "http://[::a9fe:a9fe]/",
        "http://[fe80::5efe:a9fe:a9fe]/",
    ] {
        for policy in [Policy::PublicOnly, Policy::PrivateToo] {
            let refusal = check(url, policy).unwrap_err();
            assert_eq!(refusal.rule(), "metadata_address", "{url}: {refusal}");
        }
    }
}

#[test]
fn addresses_off_the_public_internet_need_the_setting() {
    for url in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://2130706433/",
        "http://017700000001/",
        "http://0/",
        "http://0.0.0.0/",
        "http://10.1.2.3/",
        "http://172.16.0.1/",
        "http://172.31.255.255/",
        "http://192.168.1.1/",
        "http://100.64.0.1/",
        "http://100.127.255.255/",
        "http://192.0.0.1/",
        "http://192.0.2.1/",
        "http://198.18.0.1/",
        "http://198.19.255.255/",
        "http://198.51.100.1/",
        "http://203.0.113.1/",
        "http://224.0.0.1/",
        "http://240.0.0.1/",
        "http://255.255.255.255/",
        "http://[::]/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:192.168.0.1]/",
        "http://[::127.0.0.1]/",
        "http://[fc00::1]/",
        "http://[fd12::1]/",
        "http://[fe80::1]/",
        "http://[fec0::1]/",
        "http://[ff02::1]/",
        "http://[2001:db8::1]/",
        "http://[3fff::1]/",
        "http://[2001:2::1]/",
        "http://[100::1]/",
        "http://[4000::1]/",
        "http://[2002:7f00:1::]/",
        "http://[2002:c0a8:101::1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[64:ff9b::10.0.0.1]/",
        "http://[2001:0:a00:1::]/",
        "http://[2001:0:808:808::f5ff:fffe]/",
        "http://localhost/",
        "http://LocalHost.:3000/",
        "http://app.localhost/",
    ] {
        let refusal = public(url).unwrap_err();
        assert_eq!(refusal.rule(), "private_address", "{url}: {refusal}");
        assert!(refusal.to_string().contains("security.allow_private_urls"), "{refusal}");
        assert!(check(url, Policy::PrivateToo).is_ok(), "{url}");
    }
}

#[test]
fn neighbours_of_closed_ranges_are_open() {
    for address in [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "2a00::1",
        "64:ff9b::8.8.8.8",
        "::ffff:8.8.8.8",
        "2002:808:808::1",
    ] {
        assert!(address_allowed(ip(address), Policy::PublicOnly), "{address}");
    }
}

#[test]
fn every_resolved_address_has_to_pass_and_is_pinned() {
    let target = public("https://example.com:8443/x").unwrap();
    let pinned = target.clone().admit([ip("93.184.216.34"), ip("2606:4700::1111")]).unwrap();
    assert_eq!(
        pinned.addresses(),
        ["93.184.216.34:8443".parse().unwrap(), "[2606:4700::1111]:8443".parse().unwrap()]
    );
    assert_eq!(pinned.target().url().as_str(), "https://example.com:8443/x");

    let refusal = target.clone().admit([ip("93.184.216.34"), ip("10.0.0.1")]).unwrap_err();
    assert_eq!(refusal.rule(), "private_address");
    assert!(refusal.to_string().starts_with("example.com (at 10.0.0.1)"), "{refusal}");
    assert_eq!(
        target.admit([]).unwrap_err(),
        UrlRefusal::Unresolved("example.com".to_owned()),
        "a name that leads nowhere is not visited"
    );
    let private = check("http://example.com/", Policy::PrivateToo).unwrap();
    assert!(private.clone().admit([ip("10.0.0.1")]).is_ok());
    assert!(private.admit([ip("::ffff:169.254.169.254")]).is_err());
}

#[test]
fn a_host_that_is_an_address_is_pinned_to_itself() {
    let pinned = public("http://8.8.8.8/").unwrap().admit([ip("1.1.1.1")]).unwrap();
    assert_eq!(pinned.addresses(), ["8.8.8.8:80".parse().unwrap()]);
}

#[test]
fn one_media_host_may_resolve_privately_over_https_only() {
    let target = |url| public(url).unwrap();
    let private = [ip("10.0.0.1")];
    assert!(target("https://multimedia.nt.qq.com.cn/x").admit(private).is_ok());
    assert!(target("http://multimedia.nt.qq.com.cn/x").admit(private).is_err());
    assert!(target("https://a.multimedia.nt.qq.com.cn/x").admit(private).is_err());
    assert!(target("https://multimedia.nt.qq.com.cn/x").admit([ip("169.254.169.254")]).is_err());
}

#[test]
fn redirects_are_judged_like_the_first_url() {
    let target = public("https://example.com/a/b?c").unwrap();
    for (location, wanted) in [
        ("next", "https://example.com/a/next"),
        ("/root", "https://example.com/root"),
        ("?q=1", "https://example.com/a/b?q=1"),
        ("//other.example/x", "https://other.example/x"),
        (" http://other.example/ ", "http://other.example/"),
        ("a:b", ""),
        ("./a:b", "https://example.com/a/a:b"),
        ("", "https://example.com/a/b?c"),
    ] {
        match target.redirect(location) {
            Ok(next) => assert_eq!(next.url().as_str(), wanted, "{location}"),
            Err(refusal) => assert_eq!((refusal, wanted), (UrlRefusal::NotWeb, ""), "{location}"),
        }
    }
    for location in [
        "http://169.254.169.254/",
        "//127.0.0.1/",
        "http://2130706433/",
        "file:///etc/passwd",
        "\\\\127.0.0.1/",
        "/\\127.0.0.1/",
        "//example.com\\@127.0.0.1/",
        "/\t/127.0.0.1/",
        "http:127.0.0.1",
        "gopher://example.com/",
    ] {
        assert!(target.redirect(location).is_err(), "{location:?}");
    }
    let private = check("http://127.0.0.1:3000/", Policy::PrivateToo).unwrap();
    assert!(private.redirect("http://127.0.0.1:4000/").is_ok(), "the policy travels along");
}

#[test]
fn credentials_in_the_query_are_found_by_exact_decoded_name() {
    let find = |query: &str| {
        credential_parameter(&::url::Url::parse(&format!("https://x.example/?{query}")).unwrap())
    };
    for name in [
        "access_token",
        "api_key",
        "apikey",
        "auth_token",
        "authorization",
        "AWSAccessKeyId",
        "client_secret",
        "credential",
        "credentials",
        "jwt",
        "password",
        "passwd",
        "secret",
        "session_id",
        "signature",
        "token",
        "X-Amz-Security-Token",
        "X-Amz-Signature",
        "x_amz_security_token",
        "x_amz_signature",
        "API_KEY",
    ] {
        assert_eq!(find(&format!("a=b&{name}=v")).as_deref(), Some(name));
    }
    assert_eq!(find("tok%65n=v").as_deref(), Some("token"));
    for query in ["code=1", "key=1", "auth=1", "session=1", "sig=1", "token=", "token", "mytoken=1"]
    {
        assert_eq!(find(query), None, "{query}");
    }
}

#[test]
fn addresses_as_people_write_them_become_fit_for_the_wire() {
    for (text, wanted) in [
        ("  https://example.com/a  ", "https://example.com/a"),
        ("https:// example.com/a", "https://example.com/a"),
        (
            "https://bücher.example/straße?q=ä b",
            "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4%20b",
        ),
        ("https://bücher.example:8080/", "https://xn--bcher-kva.example:8080/"),
        ("https://ü:ö@bücher.example/", "https://%C3%BC:%C3%B6@xn--bcher-kva.example/"),
        ("https://example.com/%20 x#ü", "https://example.com/%20%20x#%C3%BC"),
        ("https://example.com/a%2Fb?c=%C3%A9", "https://example.com/a%2Fb?c=%C3%A9"),
        ("HTTPS://Example.com/ü", "HTTPS://Example.com/%C3%BC"),
        ("http://[::1]:80/é", "http://[::1]:80/%C3%A9"),
        ("ftp://exämple/ü", "ftp://exämple/ü"),
        ("mailto:ü@x", "mailto:ü@x"),
        ("not a url", "not a url"),
    ] {
        assert_eq!(normalise(text), wanted, "{text}");
    }
}

#[test]
fn stars_inside_a_rule_stand_for_any_letters() {
    let mut list = Blocklist::default();
    list.add("ads*.example\n*.track*.test\n*", "here");
    for (host, rule) in [
        ("ads.example", "ads*.example"),
        ("ads7.eu.example", "ads*.example"),
        ("a.tracker.test", "*.track*.test"),
        ("other.example", "*"),
    ] {
        assert_eq!(list.verdict(host).unwrap().rule, rule, "{host}");
    }
    let mut list = Blocklist::default();
    list.add("ads*.example\n*.track*.test", "here");
    for host in ["bads.example", "ads.example.org", "tracker.test", "ad.example"] {
        assert!(list.verdict(host).is_none(), "{host}");
    }
}

#[test]
fn blocked_sites_match_the_host_and_what_is_below() {
    let mut list = Blocklist::default();
    assert!(list.is_empty());
    list.add(
        "# comment\n\n  https://WWW.Example.com/path  # why\n*.wild.example\nsub.example.com.\nport.example:8080",
        "list.txt",
    );
    let found = |host: &str| list.verdict(host).map(|blocked| blocked.rule);
    for (host, rule) in [
        ("example.com", Some("example.com")),
        ("EXAMPLE.com.", Some("example.com")),
        ("www.example.com", Some("example.com")),
        ("https://a.b.example.com:8443/x", Some("example.com")),
        ("sub.example.com", Some("sub.example.com")),
        ("wild.example", None),
        ("a.wild.example", Some("*.wild.example")),
        ("port.example", Some("port.example")),
        ("notexample.com", None),
        ("example.com.evil.test", None),
        ("com", None),
        ("", None),
    ] {
        assert_eq!(found(host).as_deref(), rule, "{host}");
    }
    assert_eq!(
        list.verdict("www.example.com"),
        Some(Blocked {
            host: "www.example.com".to_owned(),
            rule: "example.com".to_owned(),
            source: "list.txt".to_owned(),
        })
    );
}

proptest! {
    #[test]
    fn every_spelling_of_an_address_is_judged_alike(bits in any::<u32>()) {
        let address = std::net::Ipv4Addr::from_bits(bits);
        let [a, b, c, d] = address.octets();
        let wanted = address_allowed(address.into(), Policy::PublicOnly);
        for host in [
            format!("{a}.{b}.{c}.{d}"),
            format!("{bits}"),
            format!("{bits:#x}"),
            format!("0{bits:o}"),
            format!("{a:#x}.{b}.0{c:o}.{d}"),
            format!("{a}.{b}.{}", u32::from(c) << 8 | u32::from(d)),
            format!("[::ffff:{address}]"),
            format!("[64:ff9b::{address}]"),
        ] {
            prop_assert_eq!(public(&format!("http://{host}/")).is_ok(), wanted, "{}", host);
        }
    }

    #[test]
    fn no_text_escapes_the_check(text in "\\PC{0,60}") {
        let _ = public(&text);
        let _ = normalise(&text);
        for url in [format!("http://{text}"), format!("http://example.com/{text}")] {
            if let Ok(target) = public(&url) {
                prop_assert!(!target.host().is_empty());
                let _ = target.redirect(&text);
            }
        }
    }

    #[test]
    fn normalised_addresses_are_ascii_and_stay(path in "\\PC{0,40}") {
        let once = normalise(&format!("https://example.com/{path}")).into_owned();
        prop_assert!(once.is_ascii());
        prop_assert_eq!(normalise(&once), once.as_str());
    }

    #[test]
    fn addresses_outside_the_public_part_of_ipv6_are_closed(bits in any::<u128>()) {
        let address = Ipv6Addr::from_bits(bits & !(7 << 125));
        prop_assert!(!address_allowed(address.into(), Policy::PublicOnly));
    }
}
