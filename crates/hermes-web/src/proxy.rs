//! Proxies, from the usual variables.

use hermes_tool::Vars;
use hyper_util::client::proxy::matcher::Matcher;

/// Where requests go instead of straight to the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxySettings {
    http: Option<String>,
    https: Option<String>,
    except: Option<String>,
}

impl ProxySettings {
    /// `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case.
    #[must_use]
    pub fn from_vars(vars: &Vars) -> Self {
        let either = |name: &str| {
            let value = vars.non_blank(&name.to_lowercase()).or(vars.non_blank(name))?;
            Some(value.trim().to_owned())
        };
        let resolving_there = |address: String| match address.strip_prefix("socks5://") {
            // The plain form resolves names here, past the check of our own resolver.
            Some(rest) => format!("socks5h://{rest}"),
            None => address,
        };
        let all = either("ALL_PROXY").map(resolving_there);
        Self {
            http: either("HTTP_PROXY").map(resolving_there).or_else(|| all.clone()),
            https: either("HTTPS_PROXY").map(resolving_there).or(all),
            except: either("NO_PROXY"),
        }
    }

    pub(crate) fn matcher(&self) -> Matcher {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        Matcher::builder()
            .http(text(&self.http))
            .https(text(&self.https))
            .no(text(&self.except))
            .build()
    }

    pub(crate) fn apply(
        &self,
        mut builder: reqwest::ClientBuilder,
    ) -> Result<reqwest::ClientBuilder, reqwest::Error> {
        let except = || self.except.as_deref().and_then(reqwest::NoProxy::from_string);
        if let Some(proxy) = &self.http {
            builder = builder.proxy(reqwest::Proxy::http(proxy)?.no_proxy(except()));
        }
        if let Some(proxy) = &self.https {
            builder = builder.proxy(reqwest::Proxy::https(proxy)?.no_proxy(except()));
        }
        Ok(builder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_resolved_on_this_side_of_a_proxy() {
        let vars = [("all_proxy", "socks5://p.example:1080"), ("NO_PROXY", "a.example")];
        let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let proxies = ProxySettings::from_vars(&Vars::default().overlaid(vars));
        assert_eq!(proxies.http.as_deref(), Some("socks5h://p.example:1080"));
        assert_eq!(proxies.https, proxies.http);
        let proxied = |uri: &str| proxies.matcher().intercept(&uri.parse().unwrap()).is_some();
        assert!(proxied("https://b.example/"));
        assert!(!proxied("https://a.example/"));
    }
}
