//! A program that starts a tree of processes, passes on what the tree prints, and waits to be
//! killed.
//!
//! The first argument says how: `dies` with the default lifetime, `survives` with the other,
//! `leaves` a finished command's descendants behind, `terminal` gives the program one. The second
//! is the shell script that makes the tree.

use std::error::Error;
use std::io::Write as _;
use std::time::Duration;

use hermes_process::{Command, Leftovers, Lifetime, PtySize};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(how), Some(script)) = (args.next(), args.next()) else {
        return Err(
            "usage: hermes-process-doomed-parent dies|survives|leaves|terminal SCRIPT".into()
        );
    };
    let command = Command::new("sh").args(["-c", &script]);
    match how.as_str() {
        "dies" => pass_on(command).await?,
        "survives" => pass_on(command.lifetime(Lifetime::Survives)).await?,
        "terminal" => {
            let mut child = command.pty(PtySize::default()).spawn()?;
            pass_on_lines(child.take_pty().ok_or("no terminal")?).await?;
            child.wait().await?;
        }
        "leaves" => {
            let done = command.leftovers(Leftovers::Keep).run().await?;
            std::io::stdout().write_all(done.stdout.text().as_bytes())?;
        }
        other => return Err(format!("unknown mode {other}").into()),
    }
    tokio::time::sleep(Duration::from_secs(600)).await;
    Ok(())
}

async fn pass_on(command: Command) -> Result<(), Box<dyn Error>> {
    let mut child = command.spawn()?;
    pass_on_lines(child.take_stdout().ok_or("no pipe")?).await?;
    child.wait().await?;
    Ok(())
}

async fn pass_on_lines(output: impl AsyncRead + Unpin) -> Result<(), Box<dyn Error>> {
    let mut lines = BufReader::new(output).lines();
    while let Some(line) = lines.next_line().await? {
        writeln!(std::io::stdout(), "{}", line.trim_end())?;
    }
    Ok(())
}
