//! Every way to write an address that is not for us, through the whole door.

use hermes_testkit::{
    AMBIGUOUS_ADDRESSES as MALFORMED, METADATA_ADDRESSES as METADATA, PRIVATE_ADDRESSES as PRIVATE,
};

use super::*;

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
