//! `hermes prompt-size`: what a conversation takes up before the first word.

use hermes_agent::steer::Steering;
use hermes_agent::system_prompt::{
    ProjectRules, PromptSection, PromptSections, PromptSources, guidance_of,
};
use hermes_llm::EndpointChoice;
use hermes_llm::metadata::estimate_text;
use hermes_llm::provider::resolve;
use hermes_runtime::DefinitionRequest;
use hermes_tools::memory::{MemorySettings, MemoryStore};
use serde_json::json;

use crate::exit::Exit;
use crate::host::{self, Host, PLATFORM};
use crate::ui::{Cell, Table, Ui};

/// Tools named one by one; the others are counted together.
const LARGEST: usize = 8;

/// Shows the parts of the instructions and the largest tools.
pub(crate) fn run(as_json: bool, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let runtime = host.runtime();
    let _plugins = host::plugins(host, &runtime, ui)?;
    let scope = host::scope(host, &runtime, ui)?;
    let detail = runtime.schema_detail(&scope);
    let definitions =
        runtime.definitions(&DefinitionRequest { scope, ..DefinitionRequest::default() });
    let lookup = |name: &str| host.vars().get(name).map(str::to_owned);
    let endpoint = resolve(&EndpointChoice::default(), host.config().value(), &lookup).ok();
    let (model, provider) =
        endpoint.map_or(("none".to_owned(), "none".to_owned()), |one| (one.model, one.provider));
    let memory = MemoryStore::new(host.home(), MemorySettings::from_config(host.config().value()));
    let skills = host.session_skills(definitions.available(), runtime.registry(), PLATFORM);
    let prompt = PromptSections::build(&PromptSources {
        home: host.home(),
        config: host.config().value(),
        vars: host.vars(),
        cwd: &std::env::current_dir()?,
        tools: definitions.available(),
        guidance: &guidance_of(definitions.available(), runtime.registry()),
        model: &model,
        provider: &provider,
        window: None,
        platform: PLATFORM,
        profile: None,
        steering: &Steering::of_home(host.home()),
        skills: Some(&|| skills.listed()),
        caller: None,
        rules: ProjectRules::Load,
        memory: &memory.snapshot(),
        external_memory: None,
        detail,
        today: jiff::Zoned::now().date(),
        session_id: None,
    });
    let mut tools: Vec<(String, usize)> = definitions
        .functions()
        .iter()
        .map(|function| {
            let name = function["function"]["name"].as_str().unwrap_or_default().to_owned();
            (name, function.to_string().len())
        })
        .collect();
    tools.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let text = prompt.text();
    let (instructions, schemas) = (text.len(), definitions.json().len());
    if as_json {
        let sized = |parts: &[PromptSection]| -> Vec<_> {
            parts.iter().map(|part| json!({"name": part.name, "bytes": part.text.len()})).collect()
        };
        let (parts, first_message) = (sized(&prompt.sections), sized(&prompt.situation));
        let tools: Vec<_> =
            tools.iter().map(|(name, bytes)| json!({"name": name, "bytes": bytes})).collect();
        ui.json(&json!({"instructions": parts, "instructions_bytes": instructions, "first_message": first_message,
            "tools": tools, "tools_bytes": schemas, "bytes": instructions + schemas,
            "tokens": estimate_text(&text) + estimate_text(definitions.json())}))?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(["part", "bytes"]).right(&[1]);
    for part in &prompt.sections {
        table.row([Cell::from(part.name), Cell::from(part.text.len().to_string())]);
    }
    for (name, bytes) in tools.iter().take(LARGEST) {
        table.row([Cell::from(format!("tool {name}")), Cell::from(bytes.to_string())]);
    }
    if tools.len() > LARGEST {
        let rest: usize = tools[LARGEST..].iter().map(|(_, bytes)| bytes).sum();
        let name = format!("{} more tools", tools.len() - LARGEST);
        table.row([Cell::from(name), Cell::from(rest.to_string())]);
    }
    ui.table(&table)?;
    let tokens = estimate_text(&text) + estimate_text(definitions.json());
    ui.line(format_args!(
        "instructions {instructions} + tools {schemas} = {} bytes, about {tokens} tokens",
        instructions + schemas
    ))?;
    Ok(Exit::Done)
}
