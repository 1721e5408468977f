//! Who is logged in: one-time links, cookies, form tokens, and the patience with wrong passwords.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::password::{PasswordError, PasswordHash, is_same, random_bytes};

/// Random bytes of a link, a cookie, a form token.
const SECRET_BYTES: usize = 32;
/// How long a link can be used.
pub(crate) const LINK_LIFE: Duration = Duration::from_secs(300);
/// Links and logins that are kept at once; the oldest go first.
const MOST_LINKS: usize = 16;
const MOST_LOGINS: usize = 64;
/// Wrong passwords from one address within a minute, after which it has to wait.
const MAX_FAILURES: usize = 5;
const FAILURES_WITHIN: Duration = Duration::from_secs(60);
const LOCKED_FOR: Duration = Duration::from_secs(900);
/// Addresses whose failures are kept.
const MOST_ADDRESSES: usize = 4_096;

/// Somebody who is logged in.
#[derive(Debug)]
pub(crate) struct Login {
    /// Who, for the log.
    pub(crate) name: String,
    /// What forms of this login carry.
    pub(crate) form_token: String,
    /// A line on what was done, for the next page.
    pub(crate) flash: Arc<Mutex<Option<String>>>,
    ends: Instant,
}

impl Login {
    /// Has the next page say something.
    pub(crate) fn say(&self, line: String) {
        *self.flash.lock().unwrap_or_else(PoisonError::into_inner) = Some(line);
    }
}

/// The name and password that other machines need.
pub(crate) struct Door {
    pub(crate) username: String,
    pub(crate) hash: PasswordHash,
}

/// What came of a name and a password.
pub(crate) enum PasswordVerdict {
    /// The value of the cookie.
    In(String),
    Wrong,
    /// So many seconds are to be waited.
    Locked(u64),
}

#[derive(Default)]
struct Failures {
    times: Vec<Instant>,
    locked: Option<Instant>,
}

#[derive(Default)]
struct Kept {
    /// Hashes of links, with when they were made.
    links: Vec<([u8; 32], Instant)>,
    /// By hash of the cookie.
    logins: HashMap<[u8; 32], Arc<Login>>,
    failures: HashMap<IpAddr, Failures>,
}

/// All of it, for as long as the process lives.
pub(crate) struct Logins {
    kept: Mutex<Kept>,
    life: Duration,
    pub(crate) door: Option<Door>,
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

fn new_secret() -> Result<String, PasswordError> {
    let mut bytes = [0; SECRET_BYTES];
    random_bytes(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Logins {
    pub(crate) fn new(life: Duration, door: Option<Door>) -> Self {
        Self { kept: Mutex::default(), life, door }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What goes into a new link.
    pub(crate) fn new_link(&self) -> Result<String, PasswordError> {
        let secret = new_secret()?;
        let mut kept = self.lock();
        kept.links.retain(|(_, made)| made.elapsed() < LINK_LIFE);
        if kept.links.len() >= MOST_LINKS {
            kept.links.remove(0);
        }
        kept.links.push((digest(&secret), Instant::now()));
        Ok(secret)
    }

    /// Uses a link up; the value of the cookie of who came by it.
    pub(crate) fn by_link(&self, secret: &str) -> Option<String> {
        let wanted = digest(secret);
        let is_known = {
            let mut kept = self.lock();
            kept.links.retain(|(_, made)| made.elapsed() < LINK_LIFE);
            let place = kept.links.iter().position(|(link, _)| is_same(link, &wanted));
            place.map(|place| kept.links.remove(place)).is_some()
        };
        is_known.then(|| self.let_in("link")).flatten()
    }

    /// Tries a name and a password. Takes long: not for the workers of the async runtime.
    pub(crate) fn by_password(&self, from: IpAddr, name: &str, password: &str) -> PasswordVerdict {
        let Some(door) = &self.door else { return PasswordVerdict::Wrong };
        if let Some(seconds) = self.locked_for(from) {
            return PasswordVerdict::Locked(seconds);
        }
        // The work is the same for a name that nobody has.
        let is_right = door.hash.matches(password);
        let is_named = is_same(&digest(name), &digest(&door.username));
        if is_right && is_named {
            self.lock().failures.remove(&from);
            return match self.let_in(name) {
                Some(cookie) => PasswordVerdict::In(cookie),
                None => PasswordVerdict::Wrong,
            };
        }
        self.note_failure(from);
        match self.locked_for(from) {
            Some(seconds) => PasswordVerdict::Locked(seconds),
            None => PasswordVerdict::Wrong,
        }
    }

    fn locked_for(&self, from: IpAddr) -> Option<u64> {
        let kept = self.lock();
        let locked = kept.failures.get(&from)?.locked?;
        Some(LOCKED_FOR.checked_sub(locked.elapsed())?.as_secs() + 1)
    }

    fn note_failure(&self, from: IpAddr) {
        let mut kept = self.lock();
        if kept.failures.len() >= MOST_ADDRESSES {
            let is_over = |one: &Failures| {
                one.locked.is_none_or(|at| at.elapsed() > LOCKED_FOR)
                    && one.times.iter().all(|at| at.elapsed() > FAILURES_WITHIN)
            };
            kept.failures.retain(|_, one| !is_over(one));
        }
        let own = kept.failures.entry(from).or_default();
        own.times.retain(|at| at.elapsed() < FAILURES_WITHIN);
        own.times.push(Instant::now());
        if own.times.len() >= MAX_FAILURES {
            own.times.clear();
            own.locked = Some(Instant::now());
        }
    }

    fn let_in(&self, name: &str) -> Option<String> {
        let (cookie, form_token) = (new_secret().ok()?, new_secret().ok()?);
        let now = Instant::now();
        let mut kept = self.lock();
        kept.logins.retain(|_, login| login.ends > now);
        while kept.logins.len() >= MOST_LOGINS {
            let oldest = kept.logins.iter().min_by_key(|(_, login)| login.ends);
            let Some(oldest) = oldest.map(|(key, _)| *key) else { break };
            kept.logins.remove(&oldest);
        }
        let ends = now + self.life;
        let login = Login { name: name.to_owned(), form_token, flash: Arc::default(), ends };
        kept.logins.insert(digest(&cookie), Arc::new(login));
        Some(cookie)
    }

    /// Whose cookie this is.
    pub(crate) fn of_cookie(&self, cookie: &str) -> Option<Arc<Login>> {
        let login = self.lock().logins.get(&digest(cookie)).cloned()?;
        (login.ends > Instant::now()).then_some(login)
    }

    /// Ends a login.
    pub(crate) fn log_out(&self, cookie: &str) {
        self.lock().logins.remove(&digest(cookie));
    }

    /// How long a cookie lasts, in seconds.
    pub(crate) fn life(&self) -> u64 {
        self.life.as_secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logins() -> Logins {
        let hash = PasswordHash::parse(
            // "correct horse" with little work, so that the test is quick.
            "scrypt$4$1$1$c2FsdHNhbHRzYWx0c2FsdA$nwVwnsPVhIs2c2GQj7ySxaY0a5rAPCU8K0ybUX5vUwE",
        )
        .unwrap();
        Logins::new(Duration::from_secs(60), Some(Door { username: "ada".into(), hash }))
    }

    #[test]
    fn a_link_opens_once() {
        let logins = logins();
        let link = logins.new_link().unwrap();
        assert!(logins.by_link("0000").is_none());
        let cookie = logins.by_link(&link).unwrap();
        assert!(logins.by_link(&link).is_none(), "it is used up");
        assert!(logins.of_cookie(&cookie).is_some());
        assert!(logins.of_cookie(&link).is_none());
        logins.log_out(&cookie);
        assert!(logins.of_cookie(&cookie).is_none());
    }

    #[test]
    fn an_address_that_guesses_is_locked_out_and_others_are_not() {
        let logins = logins();
        let (here, there) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        for _ in 1..MAX_FAILURES {
            assert!(matches!(logins.by_password(here, "ada", "guess"), PasswordVerdict::Wrong));
        }
        assert!(matches!(logins.by_password(here, "ada", "guess"), PasswordVerdict::Locked(_)));
        assert!(matches!(logins.by_password(here, "bob", "x"), PasswordVerdict::Locked(_)));
        assert!(matches!(logins.by_password(there, "ada", "guess"), PasswordVerdict::Wrong));
    }

    #[test]
    fn logins_do_not_pile_up() {
        let logins = logins();
        for _ in 0..MOST_LOGINS * 2 {
            logins.let_in("x").unwrap();
        }
        assert!(logins.lock().logins.len() <= MOST_LOGINS);
    }
}
