//! What the replay takes and what it refuses.

mod machine;

use loris_base::{Idx, Rng};
use loris_evidence::{AtExit, Evidence, Loop, PathId, covers_initial, relates, replay};
use loris_logic::{Core, RandomCtl, parse};
use loris_rsm::BoxId;
use machine::{CALLS, check_at, evidence, machine, refuses, takes};

#[test]
fn paths_that_show_it() {
    takes("p : s", "0 0 0");
    takes("E F q : s t", "1 1 0");
    takes("E F q : s b.e b.m b.f t", "4 1 0");
    takes("E F q : s b.e b.m b.g b.e b.m b.f t", "7 1 0");
    takes("E [ p U r ] : s b.e b.c.e b.c.m b.c.f", "4 1 0");
    takes("E X q : s t", "1 1 0");
    takes("E G (p | q) : s t t loop 1 2", "2 1 0");
    takes("E G (p | q) : s t x x loop 2 3", "3 1 0");
    takes("E G p : s b.e b.c.e loop 1 2", "2 1 0");
    takes("E G true | E G unknown | p : s", "0 0 0");
    takes("!A G !q : s t", "1 1 0");
}

#[test]
fn claims_that_are_shown() {
    takes("p & E X q : s\n  @0 E X q : s t", "1 1 0");
    takes("E F (q & E X E X q) : s t\n  @1 E X E X q : t t\n    @1 E X q : t x", "3 3 0");
    takes(
        "E G E F r : s b.e b.c.e loop 1 2\n  @0 E F r : s b.e b.m b.f\n  @1 E F r : b.e b.m b.f\n  @2 E F r : b.c.e b.c.m b.c.f",
        "9 4 0",
    );
    // nothing relies on it
    takes("E F q : s t\n  @0 E X p : s b.e\n  @1 E X q : t t", "3 3 0");
}

#[test]
fn claims_that_no_path_shows_are_decided() {
    // in few states
    takes("E F (q & !E X p) : s t", "1 1 0");
    takes("q | !E X p | p : s", "0 0 0");
    takes("E G (!E X r) : s t t loop 1 2", "2 1 0");
    takes("E X (q & !E F p) : s t", "1 1 0");
    takes("E X (q & A G F q) : s t", "1 1 0");
    takes("!E X r : s", "0 0 0");
    takes("!E X r & !E G q : s", "0 0 0");
    takes("!E X r & E X q : s\n  @0 E X q : s t", "1 1 0");
    takes("(q | !E X r) & (!E G q | E X q) : s\n  @0 E X q : s t", "1 1 0");
    takes("E F !E X r : s", "0 1 0");
    takes("p & E X (q & !E X r) : s\n  @0 E X (q & !E X r) : s t", "1 1 0");
    let rsm = machine(CALLS);
    let decided = |text| replay(&rsm, &evidence(&rsm, text), AtExit::Loop).expect("valid").decided;
    assert_eq!(decided("E F (q & !E X p) : s t"), 1);
    assert_eq!(decided("E G (!E X r) : s t t loop 1 2"), 2);
    assert_eq!(decided("q | !E X p | p : s"), 0);
    // what is not so is refused, however far it is to see
    refuses("E X (q & !E F q) : s t", "state 1: `q & !E F q` does not hold here: there is `E F q`");
    refuses("E X (p & !E X E X r) : s b.e", "there is `E X E X r`");
    refuses("A G !r : s", "there is `E F r`");
    refuses("p & !E F r : s", "there is `E F r`");
    refuses("p & A F q : s", "there is `E G !q`");
    refuses("E X (q & A F G r) : s t", "there is `E G F !r`");
    // in every round of a loop, and so in one that was not written down
    refuses("E (G F p & G !E X E X E X q) : s b.e b.c.e loop 1 2", "there is `E X E X E X q`");
}

#[test]
fn claims_that_are_trusted() {
    // stacks of any height lie around
    takes("E X (p & !E F (z & E X z)) : s b.e", "1 1 1");
    takes("p & !E F (z & E X z) : s", "0 0 1");
    // reachability is decided under all stacks, and in all rounds
    takes("E X (p & !E F z) : s b.e", "1 1 0");
    takes("E G !E F z : s b.e b.c.e loop 1 2", "2 1 0");
    takes("!E F z : s", "0 0 0");
    refuses("E X (p & !E F q) : s b.e", "there is `E F q`");
    refuses("E G !E [p U r] : s b.e b.c.e loop 1 2", "there is `E [ p U r ]`");
    // in later rounds the return leads elsewhere
    let below = "E G E F q : s b.e b.c.e loop 1 2\n  @0 E F q : s t\n  @1 E F q : b.e b.m b.f t\n  @2 E F q : b.c.e b.c.m b.c.f b.m b.f t";
    takes(below, "11 4 1");
    let rsm = machine(CALLS);
    let claims = |text| replay(&rsm, &evidence(&rsm, text), AtExit::Loop).expect("valid").trusted_claims;
    assert_eq!(claims(below), ["E F q, again in every round of a growing loop"]);
    assert_eq!(claims("E X (p & !E F (z & E X z)) : s b.e"), ["!E F (z & E X z)"]);
    assert_eq!(claims("E G (!E X z) : s b.e b.c.e loop 1 2"), ["!E X z"]);
}

#[test]
fn absence_alone_is_refused() {
    refuses("!E F (z & E X z) : s", "path 0, state 0: `!E F (z & E X z)` shows nothing that can be replayed");
    refuses("q | !E F (z & E X z) : s", "shows nothing that can be replayed");
    refuses("A G !(z & E X z) : s", "shows nothing that can be replayed");
    takes("!E F (z & E X z) | p : s", "0 0 0");
    // not the whole of it, and the path of E F is there
    takes("E F !E F (z & E X z) : s", "0 1 1");
    let rsm =
        machine("component main\n entry s p\n entry t\n node u\n box b main\n s -> u | t -> b.t | u -> u");
    let error =
        replay(&rsm, &evidence(&rsm, "p | !E F (z & E X z) : s\np | !E F (z & E X z) : t"), AtExit::Loop);
    assert_eq!(error.expect_err("nothing is shown of t").path, 1);
}

#[test]
fn claims_of_later_rounds_are_looked_at() {
    // the second call returns to where nothing is labelled, and so does every later one
    let rsm = machine(
        "component main\n entry s p\n node t q\n box b f\n s -> b.e | b.x -> t | t -> t
         component f\n entry e p\n exit x p\n node d p\n box c f\n e -> x | e -> c.e | c.x -> d | d -> d",
    );
    let shows =
        "E (G p & G F E X E X q) : s b.e b.c.e loop 1 2\n  @1 E X E X q : b.e b.x\n    @1 E X q : b.x t";
    let error = replay(&rsm, &evidence(&rsm, shows), AtExit::Loop).expect_err("not in the second round");
    assert!(error.message.contains("does not hold from here on"), "{error}");
}

#[test]
fn the_end_of_a_run() {
    let falls = "E F (!p & !q & !r) : s t x (sink)";
    check_at(AtExit::Sink, falls, Ok("3 1 0"));
    check_at(AtExit::Sink, "E G !r : s t x (sink) (sink) loop 3 4", Ok("4 1 0"));
    check_at(AtExit::Sink, "E F q : s t x x", Err("state 2: no step"));
    check_at(AtExit::Loop, falls, Err("state 2: no step"));
    check_at(AtExit::Stop, "E G q : s t x x loop 2 3", Err("state 2: no step"));
}

#[test]
fn wrong_steps_and_states() {
    refuses("E F q : s x", "path 0, state 0: no step leads from here to state 1");
    refuses("E F q : s b.m b.f t", "state 0: no step");
    refuses("E F q : s b.e b.m b.f b.e", "state 3: no step");
    refuses("E F q : s b.e b.c.e b.c.m b.c.f b.f t", "state 4: no step");
    refuses("E F q : s b.e b.m b.f b.m", "state 3: no step");
    refuses("E F q : s e", "state 1: this is not a node of the component");
    refuses("E F q : s b.t", "state 1: this is not a node of the component");
    refuses("E F q : b.e b.m b.f t", "does not start in an initial state");
    refuses("E F q : t", "does not start in an initial state");
}

#[test]
fn wrong_claims() {
    refuses("q : s", "`q` does not hold here");
    refuses("E F r : s t", "state 1: `r` does not hold here");
    refuses("E [ p U q ] : s b.e b.m b.f t", "state 3: `p` does not hold here");
    refuses("E X q : s", "two states");
    refuses("E X r : s b.e b.m", "two states");
    refuses("E X q : s b.e", "`q` does not hold here");
    refuses("p : s t", "one state");
    refuses("p : s t t loop 1 2", "a loop shows formulas that start with E only");
    refuses("p & E X q : s", "nothing shows `E X q`");
    refuses("p & E X q : s\n  @0 E X p : s b.e", "nothing shows `E X q`");
    refuses("E X E X q : s t\n  @0 E X q : s t", "state 1: `E X q` is not shown here");
    refuses("p & E X q : s\n  @0 E X q : t x", "path 0, state 0: relies on path 1, which starts elsewhere");
    refuses("p & E X q : s\n  @0 E X q : s b.e", "path 1, state 1: `q` does not hold here");
    refuses("E F q : s t\n  @1 E X p : t t", "path 1, state 1: `p` does not hold here");
    refuses(
        "E F q : s t\n  @2 E X q : t t",
        "path 0, state 1: relies on path 1 in state 2, but this state is the last",
    );
    refuses("E G (p | q) : s t t loop 1 2\n  @9 E X q : t t", "relies on path 1 in state 9");
    refuses("p & !E X q : s\n  @0 E X q : s t", "there is `E X q`");
    refuses("E F G q : s t", "shown by a loop, and there is none");
    refuses("E F ( : s t", "`E F (` is not a formula");
    refuses("F q : s t", "`F q` is about a path, and lacks a quantifier");
}

#[test]
fn wrong_loops() {
    refuses("E G (p | q) : s t t", "there is none");
    refuses("E G (p | q) : s t x loop 1 2", "does not close");
    refuses("E G (p | q) : s t t loop 2 2", "does not end in the last state");
    refuses("E G (p | q) : s t t t loop 1 2", "does not end in the last state");
    refuses("E G (p | q) : s t t loop 1 7", "does not end in the last state");
    refuses("E G p : s b.e b.c.e b.c.m b.c.f b.m loop 3 5", "does not extend");
    refuses("E G p : s b.e b.m b.g b.e loop 1 4", "state 3: `p` does not hold");
    refuses("E G p & E G q : s", "is not shown here: nothing shows `E G p`");
    // from `b` up to `b.c.c`, with a look at `b` in between
    let rsm = machine(CALLS);
    let text = "E G (p | q | r) : s b.e b.c.e b.c.m b.c.f b.m b.g b.e b.c.e b.c.c.e loop 2 9";
    let mut drops = evidence(&rsm, text);
    assert!(replay(&rsm, &drops, AtExit::Loop).expect_err("drops").message.contains("drops below"));
    drops.paths[PathId::new(0)].repeats = Some(Loop { from: 8, to: 9 });
    let error = replay(&rsm, &drops, AtExit::Loop).expect_err("g carries no label");
    assert_eq!((error.path, error.state), (0, 6));
}

#[test]
fn ids_that_do_not_exist() {
    let rsm = machine(CALLS);
    let broken = |change: &dyn Fn(&mut Evidence)| {
        let mut evidence = evidence(&rsm, "p & E X q : s\n  @0 E X q : s t");
        change(&mut evidence);
        assert!(replay(&rsm, &evidence, AtExit::Loop).is_err());
    };
    let root = PathId::new(0);
    let far: PathId = Idx::new(99);
    broken(&|evidence| *evidence = Evidence::default());
    broken(&|evidence| evidence.paths[root].states.clear());
    broken(&|evidence| evidence.paths[root].because[0].evidence = root);
    broken(&|evidence| evidence.paths[root].because[0].evidence = far);
    broken(&|evidence| evidence.also.push(far));
    broken(&|evidence| evidence.paths[root].states[0].node = Some(Idx::new(999)));
    let port = (0..rsm.vertex_count()).map(Idx::new).find(|&v| rsm.box_of(v).is_some());
    broken(&|evidence| evidence.paths[root].states[0].node = port);
    let (far_box, inner): (BoxId, BoxId) = (Idx::new(99), Idx::new(1));
    broken(&|evidence| evidence.paths[root].states[0].stack.push(far_box));
    broken(&|evidence| evidence.paths[root].states[0].stack.push(inner));
}

#[test]
fn empty_procedures_take_one_state() {
    let rsm = machine(
        "component main\n entry s\n node t q\n box b stub\n box d stub\n s -> b.n | b.n -> d.n | d.n -> t | t -> t
         component stub\n stub n p",
    );
    let shows = |text| replay(&rsm, &evidence(&rsm, text), AtExit::Loop).is_ok();
    assert!(shows("E F q : s b.n d.n t"));
    assert!(!shows("E F q : s b.n t"));
    assert!(!shows("E F p : s d.n"));
}

#[test]
fn several_initial_nodes() {
    let rsm = machine("component main\n entry s p\n entry t p\n node u q\n s -> u | t -> u | u -> u");
    let check = |text, ok: bool, holds: bool, fails: bool| {
        let evidence = evidence(&rsm, text);
        assert_eq!(replay(&rsm, &evidence, AtExit::Loop).is_ok(), ok, "{text}");
        assert_eq!(covers_initial(&rsm, &evidence, true).is_ok(), holds, "{text}");
        assert_eq!(covers_initial(&rsm, &evidence, false).is_ok(), fails, "{text}");
    };
    check("E F q : s u\nE F q : t u", true, true, true);
    check("E F q : t u", true, false, true);
    check("E F q : s u\nE F q : s u", false, false, true);
    check("E F q : s u\nE X q : t u", false, true, true);
    check("", false, false, false);
}

#[test]
fn what_has_to_be_shown() {
    let ctl = |text: &str| Core::star(&parse(text).expect("well-formed")).expect("CTL");
    assert!(relates(&ctl("A G (p -> E F q)"), false, "E F (p & !E F q)"));
    // as earlier versions wrote it
    assert!(relates(&ctl("A G (p -> E F q)"), false, "E [ true U (p & !E [ true U q ]) ]"));
    assert!(!relates(&ctl("A G (p -> E F q)"), true, "E F (p & !E F q)"));
    assert!(!relates(&ctl("A G (p -> E F q)"), false, "E F (p & !E F r)"));
    assert!(relates(&ctl("E F q"), true, "E F q"));
    assert!(!relates(&ctl("E F q"), true, "E F ("));
    // `<->` is written out, and a chain of implications becomes a tower of brackets
    let iff = (0..17).map(|i| format!("p{i}")).collect::<Vec<_>>().join(" <-> ");
    let chain = "p -> ".repeat(5000) + "q";
    for text in [iff, chain, "A F E X ".repeat(1000) + "p"] {
        let property = ctl(&text);
        let shows = property.print_within(property.root(), 1 << 26).expect("a few megabytes");
        assert!(relates(&property, true, &shows));
        assert!(!relates(&property, false, &shows));
    }
    for seed in 0..500 {
        let property =
            Core::star(&RandomCtl::new(seed as u32 % 5).generate(&mut Rng::new(seed))).expect("CTL");
        let negated = property.negated();
        assert!(relates(&property, true, &property.print(property.root())), "{property:?}");
        assert!(relates(&property, false, &negated.print(negated.root())), "{property:?}");
        assert!(!relates(&property, true, &negated.print(negated.root())), "{property:?}");
    }
}
