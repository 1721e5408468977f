//! What a call wants to know from its client and has not heard yet, where a question is the answer to
//! the request that raised it, and the client's answer comes with the same request made again.
//!
//! Nothing a client sends is taken at its word: an answer that is not of the form its question asks for
//! is none, and the question stays open. Only questions that a tool gave a name of its own can be
//! answered before they were put; what the gate asks has to be seen first.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rmcp::model::{
    ClientCapabilities, ClientResult, InputRequest, InputRequests, InputResponses, ServerRequest,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::caller::{CallerError, ClientRequest};
use super::declared;

/// How long a question waits that names no time.
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 60);

/// A question that was raised.
#[derive(Debug)]
struct Question {
    asked: ClientRequest,
    /// The same as the client gets to see it.
    request: InputRequest,
    /// Whether the client has been told of it.
    was_put: bool,
    deadline: Instant,
}

/// The open questions of one call, by the names under which the client answers them.
#[derive(Debug, Default)]
pub(super) struct OpenQuestions {
    open: BTreeMap<String, Question>,
    /// How many questions without a name there were.
    count: usize,
}

impl OpenQuestions {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes up a question. One that cannot be put this way is answered with the reason.
    pub(super) fn add(&mut self, asked: ClientRequest) {
        let Some(request) = as_input(&asked.request) else {
            let why = "requests of this kind cannot be sent to this client".to_owned();
            let _ = asked.reply.send(Err(CallerError::Failed(why)));
            return;
        };
        let name = match &asked.name {
            Some(name) if !self.open.contains_key(name) => name.clone(),
            _ => {
                self.count += 1;
                format!("question_{}", self.count)
            }
        };
        let deadline = Instant::now() + asked.wait.unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT);
        self.open.insert(name, Question { asked, request, was_put: false, deadline });
    }

    /// Passes on the answers a client sent. What is missing or makes no sense stays open.
    pub(super) fn answer(&mut self, responses: &InputResponses) {
        self.open.retain(|_, question| !question.asked.reply.is_closed());
        let answered = self.open.extract_if(.., |name, question| {
            (question.was_put || question.asked.name.is_some())
                && responses.get(name).is_some_and(|given| read(&question.request, given).is_some())
        });
        for (name, question) in answered {
            let result = responses.get(&name).and_then(|given| read(&question.request, given));
            let _ = question.asked.reply.send(result.ok_or(CallerError::Gone));
        }
    }

    /// Turns away what this client does not offer to answer. What the call cannot go on without, if
    /// that is more than a person's word.
    pub(super) fn turn_away(
        &mut self,
        capabilities: &ClientCapabilities,
    ) -> Option<ClientCapabilities> {
        let lacking =
            |question: &Question| declared::lacking(capabilities, &question.asked.request);
        let undeclared: Vec<(String, Question)> =
            self.open.extract_if(.., |_, question| lacking(question).is_some()).collect();
        let mut needed = None;
        for (_, question) in undeclared {
            match &question.asked.request {
                // Nobody to ask is an answer that the gate knows.
                ServerRequest::ElicitRequest(_) if question.asked.name.is_none() => {}
                _ => needed = lacking(&question),
            }
            let _ = question.asked.reply.send(Err(CallerError::NoQuestions));
        }
        needed
    }

    /// The questions for the client, which has now been told of them.
    pub(super) fn put(&mut self) -> InputRequests {
        self.open
            .iter_mut()
            .map(|(name, question)| {
                question.was_put = true;
                (name.clone(), question.request.clone())
            })
            .collect()
    }

    /// When the first of them has waited long enough.
    pub(super) fn deadline(&self) -> Instant {
        let first = self.open.values().map(|question| question.deadline).min();
        first.unwrap_or_else(|| Instant::now() + LONGEST_WAIT)
    }

    /// Tells all who wait that nobody answered.
    pub(super) fn time_out(&mut self) {
        for (_, question) in std::mem::take(&mut self.open) {
            let _ = question.asked.reply.send(Err(CallerError::TimedOut));
        }
    }
}

fn as_input(request: &ServerRequest) -> Option<InputRequest> {
    Some(match request {
        ServerRequest::ElicitRequest(asked) => InputRequest::Elicitation(asked.clone()),
        ServerRequest::CreateMessageRequest(asked) => InputRequest::CreateMessage(asked.clone()),
        ServerRequest::ListRootsRequest(asked) => InputRequest::ListRoots(asked.clone()),
        _ => return None,
    })
}

/// The answer to a question, if it is one.
fn read(question: &InputRequest, given: &Value) -> Option<ClientResult> {
    fn parsed<T: DeserializeOwned>(given: &Value) -> Option<T> {
        given.is_object().then(|| serde_json::from_value(given.clone()).ok()).flatten()
    }
    match question {
        InputRequest::Elicitation(_) => parsed(given).map(ClientResult::ElicitResult),
        InputRequest::CreateMessage(_) => {
            parsed(given).map(Box::new).map(ClientResult::CreateMessageResult)
        }
        InputRequest::ListRoots(_) => parsed(given).map(ClientResult::ListRootsResult),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use tokio::sync::oneshot;

    type Reply = oneshot::Receiver<Result<ClientResult, CallerError>>;

    fn request(method: &str) -> ServerRequest {
        let params = match method {
            "elicitation/create" => json!({"mode": "form", "message": "May I?",
                "requestedSchema": {"type": "object", "properties": {}}}),
            "sampling/createMessage" => json!({"messages": [], "maxTokens": 1}),
            _ => json!({}),
        };
        serde_json::from_value(json!({"method": method, "params": params})).unwrap()
    }

    fn ask(questions: &mut OpenQuestions, name: Option<&str>, method: &str) -> Reply {
        let (reply, answer) = oneshot::channel();
        let (name, request) = (name.map(str::to_owned), request(method));
        questions.add(ClientRequest { name, request, wait: None, reply });
        answer
    }

    const KINDS: [&str; 3] = ["elicitation/create", "sampling/createMessage", "roots/list"];

    #[test]
    fn each_kind_of_answer_is_read_and_others_stay_open() {
        let good = [
            json!({"action": "accept", "content": {"x": 1}}),
            json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}}),
            json!({"roots": [{"uri": "file:///x"}]}),
        ];
        for (kind, method) in KINDS.into_iter().enumerate() {
            for (which, given) in good.iter().enumerate() {
                let mut questions = OpenQuestions::default();
                let mut answer = ask(&mut questions, None, method);
                questions.put();
                questions.answer(&InputResponses::from([("question_1".into(), given.clone())]));
                assert_eq!(questions.is_empty(), kind == which, "{method} {given}");
                assert_eq!(answer.try_recv().is_ok(), kind == which, "{method} {given}");
            }
        }
    }

    #[test]
    fn only_what_has_a_name_can_be_answered_before_it_is_put() {
        let mut questions = OpenQuestions::default();
        let mut consent = ask(&mut questions, None, KINDS[0]);
        let mut named = ask(&mut questions, Some("user_name"), KINDS[0]);
        let mut same = ask(&mut questions, Some("user_name"), KINDS[0]);
        let yes = json!({"action": "accept"});
        let all = ["question_1", "question_2", "user_name"];
        let all: InputResponses = all.map(|name| (name.to_owned(), yes.clone())).into();
        questions.answer(&all);
        assert!(named.try_recv().is_ok() && consent.try_recv().is_err());
        assert!(same.try_recv().is_ok(), "a name that is taken is made anew");
        assert_eq!(questions.put().into_keys().collect::<Vec<_>>(), ["question_1"]);
        questions.answer(&all);
        assert!(consent.try_recv().is_ok() && questions.is_empty());
    }

    #[test]
    fn what_a_client_does_not_offer_is_not_put() {
        let mut questions = OpenQuestions::default();
        let mut consent = ask(&mut questions, None, KINDS[0]);
        assert!(questions.turn_away(&ClientCapabilities::default()).is_none());
        assert!(matches!(consent.try_recv(), Ok(Err(CallerError::NoQuestions))));
        let _model = ask(&mut questions, None, KINDS[1]);
        let needed = questions.turn_away(&ClientCapabilities::default()).unwrap();
        assert!(needed.sampling.is_some() && questions.is_empty());
    }

    #[test]
    fn time_runs_out_for_all() {
        let mut questions = OpenQuestions::default();
        let mut answers = KINDS.map(|method| ask(&mut questions, None, method));
        questions.time_out();
        for answer in &mut answers {
            assert!(matches!(answer.try_recv(), Ok(Err(CallerError::TimedOut))));
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "accept|decline|cancel|assistant|text|[a-z]{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let key = "action|content|role|model|type|text|roots|uri|decision|[a-z]{1,3}";
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map(key, inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Whatever a client sends, a question is either answered in its own form or still open, and
        /// never both.
        #[test]
        fn answers_are_of_their_question_or_none(
            method in proptest::sample::select(KINDS.to_vec()),
            responses in proptest::collection::btree_map("question_1|question_2|x", any_json(), 0..4),
        ) {
            let mut questions = OpenQuestions::default();
            let mut answer = ask(&mut questions, None, method);
            questions.answer(&responses);
            prop_assert!(answer.try_recv().is_err(), "it was not put yet");
            questions.put();
            questions.answer(&responses);
            match answer.try_recv() {
                Ok(Ok(ClientResult::ElicitResult(_))) => prop_assert_eq!(method, KINDS[0]),
                Ok(Ok(ClientResult::CreateMessageResult(_))) => prop_assert_eq!(method, KINDS[1]),
                Ok(Ok(ClientResult::ListRootsResult(_))) => prop_assert_eq!(method, KINDS[2]),
                Ok(other) => prop_assert!(false, "{:?}", other),
                Err(_) => prop_assert!(!questions.is_empty()),
            }
        }
    }
}
