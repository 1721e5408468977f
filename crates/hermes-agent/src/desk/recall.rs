//! `session_search`: what was said before.

use hermes_store::sessions::search::{Request, Sort};
use hermes_tool::{ToolError, ToolOutput, ToolResult};
use hermes_tools::agent_level::{HitOrder, SessionSearch};

use super::Desk;

impl Desk {
    pub(super) fn recall(&self, args: SessionSearch) -> ToolResult {
        let Some(store) = &self.store else {
            return Err(ToolError::answer("Earlier conversations are not kept here"));
        };
        let small = |number: i64| usize::try_from(number.max(1)).unwrap_or(usize::MAX);
        let roles = args.role_filter.unwrap_or_default();
        let request = Request {
            query: args.query,
            session_id: args.session_id.filter(|id| !id.trim().is_empty()),
            around_message_id: args.around_message_id,
            window: args.window.map(small),
            limit: args.limit.map(small),
            sort: args.sort.map(|order| match order {
                HitOrder::Newest => Sort::Newest,
                HitOrder::Oldest => Sort::Oldest,
            }),
            roles: roles.split(',').map(str::to_owned).collect(),
            current_session: Some(self.session.clone()),
        };
        match store.search(&request) {
            Ok(answer) => ToolOutput::json(&answer),
            Err(problem) => Err(ToolError::answer(problem.to_string())),
        }
    }
}
