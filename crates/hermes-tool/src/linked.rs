//! Tools that register themselves at link time.

use crate::{CallIds, Services, Tool};

/// One tool declared with `#[tool]` somewhere in the program; collected by the linker.
pub struct LinkedTool {
    module: &'static str,
    make: fn() -> Tool,
}

impl LinkedTool {
    /// Called by the expansion of `#[tool]`.
    #[must_use]
    pub const fn new(module: &'static str, make: fn() -> Tool) -> Self {
        Self { module, make }
    }

    /// The module that declares the tool.
    #[must_use]
    pub fn module(&self) -> &'static str {
        self.module
    }

    /// Builds the tool.
    #[must_use]
    pub fn make(&self) -> Tool {
        (self.make)()
    }
}

impl std::fmt::Debug for LinkedTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinkedTool").field("module", &self.module).finish_non_exhaustive()
    }
}

inventory::collect!(LinkedTool);

/// The declarations of every tool linked into this program, sorted by module: the order in which
/// the linker found them does not show.
#[must_use]
pub fn linked() -> Vec<&'static LinkedTool> {
    let mut linked: Vec<_> = inventory::iter::<LinkedTool>.into_iter().collect();
    linked.sort_by_key(|linked| linked.module());
    linked
}

/// Every tool linked into this program with its module, sorted by module and name.
#[must_use]
pub fn linked_tools() -> Vec<(&'static str, Tool)> {
    let mut tools: Vec<_> =
        linked().into_iter().map(|linked| (linked.module(), linked.make())).collect();
    tools.sort_by(|(a_module, a), (b_module, b)| {
        a_module.cmp(b_module).then_with(|| a.name().cmp(b.name()))
    });
    tools
}

/// A call as a [`CallObserver`] sees it.
///
/// It carries the call's services because that is where a session keeps what its tools remember:
/// an observer that looked only at memory of the process would speak to nobody.
#[derive(Clone, Copy, Debug)]
pub struct ObservedCall<'a> {
    /// The tool, by the name it is registered under.
    pub tool: &'a str,
    /// Task, session and turn the call belongs to.
    pub ids: &'a CallIds,
    /// What the handler will find through `ToolContext::service`.
    pub services: &'a Services,
}

/// Code that is told of every call, of whatever tool, before its handler runs.
///
/// For toolsets that remember something between calls: a file tool that counts repeated reads wants
/// to know that something else happened since. Submit one with `inventory::submit!`; it must be
/// quick and never panics.
pub struct CallObserver(
    /// Runs on the thread that makes the call, before the handler.
    pub fn(ObservedCall<'_>),
);

inventory::collect!(CallObserver);

/// Tells every linked observer of a call.
pub fn tell_observers(call: ObservedCall<'_>) {
    for observer in inventory::iter::<CallObserver> {
        (observer.0)(call);
    }
}

impl std::fmt::Debug for CallObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CallObserver")
    }
}
