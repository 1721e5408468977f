//! What a client has said it can do.

use rmcp::model::{
    ClientCapabilities, ElicitRequestParams, ElicitationCapability, FormElicitationCapability,
    RootsCapabilities, SamplingCapability, ServerRequest, UrlElicitationCapability,
};
use rmcp::service::{RequestContext, RoleServer};

/// What the client of a request can do: said with the request itself, or when its session began.
pub(super) fn of(context: &RequestContext<RoleServer>) -> ClientCapabilities {
    context.client_capabilities().unwrap_or_default()
}

/// Whether it shows forms to a person.
pub(super) fn forms(capabilities: &ClientCapabilities) -> bool {
    // Before there were two kinds, offering elicitation meant forms.
    let kinds = capabilities.elicitation.as_ref();
    kinds.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// What a client would have to offer for a request, if it does not.
pub(super) fn lacking(
    capabilities: &ClientCapabilities,
    request: &ServerRequest,
) -> Option<ClientCapabilities> {
    let mut needed = ClientCapabilities::default();
    let has = match request {
        ServerRequest::CreateMessageRequest(_) => {
            needed.sampling = Some(SamplingCapability::default());
            capabilities.sampling.is_some()
        }
        ServerRequest::ListRootsRequest(_) => {
            needed.roots = Some(RootsCapabilities::default());
            capabilities.roots.is_some()
        }
        ServerRequest::ElicitRequest(asked) => {
            let mut kinds = ElicitationCapability::default();
            let has = match &asked.params {
                ElicitRequestParams::UrlElicitationParams { .. } => {
                    kinds.url = Some(UrlElicitationCapability::default());
                    capabilities.elicitation.as_ref().is_some_and(|kinds| kinds.url.is_some())
                }
                _ => {
                    kinds.form = Some(FormElicitationCapability::default());
                    forms(capabilities)
                }
            };
            needed.elicitation = Some(kinds);
            has
        }
        _ => true,
    };
    (!has).then_some(needed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn lacks(capabilities: Value, request: Value) -> Option<Value> {
        let capabilities = serde_json::from_value(capabilities).unwrap();
        let request = serde_json::from_value(request).unwrap();
        lacking(&capabilities, &request).map(|lacks| serde_json::to_value(lacks).unwrap())
    }

    #[test]
    fn what_is_not_declared_is_lacking() {
        let form = json!({"method": "elicitation/create", "params": {"message": "?",
            "requestedSchema": {"type": "object", "properties": {}}}});
        let page = json!({"method": "elicitation/create", "params": {"mode": "url",
            "message": "?", "url": "https://example.com", "elicitationId": "1"}});
        let model = json!({"method": "sampling/createMessage",
            "params": {"messages": [], "maxTokens": 1}});
        let roots = json!({"method": "roots/list"});
        for (can, request, lacking) in [
            (json!({"elicitation": {}}), &form, None),
            (json!({"elicitation": {"form": {}}}), &form, None),
            (
                json!({"elicitation": {"url": {}}}),
                &form,
                Some(json!({"elicitation": {"form": {}}})),
            ),
            (json!({"elicitation": {}}), &page, Some(json!({"elicitation": {"url": {}}}))),
            (json!({"elicitation": {"url": {}}}), &page, None),
            (json!({}), &model, Some(json!({"sampling": {}}))),
            (json!({"sampling": {}}), &model, None),
            (json!({"sampling": {}}), &roots, Some(json!({"roots": {}}))),
            (json!({"roots": {}}), &roots, None),
        ] {
            assert_eq!(lacks(can.clone(), request.clone()), lacking, "{can} {request}");
        }
    }
}
