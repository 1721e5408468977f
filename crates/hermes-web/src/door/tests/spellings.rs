//! Every way to write an address that is not for us, through the whole door.

use super::*;

/// Spellings of this machine and of private, reserved and other closed networks.
const PRIVATE: &[&str] = &[
    // This machine.
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.255.255.254/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7F.1/",
    "http://0x7f.0.0.0x1/",
    "http://0177.0.0.1/",
    "http://0177.1/",
    "http://017700000001/",
    "http://00000177.0.0.1/",
    "http://0x7f.0.1/",
    "http://127.0.0.1./",
    "http://127%2e0%2e0%2e1/",
    "http://%31%32%37.0.0.1/",
    "http://１２７.０.０.１/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://127．0．0．1/",
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://LocalHost:3000/x",
    "http://a.localhost/",
    "http://a.b.localhost./",
    "http://ｌｏｃａｌｈｏｓｔ/",
    "http://loc%61lhost/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[0000::0001]/",
    "http://[::0001]:80/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::FFFF:7F00:0001]/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]/",
    "http://[::127.0.0.1]/",
    "http://[::7f00:1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::1]/",
    "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
    "http://[fe80::5efe:127.0.0.1]/",
    "http://[2001:db8::5efe:7f00:1]/",
    // Any address of this machine.
    "http://0/",
    "http://0.0.0.0/",
    "http://0.0/",
    "http://00.00.00.00/",
    "http://0x0/",
    "http://0.1.2.3/",
    "http://[::]/",
    "http://[0::0]/",
    "http://[::ffff:0.0.0.0]/",
    // Private networks.
    "http://10.0.0.1/",
    "http://10.1/",
    "http://10.255.255.255/",
    "http://167772161/",
    "http://0x0a000001/",
    "http://012.0.0.1/",
    "http://0xA.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://172.16.1/",
    "http://2886729729/",
    "http://0xac100001/",
    "http://0254.020.0.1/",
    "http://192.168.0.1/",
    "http://192.168.1/",
    "http://192.168.257/",
    "http://3232235521/",
    "http://0xc0a80001/",
    "http://0300.0250.0.1/",
    "http://0xc0.0xa8.0.1/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::ffff:a00:1]/",
    "http://[::ffff:192.168.0.1]/",
    "http://[::ffff:c0a8:1]/",
    "http://[::ffff:172.16.0.1]/",
    "http://[::192.168.0.1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[64:ff9b::192.168.0.1]/",
    "http://[2002:a00:1::]/",
    "http://[2002:c0a8:1::1]/",
    "http://[2002:ac10:1::1]/",
    "http://[fc00::1]/",
    "http://[fd12:3456:789a::1]/",
    "http://[FD00::1]/",
    "http://[fdff:ffff::]/",
    "http://[fe80::1]/",
    "http://[febf::1]/",
    "http://[fec0::1]/",
    "http://[feff::1]/",
    // Carriers, benchmarks, documentation, multicast, reserved.
    "http://100.64.0.1/",
    "http://100.127.255.254/",
    "http://1681915905/",
    "http://[::ffff:100.64.0.1]/",
    "http://192.0.0.1/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.19.255.255/",
    "http://198.51.100.7/",
    "http://203.0.113.9/",
    "http://224.0.0.1/",
    "http://239.255.255.250:1900/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://4294967295/",
    "http://0xffffffff/",
    "http://[ff02::1]/",
    "http://[ff0e::1]/",
    "http://[100::1]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[2001:2::1]/",
    "http://[4000::1]/",
    "http://[::2]/",
    // The host is what follows the last `@`, whatever stands before it.
    "http://example.com@127.0.0.1/",
    "http://example.com:80@127.0.0.1/",
    "http://user:pass@localhost/",
    "http://8.8.8.8@10.0.0.1/",
    "http://a@b@127.0.0.1/",
    "http://example.com%2f@127.0.0.1/",
    "http://example.com%23@127.0.0.1/",
    "https://127.0.0.1/",
    "HTTP://127.0.0.1/",
    "http:// 127.0.0.1/",
    "  http://127.0.0.1/  ",
    "http://127.0.0.1?x",
    "http://127.0.0.1#x",
];

/// Spellings of services that hand out a machine's credentials: closed under every permission.
const METADATA: &[&str] = &[
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.169.254./",
    "http://169.254.43518/",
    "http://169.16689662/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0xA9.0xFE.0xA9.0xFE/",
    "http://0251.0376.0251.0376/",
    "http://025177524776/",
    "http://169.254.0xa9fe/",
    "http://169.254.169.253/",
    "http://169.254.170.2/v2/credentials",
    "http://169.254.0.1/",
    "http://１６９.２５４.１６９.２５４/",
    "http://169。254。169。254/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[0:0:0:0:0:ffff:a9fe:a9fe]/",
    "http://[::169.254.169.254]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[64:ff9b:1::a9fe:a9fe]/",
    "http://[2002:a9fe:a9fe::]/",
    "http://[fd00:ec2::254]/",
    "http://[FD00:0EC2:0:0:0:0:0:254]/",
    "http://100.100.100.200/",
    "http://1684301000/",
    "http://0x646464c8/",
    "http://0144.0144.0144.0310/",
    "http://[::ffff:100.100.100.200]/",
    "http://[::ffff:6464:64c8]/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://METADATA.google.internal/",
    "http://metadata.google.internal./",
    "http://metadata%2egoogle.internal/",
    "http://metadata。google。internal/",
    "http://metadata.goog/",
    "https://metadata.goog./",
    "http://example.com@169.254.169.254/",
    "http://example.com@metadata.goog/",
];

/// What is refused because two readers would see two hosts in it, or because it is no web address.
const MALFORMED: &[&str] = &[
    "http://example.com\\@127.0.0.1/",
    "http://127.0.0.1\\@example.com/",
    "http:\\\\127.0.0.1/",
    "http:/\\127.0.0.1/",
    "http:/127.0.0.1/",
    "http:127.0.0.1/",
    "http:///127.0.0.1/",
    "http://exa\tmple.com/",
    "http://127.0.\n0.1/",
    "http://example.com\0.evil/",
    "http://[::1/",
    "http://[::1%25lo]/",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://0x100000000/",
    "http://127.0.0.1:99999/",
    "http://",
    "http://?x",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1:25/",
    "data:text/html,x",
    "javascript:alert(1)",
    "//127.0.0.1/",
    "127.0.0.1",
    "",
];

/// Counts every question: addresses need none.
struct NobodyAsks;

impl NameLookup for NobodyAsks {
    fn lookup(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        panic!("`{name}` was resolved although its text says enough");
    }
}

fn strict(policy: Policy) -> HttpDoor {
    HttpDoor::new(DoorOptions { policy, lookup: Arc::new(NobodyAsks), ..DoorOptions::default() })
}

#[tokio::test]
async fn no_spelling_of_a_private_address_passes() {
    assert!(PRIVATE.len() >= 120, "{}", PRIVATE.len());
    let door = strict(Policy::PublicOnly);
    for url in PRIVATE {
        for error in [
            door.judge(url).await.unwrap_err(),
            door.fetch(FetchRequest::get(*url)).await.unwrap_err(),
        ] {
            assert_eq!(rule(&error), "private_address", "{url}: {error}");
            let told = error.for_model();
            assert!(told.starts_with("Blocked:") && !told.contains("allow_private"), "{told}");
        }
    }
}

#[tokio::test]
async fn no_spelling_of_a_metadata_service_passes_whatever_is_allowed() {
    for policy in [Policy::PublicOnly, Policy::PrivateToo] {
        let door = strict(policy);
        for url in METADATA {
            let error = door.fetch(FetchRequest::get(*url)).await.unwrap_err();
            assert_eq!(rule(&error), "metadata_address", "{url}: {error}");
            let error = door.fetch(FetchRequest::get(*url).configured_by_user()).await.unwrap_err();
            assert_eq!(rule(&error), "metadata_address", "{url}: {error}");
        }
    }
}

#[tokio::test]
async fn what_can_be_read_in_two_ways_is_not_read_at_all() {
    for policy in [Policy::PublicOnly, Policy::PrivateToo] {
        let door = strict(policy);
        for url in MALFORMED {
            let error = door.fetch(FetchRequest::get(*url)).await.unwrap_err();
            assert!(error.is_refusal(), "{url}: {error}");
        }
    }
}

#[tokio::test]
async fn no_redirect_reaches_what_a_request_may_not() {
    for (list, wanted) in [(PRIVATE, "private_address"), (METADATA, "metadata_address")] {
        for url in list.iter().filter(|url| url.is_ascii() && url.trim() == **url) {
            let to = (*url).to_owned();
            let server = WebServer::start(move |_| WebReply::redirect(&to));
            let error =
                door_to(&server).fetch(FetchRequest::get(server.origin())).await.unwrap_err();
            let refused = matches!(rule(&error), "malformed_authority") || rule(&error) == wanted;
            assert!(refused, "{url}: {error}");
            assert_eq!(server.requests().len(), 1);
        }
    }
}
