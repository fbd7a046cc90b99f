//! Messages of JSON-RPC 2.0.

use serde_json::{Value, json};

/// The content is not JSON.
pub(crate) const PARSE_ERROR: i64 = -32700;
/// The content is not a request.
pub(crate) const INVALID_REQUEST: i64 = -32600;
/// There is no such method.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters do not fit the method.
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// A defect of the server.
pub(crate) const INTERNAL_ERROR: i64 = -32603;
/// A request before `initialize`.
pub(crate) const NOT_INITIALIZED: i64 = -32002;
/// The request cannot be carried out although it is well-formed.
pub(crate) const REQUEST_FAILED: i64 = -32803;
/// The text has changed meanwhile.
pub(crate) const CONTENT_MODIFIED: i64 = -32801;
/// The client has cancelled the request.
pub(crate) const REQUEST_CANCELLED: i64 = -32800;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// It has to be answered.
    Request { id: Value, method: String, params: Value },
    /// It is not answered.
    Notification { method: String, params: Value },
    /// An answer of the client.
    Response,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl Refused {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Reads a message; if it is malformed, the answer to it.
pub(crate) fn read(content: &[u8]) -> Result<Message, Value> {
    let value: Value = serde_json::from_slice(content)
        .map_err(|error| failure(&Value::Null, &Refused::new(PARSE_ERROR, format!("not JSON: {error}"))))?;
    let Value::Object(mut object) = value else {
        return Err(failure(&Value::Null, &Refused::new(INVALID_REQUEST, "a message is an object")));
    };
    let id = object.remove("id");
    let wrong = |id: Option<&Value>, what: &str| {
        let id = id.filter(|id| is_id(id)).unwrap_or(&Value::Null);
        Err(failure(id, &Refused::new(INVALID_REQUEST, what)))
    };
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return wrong(id.as_ref(), "a message states \"jsonrpc\": \"2.0\"");
    }
    let method = match object.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return wrong(id.as_ref(), "a method is a string"),
        None if object.contains_key("result") || object.contains_key("error") => {
            return Ok(Message::Response);
        }
        None => return wrong(id.as_ref(), "a message has a method, a result or an error"),
    };
    let params = object.remove("params").unwrap_or(Value::Null);
    match id {
        None => Ok(Message::Notification { method, params }),
        Some(id) if is_id(&id) => Ok(Message::Request { id, method, params }),
        Some(_) => wrong(None, "an id is a number or a string"),
    }
}

fn is_id(id: &Value) -> bool {
    id.is_number() || id.is_string()
}

/// The answer to a request.
pub(crate) fn success(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer to a request that is refused.
pub(crate) fn failure(id: &Value, why: &Refused) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": why.code, "message": why.message}})
}

/// A message that is not answered.
pub(crate) fn notification(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::{Message, read};
    use serde_json::{Value, json};

    #[expect(clippy::needless_pass_by_value, reason = "tests are data")]
    fn check(content: &str, expected: Result<Message, (Value, i64)>) {
        let found = read(content.as_bytes())
            .map_err(|answer| (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap_or_default()));
        assert_eq!(found, expected, "{content}");
    }

    #[test]
    fn messages() {
        let method = || "m".to_owned();
        let request = |id: Value| Message::Request { id, method: method(), params: Value::Null };
        check(r#"{"jsonrpc": "2.0", "id": 1, "method": "m"}"#, Ok(request(json!(1))));
        check(r#"{"jsonrpc": "2.0", "id": "a", "method": "m"}"#, Ok(request(json!("a"))));
        let params = json!([1]);
        check(
            r#"{"jsonrpc": "2.0", "method": "m", "params": [1]}"#,
            Ok(Message::Notification { method: method(), params }),
        );
        check(r#"{"jsonrpc": "2.0", "id": 1, "result": null}"#, Ok(Message::Response));
        check("{", Err((Value::Null, -32700)));
        check("\u{0}", Err((Value::Null, -32700)));
        check(&"[".repeat(100_000), Err((Value::Null, -32700)));
        check("[]", Err((Value::Null, -32600)));
        check(r#"{"id": 7, "method": "m"}"#, Err((json!(7), -32600)));
        check(r#"{"jsonrpc": "2.0", "id": 7}"#, Err((json!(7), -32600)));
        check(r#"{"jsonrpc": "2.0", "id": 7, "method": 1}"#, Err((json!(7), -32600)));
        check(r#"{"jsonrpc": "2.0", "id": {}, "method": "m"}"#, Err((Value::Null, -32600)));
    }
}
