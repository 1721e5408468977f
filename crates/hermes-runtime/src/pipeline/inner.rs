//! Calls that handlers make: the same way as every other call.

use std::sync::Arc;

use hermes_tool::{BoxFuture, CallTools, InnerCall, Tool, ToolOutput};

use super::ToolCall;
use crate::runtime::{Inner, Runtime};

impl CallTools for Inner {
    fn find(&self, name: &str) -> Option<Tool> {
        self.registry().get(name)
    }

    fn call(self: Arc<Self>, call: InnerCall) -> BoxFuture<ToolOutput> {
        let InnerCall { name, args, context, time_limit } = call;
        let runtime = Runtime::of(self);
        Box::pin(async move {
            let call = ToolCall { context, time_limit, ..ToolCall::new(name, args) };
            runtime.call(call).await.output
        })
    }
}

#[cfg(test)]
mod tests;
