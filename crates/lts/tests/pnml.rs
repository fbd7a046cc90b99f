//! Petri nets in PNML: what is read, what is refused and where, the processes of a net against the
//! net itself, and limits.

#![allow(clippy::unwrap_used)]

mod common;

use common::problems;
use loris_base::{Budget, Exhausted, Idx, Rng, Stopped};
use loris_lts::{Process, StateId, read_pnml};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A net with these places, transitions, arcs and units; places with a star start with a token.
fn pnml(places: &str, transitions: &[(&str, &str, &str)], units: &str) -> String {
    let mut text =
        "<?xml version=\"1.0\"?>\n<pnml xmlns=\"x\"><net id=\"n\" type=\"x/ptnet\"><page id=\"g\">\n"
            .to_owned();
    for place in places.split_whitespace() {
        let (id, tokens) = place.strip_suffix('*').map_or((place, 0), |id| (id, 1));
        writeln!(text, "<place id=\"{id}\"><initialMarking><text>{tokens}</text></initialMarking></place>")
            .unwrap();
    }
    for (id, before, after) in transitions {
        writeln!(text, "<transition id=\"{id}\"/>").unwrap();
        for place in before.split_whitespace() {
            writeln!(text, "<arc id=\"{place}-{id}\" source=\"{place}\" target=\"{id}\"/>").unwrap();
        }
        for place in after.split_whitespace() {
            writeln!(text, "<arc id=\"{id}-{place}\" source=\"{id}\" target=\"{place}\"/>").unwrap();
        }
    }
    if !units.is_empty() {
        let safe = units.starts_with("safe");
        write!(text, "<toolspecific tool=\"nupn\" version=\"1.1\"><structure root=\"r\" safe=\"{safe}\">")
            .unwrap();
        let units: Vec<(&str, &str)> =
            units.split(';').skip(1).map(|unit| unit.split_once(':').unwrap()).collect();
        let inner: Vec<&str> = units.iter().map(|(id, _)| *id).collect();
        write!(text, "<unit id=\"r\"><places/><subunits>{}</subunits></unit>", inner.join(" ")).unwrap();
        for (id, places) in units {
            write!(text, "<unit id=\"{id}\"><places>{places}</places><subunits/></unit>").unwrap();
        }
        writeln!(text, "</structure></toolspecific>").unwrap();
    }
    text + "</page></net></pnml>\n"
}

/// The processes of a net: names, initial states, steps, and the actions that are never taken.
fn shown(processes: &[Process]) -> String {
    let mut text = String::new();
    for process in processes {
        let name = |state: StateId| process.state_name(state).unwrap_or("*").to_owned();
        write!(text, "{} from {}:", process.name(), name(process.initial())).unwrap();
        let mut unused: BTreeSet<&str> = process.actions().iter().skip(1).collect();
        for state in process.states() {
            for step in process.steps(state) {
                unused.remove(process.action_name(step.action));
                let action = process.action_name(step.action);
                write!(text, " {}-{action}->{}", name(state), name(step.target)).unwrap();
            }
        }
        for action in unused {
            write!(text, " +{action}").unwrap();
        }
        text.push_str("; ");
    }
    text
}

fn outcome(text: &str) -> String {
    let budget = &mut Budget::unlimited();
    match read_pnml(text.as_bytes(), budget).and_then(|net| net.cut(false, budget)) {
        Err(stopped) => problems(text, stopped),
        Ok(cut) => {
            let notes: Vec<&str> = cut.notes.sorted().iter().map(|note| &*note.message).collect();
            shown(&cut.processes) + &notes.join("; ")
        }
    }
}

fn check(text: &str, expected: &str) {
    assert_eq!(outcome(text), expected, "{text}");
}

#[test]
fn units_are_processes() {
    check(
        &pnml("a* b c* d", &[("t", "a", "b"), ("u", "b c", "a d"), ("v", "d b", "c b")], "safe;x:a b;y:c d"),
        "x from a: a-t->b b-u->a b-v->b; y from c: c-u->d d-v->c; ",
    );
    // the unit y is entered and left; a transition that takes two tokens of one unit is never taken
    check(
        &pnml("a* b c d", &[("in", "a", "b c"), ("out", "b c", "a"), ("no", "a b", "c")], "safe;x:a b;y:c d"),
        "x from a: a-in->b b-out->a +no; y from (none): (none)-in->c (none)-no->c c-out->(none); ",
    );
    // without units, each place is a process; what touches no place is one of its own
    check(
        &pnml("a* b", &[("t", "a", "b"), ("free", "", ""), ("back", "b", "a")], ""),
        "a from a: a-t->(none) (none)-back->a; b from (none): (none)-t->b b-back->(none); \
         always from *: *-free->*; ",
    );
}

#[test]
fn nets_that_are_not_safe() {
    check(&pnml("a* b*", &[], "safe;x:a b"), "5:1 the unit x is not safe: a and b both start with a token");
    // the file states what is not true
    check(
        &pnml("a* b c*", &[("t", "c", "c b")], "safe;x:a b;y:c"),
        "10:1 the net is not safe: after t, the unit x holds two tokens",
    );
    check(
        &pnml("a*", &[("t", "", "a")], ""),
        "whole the net is not safe: after t, the place a holds two tokens",
    );
    // 2^20 markings, and a unit that is entered from outside: nothing is known but what the file
    // states
    let mut transitions: Vec<(String, String, String)> = Vec::new();
    let mut places = "a* b ".to_owned();
    let mut units = "safe;x:b;y:a".to_owned();
    for i in 0..20 {
        write!(places, "p{i}* q{i} ").unwrap();
        write!(units, ";u{i}:p{i} q{i}").unwrap();
        transitions.push((format!("t{i}"), format!("p{i}"), format!("q{i}")));
        transitions.push((format!("s{i}"), format!("q{i}"), format!("p{i}")));
    }
    transitions.push(("enter".to_owned(), "a".to_owned(), "b".to_owned()));
    let transitions: Vec<(&str, &str, &str)> =
        transitions.iter().map(|(t, b, a)| (&**t, &**b, &**a)).collect();
    let trusted = outcome(&pnml(&places, &transitions, &units));
    assert!(
        trusted.ends_with(
            "units like x hold at most one token is taken on trust: the file states it, \
        and there are too many markings to check it"
        ),
        "{trusted}"
    );
    let doubted = outcome(&pnml(&places, &transitions, &units.replace("safe;", "unknown;")));
    assert!(doubted.contains("it is not known whether the net is safe"), "{doubted}");
}

#[test]
fn problems_of_nets() {
    let net = |inside: &str| format!("<pnml><net id=\"n\" type=\"x/ptnet\">\n{inside}\n</net></pnml>");
    let check = |inside: &str, expected: &str| check(&net(inside), expected);
    check(
        "<place id='p'><initialMarking><text>2</text></initialMarking></place>",
        "2:1 p starts with 2 tokens: the net is not safe",
    );
    check(
        "<place id='p'><initialMarking><text>one</text></initialMarking></place>",
        "2:15 expected a number, found one",
    );
    check(
        "<place/><place id='p'/><transition id='p'/><transition id='tau'/><referencePlace id='q'/>",
        "2:1 this place has no `id`; 2:39 there are two nodes with the id p; \
         2:44 a transition with the id `tau` would be a silent step; 2:66 reference nodes are not supported",
    );
    check(
        "<place id='p'/><transition id='t'/><arc source='p'/>\n<arc source='p' target='p'/>\n\
         <arc source='p' target='u'/>\n<arc source='p' target='t'><inscription><text>3</text></inscription></arc>\n\
         <arc source='p' target='t'/>\n<arc source='t' target='p'><type value='inhibitor'/></arc>\n\
         <arc source='t' target='p'><arctype><text>reset</text></arctype></arc>",
        "2:36 an arc has a `source` and a `target`; 3:1 an arc is between a place and a transition; \
         4:1 there is no node u; 5:1 an arc of weight 3 is not supported; \
         6:1 this is the second such arc: together they have weight 2; \
         7:28 inhibitor arcs are not supported; 8:1 this is the second such arc: together they have weight 2; \
         8:28 reset arcs are not supported",
    );
    check(
        "</net><net id='m' type='x/symmetricnet'>",
        "2:7 several nets in one file are not supported; 2:7 nets of type x/symmetricnet are not supported",
    );
    check(
        "<transition id='t'><delay/></transition><place id='p'><capacity><text>3</text></capacity></place>",
        "2:20 transitions with a delay are not supported; 2:55 places with a capacity are not supported",
    );
}

#[test]
fn problems_of_units() {
    let nupn = |inside: &str| {
        format!(
            "<pnml><net id=\"n\"><place id=\"p\"/><place id=\"q\"/>\n<toolspecific tool=\"nupn\" version=\"1.1\">\n\
                 {inside}\n</toolspecific></net></pnml>"
        )
    };
    let check = |inside: &str, expected: &str| check(&nupn(inside), expected);
    check(
        "<structure root='r'><unit id='r'><places>p p x</places><subunits>s t r</subunits></unit><unit id='s'/></structure>",
        "2:1 the place q is in no unit; 3:21 the unit r is inside of itself; \
         3:44 the place p is in the unit r already; 3:46 there is no place x; 3:68 there is no unit t; \
         3:89 the unit s is inside of itself",
    );
    check(
        "<structure root='r'><unit id='r'><places>p q</places></unit><unit id='r'/><unit id='s'/></structure>",
        "3:61 there are two units with the name r; 3:75 the unit s is in no other unit, and is not the root",
    );
    check(
        "<size places='7' transitions='1' arcs='0'/><structure root='r'><unit id='r'><places>p q</places></unit></structure>",
        "2:1 the units are those of a net with 7 places and 1 transitions, and this one has 2 and 0",
    );
}

#[test]
fn xml() {
    check(
        "\u{feff}<?xml version='1.0'?><!DOCTYPE pnml [<!ENTITY x \">\">]>\n<!-- <net> --><x:pnml xmlns:x='y'><x:net id='n'>\
         <place id='a&amp;&#98;&#x63;'><!-- - --><initialMarking><text> <![CDATA[1]]> </text></initialMarking>\
         <graphics><deep><deeper>&lt;</deeper></deep></graphics></place><name><text>x</text></name>\
         <toolspecific tool='other'><place id='z'/></toolspecific></x:net></x:pnml>\n<!-- end -->\n",
        "a&bc from a&bc:; ",
    );
    check("", "1:1 the file has no element");
    check("<x/>", "1:1 expected the element `pnml`, found `x`");
    check("<pnml/>", "1:1 the file has no net");
    check("<pnml>", "1:7 the file ends inside of the element `pnml`");
    check("<pnml></x>", "1:7 expected `</pnml>`, found `</x>`");
    check("<pnml/></pnml>", "1:8 the element `pnml` was not opened");
    check("<pnml/><pnml/>", "1:8 the document has ended before this element");
    check("<pnml/>x", "1:8 expected an element, found text");
    check("<pnml a>", "1:8 expected the value of the attribute `a`");
    check("<pnml a=b>", "1:9 the value of `a` stands in quotes");
    check("<pnml a='b", "1:9 the value of `a` stands in quotes");
    check("<pnml a='b' a='c'/>", "1:13 the attribute `a` is given twice");
    check("<pnml>&nbsp;</pnml>", "1:7 the entity `&nbsp` is not known");
    check("<pnml>a & b</pnml>", "1:9 the entity `& b` is not known");
    check("<pnml>\n<!-- </pnml>", "2:1 the comment is not closed");
    check("<pnml><![CDATA[ </pnml>", "1:7 the CDATA section is not closed");
    check("<pnml><!x></pnml>", "1:7 expected a tag, a comment or a CDATA section");
    check(&"<pnml>".repeat(20_000), "1:60001 elements are nested deeper than 10000 levels");
}

/// The steps from each marking, by transition.
type Steps = BTreeMap<BTreeSet<String>, BTreeSet<(String, BTreeSet<String>)>>;

/// The steps of a net, by its definition: markings are sets of places.
fn marking_graph(places: &str, transitions: &[(String, String, String)]) -> Option<Steps> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>();
    let start =
        places.split_whitespace().filter_map(|place| place.strip_suffix('*')).map(str::to_owned).collect();
    let mut found = BTreeMap::new();
    let mut work: Vec<BTreeSet<String>> = vec![start];
    while let Some(marking) = work.pop() {
        let mut steps = BTreeSet::new();
        for (t, before, after) in transitions {
            let (before, after) = (words(before), words(after));
            if before.is_subset(&marking) {
                let rest: BTreeSet<String> = marking.difference(&before).cloned().collect();
                if !rest.is_disjoint(&after) {
                    return None;
                }
                let target: BTreeSet<String> = rest.union(&after).cloned().collect();
                steps.insert((t.clone(), target.clone()));
                if !found.contains_key(&target) && target != marking {
                    work.push(target);
                }
            }
        }
        found.insert(marking, steps);
    }
    Some(found)
}

/// The steps of the composition of processes, by its definition.
fn product(processes: &[Process]) -> Steps {
    let alphabet: BTreeSet<&str> =
        processes.iter().flat_map(|process| process.actions().iter().skip(1)).collect();
    let marking = |states: &[StateId]| -> BTreeSet<String> {
        let places = processes.iter().zip(states).filter_map(|(process, &state)| process.state_name(state));
        places.filter(|place| *place != "(none)").map(str::to_owned).collect()
    };
    let mut found = BTreeMap::new();
    let mut work: Vec<Vec<StateId>> = vec![processes.iter().map(Process::initial).collect()];
    while let Some(states) = work.pop() {
        let mut steps = BTreeSet::new();
        for &action in &alphabet {
            let mut target = states.clone();
            let enabled =
                processes.iter().zip(&mut target).all(|(process, state)| match process.find_action(action) {
                    None => true,
                    Some(action) => match process.steps_by(*state, action).next() {
                        None => false,
                        Some(step) => {
                            *state = step.target;
                            true
                        }
                    },
                });
            if enabled {
                steps.insert((action.to_owned(), marking(&target)));
                if !found.contains_key(&marking(&target)) && target != states {
                    work.push(target);
                }
            }
        }
        found.insert(marking(&states), steps);
    }
    found
}

/// The composition of the processes of a net is the net, and nets that are not safe are refused:
/// random nets, cut into random units.
#[test]
fn the_composition_of_the_parts_is_the_net() {
    let (mut same, mut refused) = (0, 0);
    for seed in 0..3000 {
        let rng = &mut Rng::new(seed);
        let units = 1 + rng.below(3);
        let mut places = String::new();
        let mut names: Vec<(usize, String)> = Vec::new();
        let mut text = (if rng.chance(0.5) { "safe" } else { "unknown" }).to_owned();
        for unit in 0..units {
            let count = 1 + rng.below(3);
            let marked = rng.below(count + 1);
            write!(text, ";u{unit}:").unwrap();
            for i in 0..count {
                let name = format!("p{unit}{i}");
                write!(places, "{name}{} ", if i == marked { "*" } else { "" }).unwrap();
                write!(text, "{name} ").unwrap();
                names.push((unit, name));
            }
        }
        let mut transitions = Vec::new();
        for t in 0..rng.below(6) {
            // mostly one place of a unit before, and one after
            let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
            for unit in (0..units).filter(|_| rng.chance(0.6)).collect::<Vec<_>>() {
                let own: Vec<&String> =
                    names.iter().filter(|(u, _)| *u == unit).map(|(_, name)| name).collect();
                if rng.chance(0.9) {
                    before.insert(own[rng.below(own.len())].clone());
                }
                if rng.chance(0.9) {
                    after.insert(own[rng.below(own.len())].clone());
                }
            }
            let list = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(" ");
            transitions.push((format!("t{t}"), list(before), list(after)));
        }
        let borrowed: Vec<(&str, &str, &str)> =
            transitions.iter().map(|(t, b, a)| (&**t, &**b, &**a)).collect();
        let units = if rng.chance(0.8) { text.as_str() } else { "" };
        let file = pnml(&places, &borrowed, units);
        let budget = &mut Budget::unlimited();
        let net = read_pnml(file.as_bytes(), budget)
            .unwrap_or_else(|stopped| panic!("{}", problems(&file, stopped)));
        let graph = marking_graph(&places, &transitions);
        let unit = |place: &str| names.iter().find(|(_, name)| name == place).unwrap().0;
        let is_safe = graph.as_ref().is_some_and(|graph| {
            graph.keys().all(|marking| {
                let held: BTreeSet<usize> = marking.iter().map(|place| unit(place)).collect();
                units.is_empty() || held.len() == marking.len()
            })
        });
        match net.cut(rng.chance(0.5), budget) {
            Ok(cut) => {
                assert!(is_safe && cut.notes.is_empty(), "{seed}");
                assert_eq!(product(&cut.processes), graph.unwrap(), "{seed}\n{file}");
                same += 1;
            }
            Err(stopped) => {
                assert!(!is_safe, "{seed} {}\n{file}", problems(&file, stopped));
                refused += 1;
            }
        }
    }
    assert!(same > 500 && refused > 200, "{same} {refused}");
}

/// Every field is replaced, removed and doubled; nothing panics, and every problem of the text has
/// a place in it.
#[test]
fn every_field_is_changed() {
    let text = pnml("a* b c*", &[("t", "a c", "b c"), ("u", "b", "a")], "safe;x:a b;y:c");
    let (mut read, mut refused) = (0, 0);
    for changed in common::changes(&text) {
        let budget = &mut Budget::unlimited();
        match read_pnml(changed.as_bytes(), budget) {
            Ok(net) => {
                read += 1;
                if let Ok(cut) = net.cut(true, budget) {
                    assert!(cut.processes.iter().all(|process| process.state_count() > 0));
                }
            }
            Err(Stopped::Wrong(problems)) => {
                refused += 1;
                let within = |offset: u64| offset <= changed.len() as u64;
                assert!(
                    problems.sorted().iter().all(|problem| problem.offset.is_some_and(within)),
                    "{changed}"
                );
            }
            Err(Stopped::Exhausted(why)) => panic!("{why}"),
        }
    }
    assert!(read > 200 && refused > 1000, "{read} {refused}");
}

#[test]
fn labels_are_places() {
    let text = pnml("a* b c", &[("t", "a", "b"), ("in", "b", "b c")], "safe;x:a b;y:c");
    let budget = &mut Budget::unlimited();
    let cut = read_pnml(text.as_bytes(), budget).unwrap().cut(true, budget).unwrap_err();
    assert!(problems(&text, cut).contains("after in, the unit y holds two tokens"));
    let text = pnml("a* b", &[("t", "a", "b")], "safe;x:a b");
    let cut = read_pnml(text.as_bytes(), budget).unwrap().cut(true, budget).unwrap();
    let process = &cut.processes[0];
    let labels = |state: usize| -> Vec<String> {
        process.atom_ids().map(|atom| format!("{:?}", process.label(StateId::new(state), atom))).collect()
    };
    assert_eq!(process.atoms().iter().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(
        (labels(0), labels(1)),
        (vec!["True".into(), "False".into()], vec!["False".into(), "True".into()])
    );
}

#[test]
fn limits_hold() {
    let transitions: Vec<(String, String, String)> =
        (0..20_000).map(|i| (format!("t{i}"), format!("p{i}"), format!("p{}", (i + 1) % 20_000))).collect();
    let borrowed: Vec<(&str, &str, &str)> = transitions.iter().map(|(t, b, a)| (&**t, &**b, &**a)).collect();
    let places: Vec<String> = (0..20_000).map(|i| format!("p{i}{}", if i == 0 { "*" } else { "" })).collect();
    let text = pnml(&places.join(" "), &borrowed, &format!("safe;u:{}", places.join(" ").replace('*', "")));
    let run = |mut budget: Budget| {
        let net = read_pnml(text.as_bytes(), &mut budget)?;
        net.cut(false, &mut budget).map(|cut| cut.processes[0].state_count())
    };
    assert_eq!(run(Budget::unlimited()).unwrap(), 20_000);
    assert!(matches!(run(Budget::steps(20_000)), Err(Stopped::Exhausted(Exhausted::Time))));
    for bytes in [1 << 16, 1 << 20, 4 << 20] {
        assert!(matches!(run(Budget::new(None, Some(bytes))), Err(Stopped::Exhausted(Exhausted::Memory))));
    }
}
