//! Which addresses a browser may open.
//!
//! The rules are those of `hermes-guard`; here is who must pass which of them. A browser on this machine, beside a
//! terminal on this machine, can reach no more than the terminal can, so private addresses are open to it. One that
//! runs elsewhere, or beside a terminal that runs elsewhere, is a way into a network that the agent is not in.
//! Addresses where clouds hand out credentials are closed to all.

use std::net::IpAddr;
use std::sync::Arc;

use ::url::Url;
use hermes_guard::url::{
    self, Policy, UrlRefusal, UrlTarget, credentials, iri, secrets, sites::Blocked,
};
use hermes_web::SitePolicy;
use hermes_web::resolve::NameLookup;

use crate::page::PageState;
use crate::watch::FrameState;

/// Where a browser runs, as far as the rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// On this machine, and the terminal too.
    Local,
    /// Anywhere else.
    Elsewhere,
}

/// Why an address is not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefusal {
    /// A key of a known service is part of it.
    #[error(
        "Blocked: the URL holds what looks like a secret key; secrets do not belong in addresses"
    )]
    Secret,
    /// A query parameter carries a credential, and would be seen by somebody else's browser.
    #[error(
        "Blocked: the parameter {0} of the URL carries a credential, which a browser elsewhere would see"
    )]
    Credential(String),
    /// The rules for addresses speak against it.
    #[error("Blocked: {}", closed(.0))]
    Address(UrlRefusal),
    /// The user's own list does.
    #[error("Blocked: {} is on the user's list of blocked sites", .0.host)]
    Site(Blocked),
}

/// The rules for one browser.
pub struct AddressGuard {
    reach: Reach,
    /// Whether the user opened private addresses to everybody.
    private_allowed: bool,
    sites: Arc<SitePolicy>,
    lookup: Arc<dyn NameLookup>,
}

impl AddressGuard {
    /// The rules for a browser that runs there.
    #[must_use]
    pub fn new(
        reach: Reach,
        policy: Policy,
        sites: Arc<SitePolicy>,
        lookup: Arc<dyn NameLookup>,
    ) -> Self {
        Self { reach, private_allowed: policy == Policy::PrivateToo, sites, lookup }
    }

    /// The same rules for another place.
    #[must_use]
    pub fn at(&self, reach: Reach) -> Self {
        let (sites, lookup) = (Arc::clone(&self.sites), Arc::clone(&self.lookup));
        Self { reach, private_allowed: self.private_allowed, sites, lookup }
    }

    fn policy(&self) -> Policy {
        match self.reach {
            Reach::Local => Policy::PrivateToo,
            Reach::Elsewhere if self.private_allowed => Policy::PrivateToo,
            Reach::Elsewhere => Policy::PublicOnly,
        }
    }

    /// Judges an address before it is opened, and gives it in the form for the browser.
    ///
    /// # Errors
    /// The rule that speaks against it.
    pub async fn before(&self, address: &str) -> Result<Url, AddressRefusal> {
        if secrets::carries_vendor_key(address) {
            return Err(AddressRefusal::Secret);
        }
        let normal = iri::normalise(address);
        let target = url::check(&normal, self.policy()).map_err(AddressRefusal::Address)?;
        let url = target.url().clone();
        if self.reach == Reach::Elsewhere
            && let Some(name) = credentials::credential_parameter(&url)
        {
            return Err(AddressRefusal::Credential(name));
        }
        if let Some(blocked) = self.sites.verdict(target.host()) {
            return Err(AddressRefusal::Site(blocked));
        }
        if target.literal_address().is_none() {
            let found = self.lookup.lookup(target.host().to_owned()).await;
            match found {
                Ok(found) => {
                    target.admit(found).map_err(AddressRefusal::Address)?;
                }
                // A browser elsewhere may know names that we do not, and one behind a proxy leaves them to it. Where
                // a page came from is looked at again when it is there.
                Err(error) => tracing::debug!(%error, "a name is left to the browser"),
            }
        }
        Ok(url)
    }

    /// Judges a page that is open: its address, the server it came from, and both of the frames in it.
    ///
    /// # Errors
    /// The rule that speaks against it.
    pub fn after(&self, page: &PageState) -> Result<(), AddressRefusal> {
        if is_inside(&page.url) {
            return Ok(());
        }
        let target = url::check(&page.url, self.policy()).map_err(AddressRefusal::Address)?;
        if let Some(blocked) = self.sites.verdict(target.host()) {
            return Err(AddressRefusal::Site(blocked));
        }
        self.server(&target, page.server.as_deref()).map_err(AddressRefusal::Address)?;
        page.frames.iter().try_for_each(|frame| self.frame(frame)).map_err(AddressRefusal::Address)
    }

    /// Judges a document within a page. What keeps a page from being opened at all (a form of address that is none of
    /// the web's) is no harm in a frame: browsers show some things in frames of their own.
    fn frame(&self, frame: &FrameState) -> Result<(), UrlRefusal> {
        if is_inside(&frame.url) {
            return Ok(());
        }
        match url::check(&frame.url, self.policy()) {
            Ok(target) => self.server(&target, frame.server.as_deref()),
            Err(refusal @ (UrlRefusal::Metadata(_) | UrlRefusal::Private { .. })) => Err(refusal),
            Err(_) => Ok(()),
        }
    }

    /// Judges the server that a document came from.
    fn server(&self, target: &UrlTarget, server: Option<&str>) -> Result<(), UrlRefusal> {
        let server = server.map(|text| text.trim_matches(['[', ']']));
        let Some(server) = server.and_then(|text| text.parse::<IpAddr>().ok()) else {
            return Ok(());
        };
        // A server of ours may stand between: then this is its address, which says nothing of the page's.
        url::address::judge(server, Policy::PrivateToo)?;
        if target.literal_address().is_none() && self.policy() == Policy::PublicOnly {
            url::address::judge(server, Policy::PublicOnly)?;
        }
        Ok(())
    }

    /// The frames of a page that come from sites of the user's list. The page around them may stay.
    #[must_use]
    pub fn unwanted_frames<'a>(&self, page: &'a PageState) -> Vec<&'a FrameState> {
        let is_listed = |frame: &FrameState| {
            let host =
                Url::parse(&frame.url).ok().and_then(|url| url.host_str().map(str::to_owned));
            host.is_some_and(|host| self.sites.verdict(&host).is_some())
        };
        page.frames.iter().filter(|frame| is_listed(frame)).collect()
    }

    /// Looks for addresses inside a script that this browser may not open.
    ///
    /// # Errors
    /// The rule that speaks against the first of them.
    pub fn script(&self, script: &str) -> Result<(), AddressRefusal> {
        for begin in ["http://", "https://"] {
            for (at, _) in script.match_indices(begin) {
                let rest = &script[at..];
                let end = rest.find(['"', '\'', '`', ' ', '\n', ')', ',', ';', '<', '>', '\\']);
                let address = &rest[..end.unwrap_or(rest.len())];
                url::check(address, self.policy()).map(drop).or_else(|refusal| match refusal {
                    UrlRefusal::Metadata(_) | UrlRefusal::Private { .. } => {
                        Err(AddressRefusal::Address(refusal))
                    }
                    // Half an address that the script completes says nothing yet.
                    _ => Ok(()),
                })?;
            }
        }
        Ok(())
    }

    /// Where this browser runs.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }
}

/// What the rules say, without the setting that would change it: this is read by models.
fn closed(refusal: &UrlRefusal) -> String {
    match refusal {
        UrlRefusal::Private { host, range } => {
            format!("{host} is not on the public internet ({range})")
        }
        other => other.to_string(),
    }
}

/// Pages that come from no server: the empty one, and the browser's own errors.
fn is_inside(url: &str) -> bool {
    url.is_empty()
        || url.starts_with("about:")
        || url.starts_with("chrome-error:")
        || url.starts_with("data:")
        || url.starts_with("blob:")
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    struct Names;

    impl NameLookup for Names {
        fn lookup(
            &self,
            name: String,
        ) -> futures_util::future::BoxFuture<'static, io::Result<Vec<IpAddr>>> {
            Box::pin(async move {
                match name.as_str() {
                    "metadata.evil.example" => Ok(vec![[169, 254, 169, 254].into()]),
                    "inside.example" => Ok(vec![[10, 0, 0, 7].into()]),
                    "example.org" => Ok(vec![[93, 184, 216, 34].into()]),
                    _ => Err(io::Error::other("unknown")),
                }
            })
        }
    }

    fn guard(reach: Reach) -> AddressGuard {
        AddressGuard::new(reach, Policy::PublicOnly, Arc::default(), Arc::new(Names))
    }

    #[tokio::test]
    async fn credentials_of_clouds_are_closed_to_every_browser() {
        let spellings = [
            "http://169.254.169.254/latest/meta-data/",
            "http://169.254.1.1/",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://[::ffff:169.254.169.254]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[fd00:ec2::254]/",
            "http://100.100.100.200/",
            "http://metadata.google.internal/",
            "http://metadata.goog/",
            "http://METADATA.GOOGLE.INTERNAL./",
            "http://user@169.254.169.254/",
            "http://metadata.evil.example/",
            "http://１６９.254.169.254/",
            " http://169.254.169.254",
            "http:// 169.254.169.254/",
        ];
        for reach in [Reach::Local, Reach::Elsewhere] {
            for spelling in spellings {
                assert!(guard(reach).before(spelling).await.is_err(), "{spelling}");
            }
        }
    }

    #[tokio::test]
    async fn private_addresses_are_open_here_and_closed_elsewhere() {
        for address in [
            "http://127.0.0.1:8080/",
            "http://localhost/",
            "http://192.168.1.1/",
            "http://inside.example/",
            "http://[::1]/",
            "http://0x7f.1/",
        ] {
            assert!(guard(Reach::Local).before(address).await.is_ok(), "{address}");
            assert!(guard(Reach::Elsewhere).before(address).await.is_err(), "{address}");
        }
        for reach in [Reach::Local, Reach::Elsewhere] {
            assert!(guard(reach).before("https://example.org/a?code=1").await.is_ok());
            for refused in [
                "file:///etc/passwd",
                "javascript:alert(1)",
                "chrome://settings",
                "about:blank",
                "ftp://example.org/",
            ] {
                assert!(guard(reach).before(refused).await.is_err(), "{refused}");
            }
        }
        let token = "https://example.org/?access_token=abc";
        assert!(guard(Reach::Local).before(token).await.is_ok());
        assert!(matches!(
            guard(Reach::Elsewhere).before(token).await,
            Err(AddressRefusal::Credential(_))
        ));
    }

    #[test]
    fn where_a_page_came_from_counts_too() {
        let page = |url: &str, server: &str| PageState {
            url: url.to_owned(),
            server: Some(server.to_owned()),
            ..PageState::default()
        };
        let rebound = page("http://example.org/", "169.254.169.254");
        assert!(guard(Reach::Local).after(&rebound).is_err());
        let inside = page("http://example.org/", "10.0.0.1");
        assert!(guard(Reach::Local).after(&inside).is_ok());
        assert!(guard(Reach::Elsewhere).after(&inside).is_err());
        assert!(guard(Reach::Elsewhere).after(&page("about:blank", "")).is_ok());
    }

    #[test]
    fn frames_are_judged_like_the_page_around_them() {
        let around = |url: &str, server: Option<&str>| PageState {
            url: "http://example.org/".to_owned(),
            server: Some("93.184.216.34".to_owned()),
            frames: vec![FrameState {
                id: "f".to_owned(),
                url: url.to_owned(),
                server: server.map(str::to_owned),
            }],
            ..PageState::default()
        };
        for (url, server) in [
            ("http://innocent.example/latest/", Some("169.254.169.254")),
            ("http://innocent.example/latest/", Some("[fd00:ec2::254]")),
            ("http://innocent.example/latest/", Some("::ffff:169.254.169.254")),
            ("http://[fd00:ec2::254]/", None),
            ("http://169.254.169.254/", None),
        ] {
            for reach in [Reach::Local, Reach::Elsewhere] {
                assert!(guard(reach).after(&around(url, server)).is_err(), "{url} {server:?}");
            }
        }
        for (url, server) in
            [("http://innocent.example/", Some("10.0.0.1")), ("http://127.0.0.1:8080/", None)]
        {
            assert!(guard(Reach::Local).after(&around(url, server)).is_ok(), "{url}");
            assert!(guard(Reach::Elsewhere).after(&around(url, server)).is_err(), "{url}");
        }
        for harmless in ["about:srcdoc", "blob:http://example.org/1", "chrome-extension://pdf/"] {
            assert!(guard(Reach::Elsewhere).after(&around(harmless, None)).is_ok(), "{harmless}");
        }
    }

    #[test]
    fn scripts_may_not_name_closed_addresses() {
        let guard = guard(Reach::Elsewhere);
        assert!(guard.script("fetch('http://192.168.0.1/')").is_err());
        assert!(guard.script("fetch(`https://example.org/${x}`)").is_ok());
        assert!(guard.script("location.href = 'http://' + host").is_ok());
    }
}
