//! Calls a tool without an agent: `tools read_file '{"path": "notes.txt"}'`

use hermes_host::{Host, HostOptions, Interaction, ToolOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(tool), Some(arguments)) = (words.next(), words.next()) else {
        return Err("name a tool and its arguments".into());
    };
    let host = Host::open(HostOptions::default())?;
    let tools = host.tools(ToolOptions::default(), &Interaction::unattended()).await?;
    let outcome = tools.call(&tool, serde_json::from_str(&arguments)?).await;
    println!("{}", outcome.text());
    tools.close().await;
    Ok(())
}
