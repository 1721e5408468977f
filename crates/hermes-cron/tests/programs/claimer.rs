//! Claims what is due in the home it is given, says how much, and waits to be killed: nothing is begun.

use std::io::Write as _;
use std::time::Duration;

use hermes_cron::{JobStore, Ledger, LedgerOwner};
use hermes_store::home::Home;
use jiff::Timestamp;
use jiff::tz::TimeZone;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args_os().nth(1).ok_or("no home")?;
    let store = JobStore::new(&Home::at(root), TimeZone::UTC);
    let mut ledger = Ledger::open(store.folder())?;
    let owner = LedgerOwner::this_process();
    let claimed = store.claim_due(&mut ledger, &owner, Timestamp::now(), usize::MAX)?;
    writeln!(std::io::stdout(), "{}", claimed.len())?;
    std::io::stdout().flush()?;
    std::thread::sleep(Duration::from_secs(120));
    Ok(())
}
