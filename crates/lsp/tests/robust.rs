//! Sessions that go wrong: malformed messages, floods, cancelled and outdated checks, hostile
//! texts.
#![allow(clippy::unwrap_used)]

mod client;

use client::Client;
use loris_base::Rng;
use serde_json::{Value, json};

const LIGHT: &str =
    "MODULE main VAR x : 0..3; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4;\nSPEC AG EF x = 3\n";
const URI: &str = "file:///no/such/folder/m.smv";

/// A model whose check takes longer than any test: it goes through 2⁶⁰ states in one cycle.
const ENDLESS: &str = "MODULE main
VAR x : unsigned word[60];
ASSIGN init(x) := 0ud60_0; next(x) := x * 0ud60_6364136223846793 + 0ud60_1442695040888963;
SPEC AG AF x = 0ud60_5
";

fn start_check(client: &mut Client, line: u64) -> Value {
    let arguments = json!([{"uri": URI, "line": line}]);
    client.ask("workspace/executeCommand", &json!({"command": "loris.check", "arguments": arguments}))
}

#[test]
fn malformed_messages_are_answered() {
    let mut client = Client::start();
    let code = |answer: Option<Value>| answer.unwrap()["error"]["code"].as_i64().unwrap();
    client.raw(b"Content-Length: 3\r\n\r\n{]}");
    assert_eq!(code(client.receive()), -32700);
    client.raw(b"Content-Length: 2\r\n\r\n\xff\xfe");
    assert_eq!(code(client.receive()), -32700);
    client.raw(b"Content-Type: x\r\n\r\n");
    assert_eq!(code(client.receive()), -32600);
    client.raw(b"Content-Length: 2\r\n\r\n[]");
    assert_eq!(code(client.receive()), -32600);
    assert_eq!(code(Some(client.request("textDocument/hover", &json!({})))), -32002);
    client.initialize();
    assert_eq!(code(Some(client.request("initialize", &json!({})))), -32600);
    assert_eq!(code(Some(client.request("textDocument/rename", &json!({})))), -32601);
    for method in ["hover", "definition", "completion", "documentSymbol", "codeLens"] {
        for params in
            [json!(null), json!([]), json!({"textDocument": 7}), json!({"textDocument": {"uri": {}}})]
        {
            assert_eq!(code(Some(client.request(&format!("textDocument/{method}"), &params))), -32602);
        }
    }
    let about = json!({"uri": URI});
    for position in [json!(null), json!({"line": -1, "character": 0}), json!({"line": "0"}), json!(3)] {
        let params = json!({"textDocument": about, "position": position});
        assert_eq!(code(Some(client.request("textDocument/hover", &params))), -32602);
    }
    for params in [json!(null), json!({"command": "x"}), json!({"command": "loris.check", "arguments": [3]})]
    {
        assert_eq!(code(Some(client.request("workspace/executeCommand", &params))), -32602);
    }
    for method in
        ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "$/cancelRequest", "$/x"]
    {
        for params in [
            json!(null),
            json!({}),
            json!({"textDocument": {"uri": URI}, "contentChanges": [{"range": {}, "text": "x"}]}),
        ] {
            client.notify(method, &params);
        }
    }
    // positions far outside are at the end
    client.open(URI, LIGHT);
    client.diagnostics();
    let far = json!({"line": u64::MAX, "character": u64::MAX});
    let answer = client.request("textDocument/hover", &json!({"textDocument": about, "position": far}));
    assert_eq!(answer["result"], Value::Null);
    assert!(client.leave());
}

#[test]
fn a_huge_message_is_refused_and_ends_the_session() {
    let mut client = Client::ready();
    client.raw(b"Content-Length: 99999999999999\r\n\r\n");
    let answer = client.receive().unwrap();
    assert_eq!(answer["error"]["code"], -32600);
    assert!(!client.end());
}

#[test]
fn a_client_that_vanishes_is_not_waited_for() {
    let mut client = Client::ready();
    client.open(URI, ENDLESS);
    start_check(&mut client, 3);
    assert!(!client.end());
}

#[test]
fn of_a_flood_the_newest_text_counts() {
    let mut client = Client::ready();
    client.open(URI, LIGHT);
    let (last, mark) = (400, client.received.len());
    for version in 2..=last {
        let wrong = LIGHT.replace("EF x", &format!("EF x{version}"));
        client.change(URI, version, &wrong);
    }
    // the answer to a request is about the newest text, whatever has been analysed by then
    let about = json!({"textDocument": {"uri": URI}});
    let lenses = client.request("textDocument/codeLens", &about);
    let newest = format!("SPEC AG EF x{last} = 3");
    assert_eq!(lenses["result"][0]["command"]["arguments"][0]["property"], *newest);
    let shown = client.wait_since(mark, |message| message["params"]["version"] == last);
    let message = shown["params"]["diagnostics"][0]["message"].as_str().unwrap().to_owned();
    assert!(message.contains(&format!("x{last}")), "{message}");
    // every problem that was ever shown belongs to the version it was shown for
    for shown in client.received.iter().filter(|one| one["method"] == "textDocument/publishDiagnostics") {
        let version = shown["params"]["version"].as_u64().unwrap();
        let problems = shown["params"]["diagnostics"].as_array().unwrap();
        let name = format!("x{version}");
        assert!(version == 1 || problems.iter().all(|one| one["message"].as_str().unwrap().contains(&name)));
    }
    assert!(client.leave());
}

#[test]
fn checks_are_cancelled_and_others_go_on() {
    let mut client = Client::ready();
    client.open(URI, ENDLESS);
    // two run and two wait
    let checks: Vec<Value> = (0..4).map(|_| start_check(&mut client, 3)).collect();
    let about = json!({"textDocument": {"uri": URI}, "position": {"line": 1, "character": 4}});
    let hover = client.request("textDocument/hover", &about);
    assert!(
        hover["result"]["contents"]["value"].as_str().unwrap().contains("x : unsigned word[60]"),
        "{hover}"
    );
    for id in checks.iter().rev() {
        client.notify("$/cancelRequest", &json!({"id": id}));
    }
    for _ in &checks {
        let answer = client.wait(|message| checks.contains(&message["id"]));
        assert_eq!(answer["error"]["code"], -32800, "{answer}");
    }
    // one that is unknown, and one that is done
    client.notify("$/cancelRequest", &json!({"id": 12345}));
    client.notify("$/cancelRequest", &json!({"id": checks[0]}));
    client.change(URI, 2, LIGHT);
    let id = start_check(&mut client, 1);
    let answer = client.wait(|message| message["id"] == id);
    assert_eq!(answer["result"]["results"][0]["verdict"], "holds", "{answer}");
    assert!(client.leave());
}

#[test]
fn a_verdict_on_an_old_text_is_not_shown() {
    let mut client = Client::ready();
    client.open(URI, ENDLESS);
    let id = start_check(&mut client, 3);
    client.change(URI, 2, LIGHT);
    client.notify("$/cancelRequest", &json!({"id": id}));
    let answer = client.wait(|message| message["id"] == id);
    assert!(matches!(answer["error"]["code"].as_i64(), Some(-32800 | -32801)), "{answer}");
    // a verdict is gone when the text changes, also if it stays the same
    let id = start_check(&mut client, 1);
    client.wait(|message| message["id"] == id);
    let shown = client.wait(|message| message["params"]["diagnostics"][0]["code"] == "holds");
    assert_eq!(shown["params"]["version"], 2);
    client.change(URI, 3, LIGHT);
    let shown = client.wait(|message| message["params"]["version"] == 3);
    assert_eq!(shown["params"]["diagnostics"], json!([]));
    assert!(client.leave());
}

#[test]
fn limits_hold() {
    let mut client = Client::start();
    let options = json!({"timeout": 0.2, "memory": 64});
    client.request("initialize", &json!({"capabilities": {}, "initializationOptions": options}));
    client.open(URI, ENDLESS);
    let id = start_check(&mut client, 3);
    let answer = client.wait(|message| message["id"] == id);
    let verdict = &answer["result"]["results"][0]["verdict"];
    // it is the model that takes too long, or its check
    assert!(*verdict == "unknown" || answer["error"]["code"] == -32803, "{answer}");
    assert!(client.leave());
}

/// Everything that a client can ask about a text.
fn ask_all(client: &mut Client, uri: &str, text: &str) {
    let about = json!({"uri": uri});
    let lines = text.lines().count() as u64;
    for method in ["documentSymbol", "codeLens"] {
        let answer = client.request(&format!("textDocument/{method}"), &json!({"textDocument": about}));
        assert!(answer.get("error").is_none(), "{answer} {text:?}");
    }
    for line in 0..(lines + 1).min(12) {
        for character in (0..40).step_by(3) {
            let position = json!({"line": line, "character": character});
            for method in ["hover", "definition", "completion"] {
                let params = json!({"textDocument": about, "position": position});
                let answer = client.request(&format!("textDocument/{method}"), &params);
                assert!(answer.get("error").is_none(), "{answer} {text:?}");
            }
        }
    }
}

#[test]
fn hostile_texts_are_survived() {
    let fig3 = include_str!("sessions/fig3.rsm");
    let lock = include_str!("sessions/lock.pds");
    let smv = "MODULE main(p)\r\nVAR x : {a, \"b\"}; m : array 0..1 of c(x[1:0]);\rDEFINE d := case x : y; esac; \
               CALL c := d;\nSPEC NAME n := AG m[1].x -- ä𝄞\nMODULE c(q) /-- --/ VAR x : 0..3;";
    let rules = "[[rule]]\nid = \"a\"\nmessage = \"m\"\ncheck = \"dead-store\"\n";
    let properties = "# model: m.smv\nA G (x = 1 -> \"q r\")\nE F m[0].x\n";
    let texts = [("smv", smv), ("rsm", fig3), ("pds", lock), ("toml", rules), ("ctl", properties)];
    let mut client = Client::ready();
    let mut rng = Rng::new(7);
    for (extension, text) in texts {
        let uri = format!("file:///no/such/folder/m.{extension}");
        client.open(&uri, text);
        ask_all(&mut client, &uri, text);
        let characters: Vec<char> = text.chars().take(1500).collect();
        for version in 0..12 {
            // cut off, doubled, and with bytes that mean something put in
            let mut broken = characters.clone();
            for _ in 0..=rng.below(6) {
                let at = rng.below(broken.len().max(1));
                match rng.below(4) {
                    0 => broken.truncate(at),
                    1 => broken.splice(at..at, "{[\"(<:;.𝄞\0\u{feff}".chars()).for_each(drop),
                    2 => broken.splice(at..at, ['\r', '\n', '"', '\\']).for_each(drop),
                    _ => drop(broken.splice(at..(at + 20).min(broken.len()), [])),
                }
            }
            let broken: String = broken.into_iter().collect();
            client.change(&uri, version + 2, &broken);
            if version % 4 == 0 {
                ask_all(&mut client, &uri, &broken);
            }
        }
        client.notify("textDocument/didClose", &json!({"textDocument": {"uri": uri}}));
    }
    for (extension, text) in [
        ("rsm", "[".repeat(200_000)),
        ("rsm", "{\"components\": [{\"nodes\": ".repeat(20_000)),
        ("smv", "(".repeat(200_000)),
        ("smv", format!("MODULE main SPEC {}", "AG (".repeat(50_000))),
        ("ctl", format!("{}p", "!(".repeat(100_000))),
        ("pds", "q <".repeat(100_000)),
    ] {
        let uri = format!("file:///no/such/folder/deep.{extension}");
        let mark = client.received.len();
        client.open(&uri, &text);
        let answer = client.request("textDocument/documentSymbol", &json!({"textDocument": {"uri": uri}}));
        assert!(answer.get("error").is_none());
        client.wait_since(mark, |message| message["params"]["uri"] == *uri);
        client.notify("textDocument/didClose", &json!({"textDocument": {"uri": uri}}));
    }
    let panicked = client.received.iter().any(|message| message.to_string().contains("panicked"));
    assert!(!panicked);
    assert!(client.leave());
}
