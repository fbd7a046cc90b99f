//! Findings as bytes and back; bytes that end early or were changed.

use super::{Packer, Unpacker};
use crate::*;

fn finding() -> Finding {
    let mut trace = TraceBuilder::new("a leak", "a.B.m");
    let place = Location::line("a/B.java", 3).within("a.B.m", "function");
    trace.step(TraceStep::new("opened").at(place.clone()).essential());
    trace.call(Call { location: Some(place.clone()), ..Call::new("a call", "a.C.n") });
    trace.step_with_values(TraceStep::new("in n").note("assumed"), [("x", "1"), ("y", "2")]);
    trace.leave();
    trace.step_with_values(TraceStep::new("back"), [("x", "2")]);
    trace.repeats(1, 2);
    let mut finding = Finding::new("leak", Level::Note, Outcome::Fails, "it leaks");
    finding.locations.push(place);
    finding.traces.push(trace.finish());
    finding.assumptions.push("nobody closes it".to_owned());
    let mut finding = finding.at_most(Confidence::Likely, "a doubt");
    finding.declaration = Some(Declaration::of_method("a.B", "m", "()V"));
    finding.suppressed =
        Some(Suppression { kind: SuppressionKind::Annotation, place: "on a.B.m".to_owned() });
    finding.identity.push("i".to_owned());
    finding.numbered(300)
}

fn packed(finding: &Finding) -> Vec<u8> {
    let mut packer = Packer::default();
    assert!(packer.finding(finding));
    packer.finish()
}

#[test]
fn findings_come_back() {
    let (finding, bytes) = (finding(), packed(&finding()));
    let mut unpacker = Unpacker::new(&bytes);
    assert_eq!(unpacker.finding(), Some(finding));
    assert!(unpacker.is_done());
}

#[test]
fn what_is_not_written_is_refused() {
    let of = |change: fn(&mut Finding)| {
        let mut changed = finding();
        change(&mut changed);
        Packer::default().finding(&changed)
    };
    assert!(of(|_| ()));
    assert!(!of(|it| it.property = Some(Property::default())));
    assert!(!of(|it| it.baseline = Some(BaselineState::New)));
    assert!(!of(|it| it.locations[0] = Location::part("m", "module")));
    assert!(!of(|it| it.traces[0].steps[0].spot = Some(Spot { drawing: 0, node: 0 })));
}

/// Whatever the bytes are, reading them ends, and gives values whose numbers lead somewhere.
#[test]
fn damaged_bytes_are_no_danger() {
    let bytes = packed(&finding());
    let try_it = |bytes: &[u8]| {
        if let Some(found) = Unpacker::new(bytes).finding() {
            for trace in &found.traces {
                (0..trace.steps.len()).for_each(|step| {
                    let _ = (trace.stack(step), trace.values(step));
                });
            }
        }
    };
    for at in 0..bytes.len() {
        assert_eq!(Unpacker::new(&bytes[..at]).finding(), None, "cut at {at}");
        for value in 0..=255 {
            let mut changed = bytes.clone();
            changed[at] = value;
            try_it(&changed);
        }
    }
    assert_eq!(Unpacker::new(&[0xff; 11]).number(), None);
    assert_eq!(Unpacker::new(&[0xff; 9]).count(), None);
}

#[test]
fn copies_of_texts_are_bounded() {
    let mut packer = Packer::default();
    let long = "a".repeat(10_000);
    (0..100_000).for_each(|_| packer.text(&long));
    let bytes = packer.finish();
    let mut unpacker = Unpacker::new(&bytes);
    let copied = std::iter::from_fn(|| unpacker.string()).map(|text| text.len()).sum::<usize>();
    assert!(copied <= 1000 * bytes.len() && !unpacker.is_done(), "{copied}");
}
