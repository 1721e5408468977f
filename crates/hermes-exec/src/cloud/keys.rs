//! Whose clouds are used, and with which keys.
//!
//! Keys are read from the variables of Hermes (`.env` among them) when an environment is made, are kept by the requests
//! alone, and are told to nobody but the keeper of a sandbox, through a pipe.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hermes_tool::Vars;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::hidden::HiddenText;
use crate::backend::BackendKind;
use crate::error::ExecError;

const DAYTONA_URL: &str = "https://app.daytona.io/api";
const VERCEL_URL: &str = "https://vercel.com/api";
const MODAL_URL: &str = "https://api.modal.com";

/// Variables about proxies, in either case.
const PROXY_VARIABLES: [&str; 4] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/// A cloud, how to get there and how to get in.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct CloudKeys {
    pub(super) vendor: VendorKeys,
    /// Variables about proxies.
    pub(super) proxies: Vec<(String, HiddenText)>,
}

/// The keys of one cloud.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) enum VendorKeys {
    Daytona(DaytonaKeys),
    Vercel(VercelKeys),
    Modal(ModalKeys),
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct DaytonaKeys {
    pub(super) url: String,
    pub(super) key: HiddenText,
    pub(super) organization: Option<String>,
    pub(super) target: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct VercelKeys {
    pub(super) url: String,
    pub(super) token: HiddenText,
    pub(super) team: String,
    pub(super) project: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct ModalKeys {
    pub(super) url: String,
    pub(super) id: HiddenText,
    pub(super) secret: HiddenText,
    pub(super) environment: String,
}

impl CloudKeys {
    /// Those for a backend; an error says which are missing.
    pub(super) fn read(backend: BackendKind, vars: &Vars) -> Result<Self, ExecError> {
        let vendor = match backend {
            BackendKind::Vercel => VendorKeys::Vercel(vercel(vars)?),
            BackendKind::Modal => VendorKeys::Modal(modal(vars)?),
            _ => VendorKeys::Daytona(DaytonaKeys {
                url: address(vars, "DAYTONA_API_URL", DAYTONA_URL, backend)?,
                key: needed(vars, "DAYTONA_API_KEY", backend)?,
                organization: vars.non_blank("DAYTONA_ORGANIZATION_ID").map(str::to_owned),
                target: vars.non_blank("DAYTONA_TARGET").map(str::to_owned),
            }),
        };
        let either = |name: &&str| {
            let value = vars.non_blank(&name.to_lowercase()).or(vars.non_blank(name))?;
            Some(((*name).to_owned(), HiddenText::from(value)))
        };
        Ok(Self { vendor, proxies: PROXY_VARIABLES.iter().filter_map(either).collect() })
    }
}

fn missing(name: &str, backend: BackendKind) -> ExecError {
    let why = format!("{name} is not set; put it into .env in the Hermes folder");
    ExecError::Unavailable { backend, why }
}

fn needed(vars: &Vars, name: &str, backend: BackendKind) -> Result<HiddenText, ExecError> {
    vars.non_blank(name).map(HiddenText::from).ok_or_else(|| missing(name, backend))
}

/// Keys travel encrypted, or not beyond this machine.
fn address(
    vars: &Vars,
    name: &str,
    usual: &str,
    backend: BackendKind,
) -> Result<String, ExecError> {
    let url = vars.non_blank(name).unwrap_or(usual).trim_end_matches('/');
    if super::rest::may_carry_keys(url) {
        return Ok(url.to_owned());
    }
    let why =
        format!("{name} must begin with https:// (http:// only for this machine); correct it");
    Err(ExecError::Unavailable { backend, why })
}

fn vercel(vars: &Vars) -> Result<VercelKeys, ExecError> {
    let backend = BackendKind::Vercel;
    let url = address(vars, "VERCEL_API_URL", VERCEL_URL, backend)?;
    if let Some(token) = vars.non_blank("VERCEL_TOKEN") {
        return Ok(VercelKeys {
            url,
            token: token.into(),
            team: needed(vars, "VERCEL_TEAM_ID", backend)?.expose().to_owned(),
            project: needed(vars, "VERCEL_PROJECT_ID", backend)?.expose().to_owned(),
        });
    }
    let Some(token) = vars.non_blank("VERCEL_OIDC_TOKEN") else {
        return Err(missing("VERCEL_TOKEN (or VERCEL_OIDC_TOKEN)", backend));
    };
    let claims = claims(token);
    let claim = |name: &str| {
        let why =
            || format!("VERCEL_OIDC_TOKEN has no {name} in it; fetch it anew: `vercel env pull`");
        let found = claims.as_ref().and_then(|claims| claims[name].as_str());
        found.map(str::to_owned).ok_or_else(|| ExecError::Unavailable { backend, why: why() })
    };
    Ok(VercelKeys {
        url,
        team: claim("owner_id")?,
        project: claim("project_id")?,
        token: token.into(),
    })
}

/// What a signed token says. Nobody here trusts it: it only repeats who we are to the one who signed it.
pub(super) fn claims(token: &str) -> Option<Value> {
    let middle = token.split('.').nth(1)?.trim_end_matches('=');
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(middle).ok()?).ok()
}

fn modal(vars: &Vars) -> Result<ModalKeys, ExecError> {
    let backend = BackendKind::Modal;
    let url = address(vars, "MODAL_SERVER_URL", MODAL_URL, backend)?;
    let environment = vars.non_blank("MODAL_ENVIRONMENT").unwrap_or_default().to_owned();
    if vars.non_blank("MODAL_TOKEN_ID").is_none()
        && let Some((id, secret)) = from_file(vars)
    {
        return Ok(ModalKeys { url, id, secret, environment });
    }
    let id = needed(vars, "MODAL_TOKEN_ID", backend)?;
    Ok(ModalKeys { url, id, secret: needed(vars, "MODAL_TOKEN_SECRET", backend)?, environment })
}

/// The keys that Modal's own program keeps: those of the active profile, else the first.
fn from_file(vars: &Vars) -> Option<(HiddenText, HiddenText)> {
    let text = std::fs::read_to_string(format!("{}/.modal.toml", vars.non_blank("HOME")?)).ok()?;
    let mut profiles: Vec<(Option<&str>, Option<&str>, bool)> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            profiles.push((None, None, false));
        }
        let (Some(profile), Some((name, value))) = (profiles.last_mut(), line.split_once('='))
        else {
            continue;
        };
        let value = value.trim().trim_matches(['"', '\'']);
        match name.trim() {
            "token_id" => profile.0 = Some(value),
            "token_secret" => profile.1 = Some(value),
            "active" => profile.2 = value == "true",
            _ => {}
        }
    }
    let active = profiles.iter().find(|profile| profile.2).or(profiles.first())?;
    Some((active.0?.into(), active.1?.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(pairs: &[(&str, &str)]) -> Vars {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn complaint(backend: BackendKind, pairs: &[(&str, &str)]) -> String {
        CloudKeys::read(backend, &vars(pairs)).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_missing_is_told_by_name_with_the_remedy() {
        use BackendKind::{Daytona, Modal, Vercel};
        for (backend, set, name) in [
            (Daytona, &[][..], "DAYTONA_API_KEY"),
            (Vercel, &[], "VERCEL_TOKEN"),
            (Vercel, &[("VERCEL_TOKEN", "t")], "VERCEL_TEAM_ID"),
            (Vercel, &[("VERCEL_OIDC_TOKEN", "a.e30.b")], "owner_id"),
            (Modal, &[], "MODAL_TOKEN_ID"),
            (Modal, &[("MODAL_TOKEN_ID", "ak")], "MODAL_TOKEN_SECRET"),
        ] {
            let told = complaint(backend, set);
            assert!(told.contains(name) && told.contains("; "), "{told}");
        }
    }

    #[test]
    fn keys_do_not_leave_in_the_open_and_are_not_shown() {
        let set = [("DAYTONA_API_KEY", "dtn_hush"), ("DAYTONA_API_URL", "http://api.example.org")];
        assert!(complaint(BackendKind::Daytona, &set).contains("https://"));
        let near = [set[0], ("DAYTONA_API_URL", "http://127.0.0.1:1/api/")];
        let keys = CloudKeys::read(BackendKind::Daytona, &vars(&near)).unwrap();
        assert!(!format!("{keys:?}").contains("hush"));
        let VendorKeys::Daytona(keys) = keys.vendor else { panic!("another cloud") };
        assert_eq!(keys.url, "http://127.0.0.1:1/api");
    }

    #[test]
    fn a_token_of_a_deployment_says_whose_it_is() {
        let token = format!(
            "x.{}.y",
            URL_SAFE_NO_PAD.encode(r#"{"owner_id":"team_1","project_id":"prj_1"}"#)
        );
        let keys = CloudKeys::read(BackendKind::Vercel, &vars(&[("VERCEL_OIDC_TOKEN", &token)]));
        let VendorKeys::Vercel(keys) = keys.unwrap().vendor else { panic!("another cloud") };
        assert_eq!((&*keys.team, &*keys.project), ("team_1", "prj_1"));
    }

    #[test]
    fn the_active_profile_of_modals_own_file_is_used() {
        let home = tempfile::tempdir().unwrap();
        let text = "[one]\ntoken_id = \"a\"\ntoken_secret = \"b\"\n\n[two]\ntoken_id = 'c'\ntoken_secret = 'd'\nactive = true\n";
        std::io::Write::write_all(
            &mut std::fs::File::create(home.path().join(".modal.toml")).unwrap(),
            text.as_bytes(),
        )
        .unwrap();
        let keys = CloudKeys::read(
            BackendKind::Modal,
            &vars(&[("HOME", &home.path().display().to_string())]),
        );
        let VendorKeys::Modal(keys) = keys.unwrap().vendor else { panic!("another cloud") };
        assert_eq!((keys.id.expose(), keys.secret.expose()), ("c", "d"));
    }
}
