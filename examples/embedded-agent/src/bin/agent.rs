//! Asks an agent one question: `agent 'What do my notes say?'`

use std::sync::Arc;

use hermes_host::{Headless, Host, HostOptions, Interaction, SessionOptions};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let question = std::env::args().nth(1).ok_or("ask something")?;
    // `HERMES_HOME` or `~/.hermes`: the user's models, keys, rules, plugins and MCP servers.
    let host = Host::open(HostOptions::default())?;
    let options = SessionOptions { toolsets: vec!["file".to_owned()], ..SessionOptions::default() };
    // Nobody watches and nobody can be asked: what would need a person's word is refused.
    let nobody = Interaction::unattended();
    let mut session = host.agent_session(&options, Arc::new(Headless), &nobody).await?;
    let result = session.ask(question, &CancellationToken::new()).await;
    println!("{}", result.final_response);
    session.close("done").await;
    Ok(())
}
