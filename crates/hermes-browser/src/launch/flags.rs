//! How Chromium is started.

use std::ffi::OsString;
use std::path::Path;

use super::Visibility;

/// For everybody: no first-run pages, nothing that calls home, no sound, a debugging pipe. The last keeps addresses
/// where clouds hand out credentials out of reach, for frames and scripts as much as for pages.
const ALWAYS: &[&str] = &[
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-quic",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,InterestFeedContentSuggestions,DialMediaRouteProvider,HttpsUpgrades,PaintHolding",
    "--metrics-recording-only",
    "--no-service-autorun",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-gpu",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP 169.254.* ~NOTFOUND, MAP metadata.google.internal ~NOTFOUND, MAP metadata.goog ~NOTFOUND, MAP 100.100.100.200 ~NOTFOUND, MAP fd00:ec2::254 ~NOTFOUND, MAP [fd00:ec2::254] ~NOTFOUND",
];

/// All arguments of a browser with this profile. It begins with an empty page.
pub(super) fn flags(profile: &Path, visibility: Visibility) -> Vec<OsString> {
    let mut flags: Vec<OsString> = ALWAYS.iter().map(OsString::from).collect();
    let mut folder = OsString::from("--user-data-dir=");
    folder.push(profile);
    flags.push(folder);
    let (width, height) = crate::watch::VIEWPORT;
    flags.push(format!("--window-size={width},{height}").into());
    if visibility == Visibility::Headless {
        flags.push("--headless=new".into());
        flags.push("--hide-scrollbars".into());
    }
    if cannot_sandbox() {
        // Its own sandbox needs rights that root, containers and hardened kernels do not give.
        flags.push("--no-sandbox".into());
        flags.push("--disable-dev-shm-usage".into());
    }
    flags.push("about:blank".into());
    flags
}

fn cannot_sandbox() -> bool {
    let says = |file: &str, word: &str| {
        std::fs::read_to_string(file).is_ok_and(|text| text.trim() == word)
    };
    let is_root = std::fs::read_to_string("/proc/self/status").is_ok_and(|status| {
        let uid = status.lines().find_map(|line| line.strip_prefix("Uid:"));
        uid.and_then(|uids| uids.split_whitespace().nth(1)) == Some("0")
    });
    is_root
        || Path::new("/.dockerenv").exists()
        || Path::new("/run/.containerenv").exists()
        || says("/proc/sys/kernel/unprivileged_userns_clone", "0")
        || says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1")
        || says("/proc/sys/user/max_user_namespaces", "0")
}
