//! As much of JSON Schema as the schema of SARIF uses.

use serde_json::Value;

/// All places at which a value breaks a schema.
pub(crate) fn broken(root: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(root, root, value, "$", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let mut fail = |what: &str| found.push(format!("{at}: {what}: {value}"));
    let Some(rules) = schema.as_object() else {
        if schema == &Value::Bool(false) {
            fail("nothing is allowed here");
        }
        return;
    };
    for (rule, given) in rules {
        match (&**rule, value) {
            ("$ref", _) => {
                let path = given.as_str().unwrap().strip_prefix('#').unwrap();
                check(root, root.pointer(path).expect("a definition"), value, at, found);
            }
            ("type", _) if !is_type(given.as_str().unwrap(), value) => {
                found.push(format!("{at}: no {given}: {value}"));
            }
            ("enum", _) if !given.as_array().unwrap().contains(value) => {
                found.push(format!("{at}: none of {given}: {value}"));
            }
            ("minimum", Value::Number(number)) if number.as_f64() < given.as_f64() => {
                found.push(format!("{at}: less than {given}: {value}"));
            }
            ("maximum", Value::Number(number)) if number.as_f64() > given.as_f64() => {
                found.push(format!("{at}: more than {given}: {value}"));
            }
            ("minItems", Value::Array(items)) if (items.len() as u64) < given.as_u64().unwrap() => {
                found.push(format!("{at}: fewer than {given}"));
            }
            ("uniqueItems", Value::Array(items)) if given == true => {
                let twice = |i: usize| items[..i].contains(&items[i]);
                if (0..items.len()).any(twice) {
                    found.push(format!("{at}: items occur twice"));
                }
            }
            ("items", Value::Array(items)) => {
                for (i, item) in items.iter().enumerate() {
                    check(root, given, item, &format!("{at}[{i}]"), found);
                }
            }
            ("required", Value::Object(entries)) => {
                for key in given.as_array().unwrap() {
                    if !entries.contains_key(key.as_str().unwrap()) {
                        found.push(format!("{at}: {key} is missing"));
                    }
                }
            }
            ("properties", Value::Object(entries)) => {
                for (key, schema) in given.as_object().unwrap() {
                    if let Some(entry) = entries.get(key) {
                        check(root, schema, entry, &format!("{at}.{key}"), found);
                    }
                }
            }
            ("additionalProperties", Value::Object(entries)) => {
                let known = rules.get("properties").and_then(Value::as_object);
                for (key, entry) in entries {
                    if !known.is_some_and(|known| known.contains_key(key)) {
                        check(root, given, entry, &format!("{at}.{key}"), found);
                    }
                }
            }
            ("anyOf" | "oneOf", _) => {
                let holds = |schema: &&Value| {
                    let mut inner = Vec::new();
                    check(root, schema, value, at, &mut inner);
                    inner.is_empty()
                };
                let count = given.as_array().unwrap().iter().filter(holds).count();
                if count == 0 || rule == "oneOf" && count > 1 {
                    found.push(format!("{at}: {count} of the choices of {rule} hold"));
                }
            }
            ("format", Value::String(text)) if matches!(given.as_str(), Some("uri" | "uri-reference")) => {
                let is_absolute = text.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
                let is_clean =
                    text.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&byte));
                if !is_clean || given == "uri" && !is_absolute {
                    found.push(format!("{at}: no {given}: {text}"));
                }
            }
            // remarks, and rules about other types of values; SARIF has patterns for versions and
            // languages only
            _ => {}
        }
    }
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("a type {other}"),
    }
}
