//! Tokens in, tokens out.
//!
//! The context keeps what it has read: a request whose beginning is the same as before reads only the rest. The
//! beginning that all sessions share, instructions and tools, is kept on the disk as well, so that a process that starts
//! anew need not read it again.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

use super::chat::TemplateTokens;
use super::{EngineError, EngineOptions};

/// Tokens that are read at once.
const BATCH: usize = 512;
/// Prefixes kept on the disk; the one used longest ago goes first.
const MAX_STATES: usize = 8;
/// A shorter prefix is read as quickly as it is loaded.
const MIN_STATE: usize = 64;

/// A loaded model.
pub(super) struct LoadedModel {
    backend: &'static LlamaBackend,
    model: LlamaModel,
    options: EngineOptions,
}

/// What is to be answered.
pub(super) struct Job {
    /// The whole prompt.
    pub(super) prompt: String,
    /// How much of it is instructions and tools, in bytes.
    pub(super) stable: usize,
    /// The grammar the answer must fit.
    pub(super) grammar: Option<String>,
    /// Most tokens of the answer.
    pub(super) max_tokens: usize,
    /// How freely words are chosen; zero for the likeliest each time.
    pub(super) temperature: f32,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The model ended it.
    Stop,
    /// It was cut off: the limit, or the window.
    Length,
    /// Nobody listens any more.
    Unheard,
}

/// What an answer took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    /// Tokens of the prompt.
    pub(super) prompt: usize,
    /// Of these, tokens that were known already.
    pub(super) known: usize,
    /// Tokens of the answer.
    pub(super) answer: usize,
}

impl LoadedModel {
    pub(super) fn load(options: EngineOptions) -> Result<Self, EngineError> {
        let failed = |what: &dyn std::fmt::Display| EngineError::Model(what.to_string());
        let backend = backend()?;
        let params = LlamaModelParams::default().with_n_gpu_layers(0);
        let model =
            LlamaModel::load_from_file(backend, &options.file, &params).map_err(|error| {
                failed(&format!("{} cannot be loaded: {error}", options.file.display()))
            })?;
        Ok(Self { backend, model, options })
    }

    pub(super) fn template(&self) -> Option<String> {
        self.model.chat_template(None).ok()?.to_string().ok()
    }

    pub(super) fn tokens(&self) -> TemplateTokens {
        let vocab = self.model.vocab();
        let text =
            |token| String::from_utf8_lossy(&vocab.token_to_piece(token, true, None)).into_owned();
        TemplateTokens { bos: text(vocab.bos()), eos: text(vocab.eos()) }
    }

    /// Tokens it looks at: as asked for, and no more than it was trained with.
    pub(super) fn window(&self) -> u32 {
        self.options.window.min(self.model.n_ctx_train())
    }

    /// A context to answer with.
    pub(super) fn reader(&self) -> Result<Reader<'_>, EngineError> {
        let threads = i32::try_from(threads()).unwrap_or(1);
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(self.window()))
            .with_n_batch(BATCH as u32)
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        let context = self
            .model
            .new_context(self.backend, params)
            .map_err(|error| EngineError::Model(error.to_string()))?;
        Ok(Reader { loaded: self, context, known: Vec::new() })
    }
}

/// The engine's own beginning, once for a process.
fn backend() -> Result<&'static LlamaBackend, EngineError> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    let begun = BACKEND.get_or_init(|| {
        let mut backend = LlamaBackend::init().map_err(|error| error.to_string())?;
        backend.void_logs();
        Ok(backend)
    });
    begun.as_ref().map_err(|problem| EngineError::Model(problem.clone()))
}

/// Physical cores but one, which the rest of the machine keeps.
fn threads() -> usize {
    let cores = fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().filter_map(|entry| {
        fs::read_to_string(entry.ok()?.path().join("topology/thread_siblings_list")).ok()
    });
    let physical = cores.collect::<std::collections::BTreeSet<String>>().len();
    let logical = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let count = if physical == 0 { logical } else { physical.min(logical) };
    count.saturating_sub(1).max(1)
}

/// A context and what it has read.
pub(super) struct Reader<'m> {
    loaded: &'m LoadedModel,
    context: LlamaContext<'m>,
    known: Vec<LlamaToken>,
}

impl Reader<'_> {
    /// Answers. `heard` gets each piece of text and says whether somebody still listens.
    pub(super) fn answer(
        &mut self,
        job: &Job,
        heard: &mut dyn FnMut(&str) -> bool,
    ) -> Result<(Ended, Spent), EngineError> {
        let vocab = self.loaded.model.vocab();
        let tokens = vocab.tokenize(job.prompt.as_bytes(), false, true);
        let window = self.loaded.window() as usize;
        if tokens.is_empty() || tokens.len() + 1 >= window {
            return Err(EngineError::Model(format!(
                "the request has {} tokens, and the context window is {window} tokens",
                tokens.len()
            )));
        }
        let mut grammar = match &job.grammar {
            None => None,
            Some(text) => {
                Some(LlamaSampler::grammar(&self.loaded.model, text, "root").map_err(|error| {
                    EngineError::Model(format!("the grammar of the tools: {error}"))
                })?)
            }
        };
        let stable = vocab.tokenize(
            job.prompt.get(..job.stable).unwrap_or_default().as_bytes(),
            false,
            true,
        );
        let stable = shared(&stable, &tokens);
        let known = self.reuse_prefix(&tokens, stable)?;
        let mut spent = Spent { prompt: tokens.len(), known, answer: 0 };
        if !self.read(&tokens[known..], heard)? {
            return Ok((Ended::Unheard, spent));
        }
        let mut choose = match job.temperature > 0.0 {
            true => LlamaSampler::chain_simple([
                LlamaSampler::top_k(40),
                LlamaSampler::top_p(0.95, 1),
                LlamaSampler::temp(job.temperature),
                LlamaSampler::dist(0),
            ]),
            false => LlamaSampler::chain_simple([LlamaSampler::greedy()]),
        };
        let mut bytes = Vec::new();
        loop {
            if spent.answer >= job.max_tokens || self.known.len() + 1 >= window {
                return Ok((Ended::Length, spent));
            }
            let token = self.next(&mut choose, grammar.as_mut());
            if vocab.is_eog(token) {
                return Ok((Ended::Stop, spent));
            }
            if let Some(grammar) = &mut grammar {
                grammar.accept(token);
            }
            spent.answer += 1;
            bytes.extend(vocab.token_to_piece(token, true, None));
            if !heard(&whole_letters(&mut bytes)) {
                return Ok((Ended::Unheard, spent));
            }
            if !self.read(&[token], heard)? {
                return Ok((Ended::Unheard, spent));
            }
        }
    }

    /// The next token. The likeliest one usually fits the grammar; only where it does not are all others compared.
    fn next(
        &mut self,
        choose: &mut LlamaSampler,
        grammar: Option<&mut LlamaSampler>,
    ) -> LlamaToken {
        let token = choose.sample(&self.context, -1);
        let Some(grammar) = grammar else { return token };
        let mut one = LlamaTokenDataArray::new(vec![LlamaTokenData::new(token, 1.0, 0.0)], false);
        grammar.apply(&mut one);
        if one.data.first().is_some_and(|data| data.logit().is_finite()) {
            return token;
        }
        let mut all = self.context.token_data_array();
        grammar.apply(&mut all);
        choose.apply(&mut all);
        all.selected_token().unwrap_or(token)
    }

    /// Makes the context hold as much of these tokens as is known; how many that is.
    fn reuse_prefix(&mut self, tokens: &[LlamaToken], stable: usize) -> Result<usize, EngineError> {
        let mut known = shared(&self.known, tokens);
        if known < stable && stable >= MIN_STATE {
            let file = self.state_file(&tokens[..stable]);
            if self.load(&file, &tokens[..stable]) {
                known = stable;
            } else {
                self.cut(known)?;
                if self.read(&tokens[known..stable], &mut |_| true)? {
                    self.save(&file);
                }
                known = stable;
            }
        }
        // The last token is read again in any case: the next one is chosen after it.
        let known = known.min(tokens.len() - 1);
        self.cut(known)?;
        Ok(known)
    }

    fn cut(&mut self, known: usize) -> Result<(), EngineError> {
        let from = u32::try_from(known).unwrap_or(u32::MAX);
        self.context
            .clear_kv_cache_seq(Some(0), Some(from), None)
            .map_err(|error| EngineError::Model(error.to_string()))?;
        self.known.truncate(known);
        Ok(())
    }

    /// Reads tokens behind what is known; whether somebody still listens.
    fn read(
        &mut self,
        tokens: &[LlamaToken],
        heard: &mut dyn FnMut(&str) -> bool,
    ) -> Result<bool, EngineError> {
        let failed = |error: &dyn std::fmt::Display| EngineError::Model(error.to_string());
        for part in tokens.chunks(BATCH) {
            if !heard("") {
                return Ok(false);
            }
            let mut batch = LlamaBatch::new(part.len(), 1);
            for (at, token) in part.iter().enumerate() {
                let place = i32::try_from(self.known.len() + at).unwrap_or(i32::MAX);
                let is_last = at + 1 == part.len();
                batch.add(*token, place, &[0], is_last).map_err(|error| failed(&error))?;
            }
            self.context.decode(&mut batch).map_err(|error| failed(&error))?;
            self.known.extend_from_slice(part);
        }
        Ok(true)
    }

    fn state_file(&self, tokens: &[LlamaToken]) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        let options = &self.loaded.options;
        options.file.hash(&mut hasher);
        fs::metadata(&options.file).map_or(0, |file| file.len()).hash(&mut hasher);
        self.loaded.window().hash(&mut hasher);
        for token in tokens {
            token.0.hash(&mut hasher);
        }
        options.states.join(format!("{:016x}.state", hasher.finish()))
    }

    fn load(&mut self, file: &Path, tokens: &[LlamaToken]) -> bool {
        if !file.is_file() {
            return false;
        }
        let loaded = self.context.state_seq_load_file(file, 0, tokens.len() + 1);
        match loaded {
            Ok((found, _)) if found == tokens => {
                self.known = found;
                // Which one was used last decides which one goes.
                let now = fs::File::options().append(true).open(file);
                let _ = now.and_then(|file| file.set_modified(SystemTime::now()));
                true
            }
            _ => {
                let _ = fs::remove_file(file);
                self.known.clear();
                let _ = self.cut(0);
                false
            }
        }
    }

    fn save(&self, file: &Path) {
        let folder = &self.loaded.options.states;
        let _ = fs::create_dir_all(folder);
        // Whole or not at all: another process may look for it.
        let fresh = file.with_extension(format!("{}.new", std::process::id()));
        let saved = self.context.state_seq_save_file(&fresh, 0, &self.known).is_ok();
        if !saved || fs::rename(&fresh, file).is_err() {
            let _ = fs::remove_file(&fresh);
        }
        let mut states: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
            })
            .collect();
        states.sort();
        for (_, oldest) in states.iter().rev().skip(MAX_STATES) {
            let _ = fs::remove_file(oldest);
        }
    }
}

/// How many tokens two texts begin with alike.
fn shared(one: &[LlamaToken], other: &[LlamaToken]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Takes the letters that are whole from the front; a letter may come in several tokens.
fn whole_letters(bytes: &mut Vec<u8>) -> String {
    let end = match std::str::from_utf8(bytes) {
        Ok(text) => text.len(),
        // What can never become a letter is passed on as its replacement.
        Err(problem) if problem.error_len().is_some() => bytes.len(),
        Err(problem) => problem.valid_up_to(),
    };
    let rest = bytes.split_off(end);
    let text = String::from_utf8_lossy(bytes).into_owned();
    *bytes = rest;
    text
}
