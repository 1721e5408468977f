//! Every tool that takes an address refuses those that lead inside, however they are written.

use hermes_testkit::{AMBIGUOUS_ADDRESSES, METADATA_ADDRESSES, PRIVATE_ADDRESSES, part};
use serde_json::json;

use super::Scene;
use crate::support::Sandbox;
use crate::wire::Served;

impl Scene {
    /// A tool's whole answer to an address.
    fn visits(&self, tool: &str, url: &str) -> String {
        let arguments = match tool {
            "web_extract" => json!({"urls": [url]}),
            "vision_analyze" => json!({"image_url": url, "question": "What is it?"}),
            _ => json!({"url": url}),
        };
        self.call(tool, &arguments).json().to_string()
    }
}

/// Chromium is there, so that nothing but the address is wrong; a model is there to look at pictures.
fn scene(settings: &str) -> Scene {
    let sandbox = Sandbox::with_config(&format!(
        "model: {{ provider: custom, base_url: 'http://127.0.0.1:9/v1', default: m }}\n{settings}"
    ));
    let chromium = part("HERMES_TEST_CHROMIUM");
    sandbox.write(".env", &format!("AGENT_BROWSER_EXECUTABLE_PATH={chromium}\n"));
    let server = Served::start(&sandbox, &["serve", "--listen", "127.0.0.1:0"]);
    let token = sandbox.read("serve.token").trim().to_owned();
    Scene { sandbox, server, token }
}

fn refused_everywhere(scene: &Scene, tool: &str, closed: &[&[&str]]) {
    let mut open = Vec::new();
    for url in closed.concat() {
        let said = scene.visits(tool, url);
        if !said.contains("Blocked:") {
            open.push(format!("{url}: {said}"));
        }
    }
    // What two readers would read in two ways, and what is no web address, is refused in the words of each tool.
    for url in AMBIGUOUS_ADDRESSES {
        let said = scene.visits(tool, url);
        if said.contains("root:") || said.contains("\"success\":true") {
            open.push(format!("{url}: {said}"));
        }
    }
    assert!(open.is_empty(), "{tool}, {} of them: {:#?}", open.len(), &open[..open.len().min(9)]);
}

#[test]
fn no_tool_visits_an_address_that_leads_inside() {
    assert!(PRIVATE_ADDRESSES.len() >= 120);
    let scene = scene("");
    for tool in ["web_extract", "web_crawl", "vision_analyze"] {
        refused_everywhere(&scene, tool, &[PRIVATE_ADDRESSES, METADATA_ADDRESSES]);
    }
    // A browser beside commands of this machine sees what they see; never what hands out credentials.
    refused_everywhere(&scene, "browser_navigate", &[METADATA_ADDRESSES]);
}

/// Where commands run elsewhere, the browser of this machine is no way into its networks.
#[test]
fn a_browser_is_no_way_inside_for_commands_that_run_elsewhere() {
    let scene = scene("terminal: { backend: docker }\n");
    refused_everywhere(&scene, "browser_navigate", &[PRIVATE_ADDRESSES, METADATA_ADDRESSES]);
}
