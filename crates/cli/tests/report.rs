//! Pages, SARIF and drawings say what the JSON output of the same call says.

#![allow(clippy::unwrap_used)]

mod common;

use common::schema::broken;
use common::smv::{path, run};
use common::{scratch, text};
use loris_findings::{
    BaselineState, Call, Finding, Level, Location, Outcome, Report, RuleInfo, Suppression, SuppressionKind,
    TraceBuilder, TraceStep,
};
use loris_report::{MOST_RESULTS, MOST_STEPS, write_sarif};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Calls with evidence of all kinds: runs with and without calls, lassos, nested claims, values,
/// invariants, strategies, results that stay unknown.
const CALLS: [&[&str]; 10] = [
    &["check", "examples/dataflow.rsm", "-f", "examples/dataflow.ctl"],
    &["check", "examples/fig3.rsm", "-f", "examples/fig3.ctl"],
    &["check", "examples/lock.pds", "--logic", "ltl", "-f", "examples/lock.ltl"],
    &["check", "examples/arbiter.aag", "-f", "examples/arbiter.ctl"],
    &["check", "examples/smv/mutex.smv"],
    &["check", "examples/smv/counter.smv"],
    &["check", "examples/smv/retries.smv"],
    &["check", "examples/smv/abp.smv", "--engine", "pdr"],
    &["check", "examples/processes/clients.par", "--logic", "mu", "-f", "examples/processes/clients.mu"],
    &["check", "examples/smv/philosophers.smv", "--max-states", "3"],
];

/// The documents of one call: JSON, the data of the page, SARIF.
fn documents(call: &[&str], name: &str) -> (Value, Value, Value) {
    let folder = scratch(name);
    let (page, sarif) = (folder.join("report.html"), folder.join("report.sarif"));
    let mut arguments = call.to_vec();
    arguments.extend(["--format", "json", "--report", path(&page), "--sarif", path(&sarif)]);
    if call[0] == "check" {
        arguments.push("--evidence");
    }
    let (out, errors, status) = run(&arguments);
    assert!(matches!(status, 0 | 1 | 3), "{arguments:?}: {out}{errors}");
    let sarif = serde_json::from_str(&fs::read_to_string(sarif).unwrap()).unwrap();
    (serde_json::from_str(&out).unwrap(), data(&page), sarif)
}

/// The data that a page carries.
fn data(page: &Path) -> Value {
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("id=\"report\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The object of a list of names with values, without the entries that are empty.
fn entries(list: &Value) -> Map<String, Value> {
    let entry = |entry: &Value| (entry[0].as_str().unwrap().to_owned(), entry[1].clone());
    list.as_array().into_iter().flatten().map(entry).collect()
}

#[test]
fn pages_say_what_json_says() {
    for (at, call) in CALLS.iter().enumerate() {
        let (stated, page, _) = documents(call, &format!("report_page_{at}"));
        let (results, findings) =
            (stated["results"].as_array().unwrap(), page["findings"].as_array().unwrap());
        assert_eq!(results.len(), findings.len());
        for key in ["holds", "fails", "unknown"] {
            assert_eq!(page["summary"][key], stated["summary"][key]);
        }
        let mut model = entries(&page["facts"]);
        model.insert("path".to_owned(), page["inputs"][0].clone());
        for (key, value) in stated["model"].as_object().unwrap().iter().filter(|(_, value)| !value.is_null())
        {
            assert_eq!(&model[key], value, "{call:?} {key}");
        }
        for (result, finding) in results.iter().zip(findings) {
            let mut shown = entries(&finding["details"]);
            let place = &finding["locations"][0];
            let file = |at: &Value| page["files"][at.as_u64().unwrap() as usize].clone();
            let from_file = !result["file"].is_null();
            let (file, line) = if from_file {
                (file(&place["file"]), place["line"].clone())
            } else {
                (json!(null), json!(null))
            };
            shown.extend([("file".to_owned(), file), ("line".to_owned(), line)]);
            shown.insert("verdict".to_owned(), finding["verdict"].clone());
            for (key, value) in finding["property"].as_object().unwrap() {
                let key = if key == "text" { "property" } else { key };
                shown.insert(key.to_owned(), value.clone());
            }
            let mut result = result.as_object().unwrap().clone();
            let evidence = result.remove("evidence");
            assert_eq!(shown, result, "{call:?}");
            compare_evidence(evidence.as_ref(), finding);
        }
    }
}

/// Compares the evidence of a result with what a page shows.
fn compare_evidence(evidence: Option<&Value>, finding: &Value) {
    let Some(evidence) = evidence else {
        assert!(finding["traces"].as_array().unwrap().is_empty() && finding["proof"].is_null());
        return;
    };
    match evidence["kind"].as_str() {
        Some("invariant") => return assert_eq!(finding["proof"]["clauses"], evidence["clauses"]),
        Some("strategy") => {
            return assert_eq!(finding["proof"]["total"], evidence["moves"].as_array().unwrap().len());
        }
        _ => {}
    }
    let trace = &finding["traces"][0];
    let (states, steps) = (evidence["states"].as_array().unwrap(), trace["steps"].as_array().unwrap());
    assert_eq!((&trace["shows"], states.len()), (&evidence["shows"], steps.len()));
    let looped = |value: &Value| Some((value.get(0)?.as_u64()?, value.get(1)?.as_u64()?));
    let stated = &evidence["loop"];
    assert_eq!(looped(&trace["loop"]), stated["from"].as_u64().zip(stated["to"].as_u64()));
    let mut values: BTreeMap<u64, Value> = BTreeMap::new();
    for (state, step) in states.iter().zip(steps) {
        let mut stack = Vec::new();
        let mut frame = step["frame"].as_u64();
        while let Some(at) = frame {
            stack.insert(0, trace["frames"][at as usize]["site"].clone());
            frame = trace["frames"][at as usize]["parent"].as_u64();
        }
        if let Some(stated) = state["stack"].as_array() {
            assert_eq!(&stack, stated);
        }
        for change in step["changes"].as_array().into_iter().flatten() {
            match &change[1] {
                Value::Null => _ = values.remove(&change[0].as_u64().unwrap()),
                value => _ = values.insert(change[0].as_u64().unwrap(), value.clone()),
            }
        }
        let named: Map<String, Value> = values
            .iter()
            .map(|(at, value)| (trace["variables"][*at as usize].as_str().unwrap().to_owned(), value.clone()))
            .collect();
        match state["values"].as_object() {
            Some(stated) => assert_eq!(&named, stated),
            None => assert_eq!(step["text"], state["node"]),
        }
    }
}

#[test]
fn sarif_says_what_json_says() {
    for (at, call) in CALLS.iter().enumerate() {
        let (stated, _, sarif) = documents(call, &format!("report_sarif_{at}"));
        let run = &sarif["runs"][0];
        assert_eq!(
            (&sarif["version"], &run["invocations"][0]["executionSuccessful"]),
            (&json!("2.1.0"), &json!(true))
        );
        let wanted = |result: &&Value| result["verdict"] != "holds";
        let wanted: Vec<&Value> = stated["results"].as_array().unwrap().iter().filter(wanted).collect();
        let results = run["results"].as_array().unwrap();
        assert_eq!(wanted.len(), results.len());
        assert_eq!(run["properties"]["holds"], stated["summary"]["holds"]);
        for (stated, result) in wanted.into_iter().zip(results) {
            let (kind, level) =
                if stated["verdict"] == "fails" { ("fail", "error") } else { ("open", "none") };
            assert_eq!((&result["kind"], &result["level"]), (&json!(kind), &json!(level)));
            assert!(
                text(result["message"]["text"].as_str().unwrap().as_bytes())
                    .contains(stated["property"].as_str().unwrap())
            );
            let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            let place = &result["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
            if !stated["file"].is_null() {
                assert_eq!(place["artifactLocation"]["uri"], stated["file"]);
                assert_eq!(place["region"]["startLine"], stated["line"]);
            }
            let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
            let Some(states) = stated["evidence"]["states"].as_array() else { continue };
            let depths: Vec<u64> =
                steps.as_array().unwrap().iter().map(|step| step["nestingLevel"].as_u64().unwrap()).collect();
            let depth = |state: &Value| state["stack"].as_array().map_or(0, |stack| stack.len() as u64);
            assert_eq!(depths, states.iter().map(depth).collect::<Vec<u64>>());
        }
    }
}

/// The schema is published by OASIS; npm's `@microsoft/sarif-multitool-linux` has it, too.
///
/// Needs: target/sarif-schema-2.1.0.json
#[test]
fn sarif_keeps_to_its_schema() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/sarif-schema-2.1.0.json");
    let Ok(schema) = fs::read_to_string(schema) else { return };
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert!(!broken(&schema, &json!({"version": "2.1.0", "runs": [{}]})).is_empty());
    for (at, call) in CALLS.iter().enumerate() {
        let (_, _, sarif) = documents(call, &format!("report_schema_{at}"));
        assert_eq!(broken(&schema, &sarif), Vec::<String>::new(), "{call:?}");
    }
    assert_eq!(broken(&schema, &read(&leaks(3))), Vec::<String>::new());
    let call = ["java", "crates/rules/tests/programs/classes", "--sources", "crates/rules/tests/programs"];
    let (_, _, sarif) = documents(&call, "report_schema_java");
    assert_eq!(broken(&schema, &sarif), Vec::<String>::new());
}

/// SARIF, written and read back.
fn read(report: &Report) -> Value {
    let mut text = Vec::new();
    write_sarif(report, &mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Findings as a rule about programs makes them; the first has a long trace.
fn leaks(count: usize) -> Report {
    let mut report = Report::new("java app.jar");
    report.root = Some("/home/me/app".to_owned());
    report.notes.push("2 methods have no code".to_owned());
    report.add_rule(RuleInfo {
        cwe: vec![772, 404],
        help_markdown: Some("# Leaks".to_owned()),
        ..RuleInfo::new("leak", Level::Error, "A resource is not closed")
    });
    for at in 0..count {
        let mut trace = TraceBuilder::new("a path that leaves the stream open", "Main.main");
        trace.step(TraceStep::new("opens").at(Location::line("/home/me/app/src/Main.java", 7)).essential());
        trace.call(Call::new("copy()", "Main.copy"));
        for step in 0..if at == 0 { 5000 } else { 3 } {
            trace.step(TraceStep::new(format!("step {step}")).at(Location::line("src/Main.java", 40)));
        }
        trace.leave();
        trace.step(TraceStep::new("leaves").at(Location::line("src/Main.java", 9)).note("here it breaks"));
        let mut finding = Finding {
            locations: vec![Location::line("src/Main.java", 7).within("Main.main(String[])", "function")],
            traces: vec![trace.finish()],
            identity: vec!["Main".to_owned(), "main(String[])".to_owned()],
            ..Finding::new("leak", Level::Error, Outcome::Fails, "the stream is not closed")
        };
        if at == 1 {
            finding.baseline = Some(BaselineState::Unchanged);
            finding.assumptions.push("Codec.init may throw".to_owned());
            let place = "closed by the container".to_owned();
            finding.suppressed = Some(Suppression { kind: SuppressionKind::Annotation, place });
        }
        report.findings.push(finding);
    }
    report
}

#[test]
fn sarif_of_rules_is_complete_and_keeps_to_limits() {
    let sarif = read(&leaks(2));
    let run = &sarif["runs"][0];
    let rule = &run["tool"]["driver"]["rules"][0];
    assert_eq!(rule["properties"]["tags"], json!(["external/cwe/cwe-772", "external/cwe/cwe-404"]));
    assert_eq!(rule["relationships"][0]["target"], json!({"id": "772", "toolComponent": {"name": "CWE"}}));
    assert_eq!(rule["helpUri"], "https://cwe.mitre.org/data/definitions/772.html");
    assert_eq!(run["taxonomies"][0]["taxa"].as_array().unwrap().len(), 2);
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let result = &run["results"][0];
    let place = &result["locations"][0];
    assert_eq!(
        place["physicalLocation"]["artifactLocation"],
        json!({"uri": "src/Main.java", "uriBaseId": "%SRCROOT%"})
    );
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "Main.main(String[])");
    let flow = &result["codeFlows"][0];
    let steps = flow["threadFlows"][0]["locations"].as_array().unwrap();
    assert_eq!(steps.len(), MOST_STEPS);
    assert!(
        flow["message"]["text"].as_str().unwrap().contains("4002 steps are left out after step 500, of 5002")
    );
    assert!(
        steps[499]["location"]["message"]["text"].as_str().unwrap().contains("4002 steps are left out here")
    );
    assert_eq!((&steps[500]["executionOrder"], &steps[999]["executionOrder"]), (&json!(4503), &json!(5002)));
    let depths: Vec<&Value> = [0, 1, 998, 999].iter().map(|&at: &usize| &steps[at]["nestingLevel"]).collect();
    assert_eq!(depths, [0, 1, 1, 0]);
    let first = &steps[0]["location"]["physicalLocation"];
    assert_eq!(first["artifactLocation"]["uri"], "src/Main.java");
    let suppressed = &run["results"][1];
    assert_eq!(suppressed["suppressions"][0]["kind"], "inSource");
    assert_eq!((&suppressed["baselineState"], result.get("suppressions")), (&json!("unchanged"), None));
    assert_ne!(result["partialFingerprints"], suppressed["partialFingerprints"]);

    let many = read(&leaks(MOST_RESULTS + 5));
    let run = &many["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), MOST_RESULTS);
    let notes = run["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notes.contains("5 of 25005 results are left out"), "{notes}");
}

#[test]
fn fingerprints_survive_moved_lines() {
    let folder = scratch("report_moved");
    let model = folder.join("model.smv");
    let prints = |before: &str| {
        let body = "MODULE main\nVAR x : 0..2;\nASSIGN init(x) := 0; next(x) := {1, 2};\nSPEC AG x < 2\nSPEC AF x = 1\n";
        fs::write(&model, format!("{before}{body}")).unwrap();
        let (_, _, sarif) = documents(&["check", path(&model)], "report_moved_files");
        let results = sarif["runs"][0]["results"].as_array().unwrap().clone();
        let of = |key: &str| results.iter().map(|result| result[key].clone()).collect::<Vec<_>>();
        (of("partialFingerprints"), of("locations"))
    };
    let (before, moved) = (prints(""), prints("-- a line\n-- another\n"));
    assert_eq!(before.0.len(), 2);
    assert!(before.0[0] != before.0[1]);
    assert_eq!(before.0, moved.0);
    assert!(before.1 != moved.1);
}

#[test]
fn searches_have_reports() {
    let (stated, page, sarif) = documents(&["reach", "examples/fig3.rsm", "--to", "black"], "report_reach");
    let finding = &page["findings"][0];
    assert_eq!((&finding["verdict"], &json!("reachable")), (&stated["verdict"], &stated["verdict"]));
    let shown = entries(&finding["details"]);
    for key in ["target", "from", "steps", "reached", "tuples", "seconds"] {
        assert_eq!(shown[key], stated[key], "{key}");
    }
    compare_evidence(Some(&stated["evidence"]), finding);
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("reachable"), &json!("note")));
    let (_, page, sarif) =
        documents(&["reach", "examples/arbiter.aag", "--to", "ack0 & ack1"], "report_unreached");
    assert_eq!(page["findings"][0]["verdict"], "unreachable");
    assert_eq!(sarif["runs"][0]["results"], json!([]));
}

#[test]
fn findings_about_java_have_reports() {
    let folder = "crates/rules/tests/programs";
    let call = ["java", &format!("{folder}/classes"), "--sources", folder];
    let (stated, page, sarif) = documents(&call, "report_java");
    let stated = stated["findings"].as_array().unwrap();
    let findings = page["findings"].as_array().unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(!stated.is_empty());
    assert_eq!((stated.len(), stated.len()), (findings.len(), results.len()));
    let mut prints = std::collections::BTreeSet::new();
    for ((stated, finding), result) in stated.iter().zip(findings).zip(results) {
        let rule = &page["rules"][finding["rule"].as_u64().unwrap() as usize];
        assert_eq!((&rule["id"], &finding["level"]), (&stated["rule"], &stated["level"]));
        assert_eq!((&finding["message"], &result["ruleId"]), (&stated["message"], &stated["rule"]));
        assert_eq!(finding["locations"][0]["line"], stated["line"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["region"]["startLine"], stated["line"]);
        if let Some(file) = stated["file"].as_str() {
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            assert!(uri.ends_with(file.rsplit('/').next().unwrap()), "{uri} {file}");
        }
        let steps = stated["steps"].as_array().unwrap();
        let shown = finding["traces"][0]["steps"].as_array().map_or(&[][..], |steps| &steps[..]);
        assert_eq!(steps.len(), shown.len());
        for (step, shown) in steps.iter().zip(shown) {
            assert_eq!(step["line"], shown["at"]["line"]);
            // a step that says nothing shows its line
            assert!(step["text"] == "" && shown["text"] != "" || step["text"] == shown["text"], "{shown}");
        }
        let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        let depths = flow.as_array().into_iter().flatten().map(|step| step["nestingLevel"].as_u64().unwrap());
        let lowest = steps.first().map_or(0, |step| step["depth"].as_u64().unwrap());
        let wanted = steps.iter().map(|step| step["depth"].as_u64().unwrap().saturating_sub(lowest));
        assert!(depths.eq(wanted), "{stated}");
        assert_eq!(result.get("suppressions").is_some(), !stated["suppressed"].is_null());
        assert!(prints.insert(result["partialFingerprints"].to_string()));
    }
    // the sources that were found are in the page
    assert!(page["sources"].as_array().unwrap().iter().any(|source| source["lines"].as_u64() > Some(3)));
}

#[test]
fn drawings_have_their_runs_in_colour() {
    let folder = scratch("report_dot");
    let file = folder.join("runs.dot");
    let drawn = |call: &[&str]| {
        let (_, errors, status) = run(&[call, &["--dot", path(&file), "-q"]].concat());
        assert!(status < 2, "{errors}");
        fs::read_to_string(&file).unwrap()
    };
    let dot = drawn(&["check", "examples/dataflow.rsm", "-p", "A G (def_i -> E F use_i)"]);
    let lines = |start: &str| dot.lines().filter(|line| line.contains(start)).collect::<Vec<_>>();
    assert_eq!(lines("subgraph cluster").len(), 3, "{dot}");
    // the run passes six nodes and two boxes, calls twice and returns once
    let (nodes, edges): (Vec<&str>, Vec<&str>) =
        dot.lines().filter(|line| line.contains("penwidth")).partition(|line| line.contains("label="));
    assert_eq!((nodes.len(), edges.len()), (8, 8), "{dot}");
    assert!(lines("main_14_3").iter().all(|line| !line.contains("penwidth")), "{dot}");

    let dot = drawn(&["check", "examples/smv/mutex.smv", "-p", "AG AF one = critical", "--engine", "bdd"]);
    assert!(dot.contains("label=\"repeats\""), "{dot}");
    let dot = drawn(&["reach", "examples/arbiter.aag", "--to", "ack0"]);
    assert!(dot.contains("ack0 = 1"), "{dot}");
}

#[test]
fn waves_of_searches() {
    let folder = scratch("report_waves");
    let file = folder.join("runs.vcd");
    let (_, errors, status) =
        run(&["reach", "examples/smv/mutex.smv", "--to", "one = critical", "--vcd", path(&file), "-q"]);
    assert_eq!(status, 0, "{errors}");
    let dump = fs::read_to_string(&file).unwrap();
    assert!(dump.contains("$var string 1") && dump.contains("scritical"), "{dump}");
    let (_, errors, status) = run(&["reach", "examples/fig3.rsm", "--to", "black", "--vcd", path(&file)]);
    assert_eq!(status, 2);
    assert!(errors.contains("--vcd is for circuits and SMV models"), "{errors}");
}

#[test]
fn hostile_names_stay_text() {
    let folder = scratch("report_hostile");
    let model = folder.join("<img src=x onerror=alert(1)>.rsm");
    let name = "</script><script>alert(2)</script>\u{202e}\"\\\u{1b}[31m";
    let machine = json!({"initial_component": name, "components": [{"name": name, "boxes": [], "transitions": [],
        "nodes": [{"name": name, "is_entry": true, "is_exit": true, "labels": ["p\u{202e}<b>"]}]}]});
    fs::write(&model, machine.to_string()).unwrap();
    let (page, dot) = (folder.join("a.html"), folder.join("a.dot"));
    let sarif = folder.join("a.sarif");
    let arguments = [
        "check",
        path(&model),
        "-p",
        "A G !\"p\u{202e}<b>\"",
        "-q",
        "--report",
        path(&page),
        "--dot",
        path(&dot),
        "--sarif",
        path(&sarif),
    ];
    let (_, errors, status) = run(&arguments);
    assert_eq!(status, 1, "{errors}");
    let markup = fs::read_to_string(&page).unwrap();
    assert!(!markup.contains("<img") && !markup.contains("alert(2)</script") && !markup.contains('\u{202e}'));
    assert_eq!(data(&page)["findings"][0]["traces"][0]["steps"][0]["text"], name);
    let drawing = fs::read_to_string(&dot).unwrap();
    assert!(!drawing.contains(['\u{202e}', '\u{1b}']));
    let sarif: Value = serde_json::from_str(&fs::read_to_string(&sarif).unwrap()).unwrap();
    let place =
        &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(place.as_str().unwrap().ends_with("%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E.rsm"), "{place}");
}

#[test]
fn files_are_spared() {
    let folder = scratch("report_spared");
    let model = folder.join("model.rsm");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fig3.rsm"), &model).unwrap();
    let same = folder.join("same");
    for (arguments, problem) in [
        (vec!["--report", path(&model)], "this is an input of this call"),
        (vec!["--sarif", "nowhere/x.sarif"], "cannot be written"),
        (vec!["--sarif", path(&same), "--report", path(&same)], "--report and --sarif name the same file"),
    ] {
        let (_, errors, status) =
            run(&[&["check", path(&model), "-p", "E F black"], &arguments[..]].concat());
        assert_eq!(status, 2);
        assert!(errors.contains(problem), "{errors}");
    }
}
