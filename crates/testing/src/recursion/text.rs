//! Machines as text, a component a line, the initial one first, and so is the entry within each:
//!
//! ```text
//! M: m1{p} -> c[B], m2; c -> m2!
//! B: b1 -> b2!
//! ```
//!
//! `m1{p q}` carries labels, besides one of its own name; `m2!` is an exit, `m3?` one more entry;
//! `c[B]` is a box that calls `B`, as a target its first entry, as a source its first exit, or node
//! `x` if written `c.x`. One mention has to say so. A comma lists targets, a chain goes on from the
//! last of them, a semicolon ends it.

use loris_rsm::{Draft, Reference, Rsm, RsmBuilder, Semantics};

/// Reads the notation.
pub fn build(machine: &str) -> Rsm {
    let lines = machine.lines().filter_map(|line| line.trim().split_once(": "));
    let parts: Vec<(&str, Vec<Chain<'_>>)> = lines.map(|(name, chains)| (name, read(chains))).collect();
    let mut builder = RsmBuilder::default();
    for (name, chains) in &parts {
        let mut draft = Draft::new(builder.symbol(name), 0);
        let mentions: Vec<&Mention<'_>> = mentions(chains).collect();
        let callee = |name: &str| mentions.iter().find(|m| m.name == name).and_then(|m| m.callee);
        for (i, mention) in mentions.iter().enumerate() {
            if mentions[..i].iter().any(|before| before.name == mention.name) {
                continue;
            }
            let symbol = builder.symbol(mention.name);
            if let Some(callee) = callee(mention.name) {
                draft.site(symbol, 0, builder.symbol(callee), 0);
                continue;
            }
            let same = || mentions[i..].iter().filter(|m| m.name == mention.name);
            let node = draft.node(symbol, 0);
            node.entry = i == 0 || same().any(|m| m.entry);
            node.exit = same().any(|m| m.exit);
            draft.label(symbol);
            same().flat_map(|m| &m.labels).for_each(|label| draft.label(builder.symbol(label)));
        }
        let mut reference = |mention: &Mention<'_>, leaving: bool| {
            let symbol = builder.symbol(mention.name);
            let Some(callee) = callee(mention.name) else { return Reference::node(symbol, 0) };
            let (_, chains) = parts.iter().find(|(name, _)| *name == callee).expect("a component");
            let stands_for = self::mentions(chains).find(|m| !leaving || m.exit).expect("an exit").name;
            Reference::port(symbol, builder.symbol(mention.port.unwrap_or(stands_for)), 0)
        };
        for link in chains.iter().flat_map(|chain| chain.windows(2)) {
            let source = link[0].last().expect("a source");
            link[1].iter().for_each(|target| draft.edge(reference(source, true), reference(target, false)));
        }
        builder.component(draft);
    }
    builder.finish(&Semantics::default()).expect("the examples are valid").0
}

/// The links of `x -> y, z -> …`.
type Chain<'a> = Vec<Vec<Mention<'a>>>;

/// A node or a box where it is mentioned.
struct Mention<'a> {
    name: &'a str,
    port: Option<&'a str>,
    callee: Option<&'a str>,
    labels: Vec<&'a str>,
    exit: bool,
    entry: bool,
}

fn mentions<'a>(chains: &'a [Chain<'a>]) -> impl Iterator<Item = &'a Mention<'a>> {
    chains.iter().flatten().flatten()
}

fn read(chains: &str) -> Vec<Chain<'_>> {
    let link = |link| str::split(link, ',').map(mention).collect();
    chains.split(';').map(|chain| chain.split("->").map(link).collect()).collect()
}

fn mention(text: &str) -> Mention<'_> {
    let (text, exit) = text.trim().strip_suffix('!').map_or((text.trim(), false), |text| (text, true));
    let (text, entry) = text.strip_suffix('?').map_or((text, false), |text| (text, true));
    let within = |open: char, close: char| text.strip_suffix(close).and_then(|text| text.split_once(open));
    let (text, callee) = within('[', ']').map_or((text, None), |(name, callee)| (name, Some(callee)));
    let (text, labels) = within('{', '}').unwrap_or((text, ""));
    let (name, port) = text.split_once('.').map_or((text, None), |(name, port)| (name, Some(port)));
    Mention { name, port, callee, labels: labels.split_whitespace().collect(), exit, entry }
}
