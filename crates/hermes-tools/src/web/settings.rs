//! Who searches and reads the web for us.

use hermes_tool::settings::Settings;

/// Characters of a page that are shown, unless told otherwise.
pub(super) const DEFAULT_CHARS: usize = 15_000;
/// The fewest a call may ask for.
pub(super) const LEAST_CHARS: usize = 2_000;
/// The most a call may ask for.
pub(super) const MOST_CHARS: usize = 500_000;

/// Search and reading of web pages.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "web", about = "Search and reading of web pages")]
pub struct WebSettings {
    /// Who searches and reads: tavily, exa, parallel, firecrawl, searxng, brave-free, xai, ddg or native.
    pub backend: Option<String>,
    /// Who searches, if not the same.
    pub search_backend: Option<String>,
    /// Who reads pages, if not the same.
    pub extract_backend: Option<String>,
    /// Characters of a page that are shown before the rest goes to a file.
    #[setting(default = DEFAULT_CHARS, range = LEAST_CHARS..=MOST_CHARS)]
    pub extract_char_limit: usize,
    /// Have a model (`auxiliary.web_extract`, or the main one) sum up pages of more than 5,000 characters.
    #[setting(default = false)]
    pub summarize: bool,
    /// Search without a key: the page that answers.
    #[setting(default = "https://html.duckduckgo.com/html/", variable = "HERMES_DUCKDUCKGO_URL")]
    pub duckduckgo_url: String,
    /// Search without a key: the page that answers when the first one does not.
    #[setting(
        default = "https://lite.duckduckgo.com/lite/",
        variable = "HERMES_DUCKDUCKGO_LITE_URL"
    )]
    pub duckduckgo_lite_url: String,
    /// Address of Tavily.
    #[setting(default = "https://api.tavily.com", variable = "TAVILY_BASE_URL")]
    pub tavily_url: String,
    /// Address of Exa.
    #[setting(default = "https://api.exa.ai", variable = "EXA_BASE_URL")]
    pub exa_url: String,
    /// Address of Parallel.
    #[setting(default = "https://api.parallel.ai", variable = "PARALLEL_BASE_URL")]
    pub parallel_url: String,
    /// How Parallel searches: agentic, fast or one-shot.
    #[setting(default = "agentic", variable = "PARALLEL_SEARCH_MODE")]
    pub parallel_search_mode: String,
    /// Address of Firecrawl; a server of your own needs no key.
    #[setting(variable = "FIRECRAWL_API_URL")]
    pub firecrawl_url: Option<String>,
    /// Address of a SearXNG server.
    #[setting(variable = "SEARXNG_URL")]
    pub searxng_url: Option<String>,
    /// Address of the Brave Search API.
    #[setting(default = "https://api.search.brave.com", variable = "BRAVE_BASE_URL")]
    pub brave_url: String,
    /// Address of the xAI API.
    #[setting(default = "https://api.x.ai/v1", variable = "XAI_BASE_URL")]
    pub xai_url: String,
}
