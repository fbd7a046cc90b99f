//! Formats of inputs: which there are, and how one is recognised by its name or by its content.

use std::path::Path;

/// A format that models are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A recursive state machine in JSON.
    Rsm,
    /// A pushdown system in the format of PuMoC.
    Pds,
    /// A pushdown system in the format of JimpleToPDSolver.
    Pdmu,
    /// Modules in the language of NuSMV.
    Smv,
    /// A circuit in AIGER, ASCII or binary.
    Aiger,
    /// A labelled transition system in the Aldébaran format.
    Aut,
    /// A Kripke structure, or one with uncertain steps and unknown labels, in JSON.
    Kmts,
    /// Processes that run in parallel, by the names of their files.
    Composition,
    /// A Petri net, which is cut into processes.
    Pnml,
    /// A Java program: class files, archives of them, or folders.
    Java,
}

/// A kind of models, on which it depends how questions are read. What distinguishes kinds is
/// decided by the methods here, each with a `match`, so that a new kind decides in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatKind {
    /// A machine of nodes and calls; properties are about its labels.
    Machine,
    /// A program of which machines are made, with the labels that are asked about.
    Program,
    /// Modules with variables; properties are about values, and a machine is made for those that
    /// are asked.
    Modules,
    /// A circuit; properties are about its latches, inputs and outputs, and its states are never
    /// listed.
    Circuit,
    /// Processes that run in parallel; properties are about their actions and labels.
    Processes,
}

impl FormatKind {
    /// Whether runs can start in a module of choice.
    pub fn has_modules(self) -> bool {
        match self {
            FormatKind::Machine | FormatKind::Program | FormatKind::Circuit | FormatKind::Processes => false,
            FormatKind::Modules => true,
        }
    }

    /// Whether it is a program, whose files are read each time that it is asked.
    pub fn is_program(self) -> bool {
        match self {
            FormatKind::Machine | FormatKind::Modules | FormatKind::Circuit | FormatKind::Processes => false,
            FormatKind::Program => true,
        }
    }

    /// Whether it is a circuit, which has no nodes.
    pub fn is_circuit(self) -> bool {
        match self {
            FormatKind::Machine | FormatKind::Program | FormatKind::Modules | FormatKind::Processes => false,
            FormatKind::Circuit => true,
        }
    }

    /// Whether states are valuations of variables.
    pub fn has_variables(self) -> bool {
        match self {
            FormatKind::Machine | FormatKind::Program | FormatKind::Processes => false,
            FormatKind::Modules | FormatKind::Circuit => true,
        }
    }

    /// Whether it is made of processes that run in parallel.
    pub fn is_parallel(self) -> bool {
        match self {
            FormatKind::Machine | FormatKind::Program | FormatKind::Modules | FormatKind::Circuit => false,
            FormatKind::Processes => true,
        }
    }

    /// Why a model of this kind is not a machine of nodes and calls, if it is not, and what can be
    /// asked instead.
    pub(crate) fn no_machine(self) -> Option<(&'static str, Option<&'static str>)> {
        match self {
            FormatKind::Machine | FormatKind::Program | FormatKind::Modules => None,
            FormatKind::Circuit => Some(("a circuit has no machine of nodes and calls", None)),
            FormatKind::Processes => Some((
                "parallel processes have no machine of nodes and calls",
                Some(
                    "whether an action or a label can be reached is the property `E F <a>tt` or `E F p`, which \
                     `loris check` decides",
                ),
            )),
        }
    }

    /// Why a model of this kind is not written in the formats of machines, if it is not.
    pub(crate) fn not_converted(self) -> Option<&'static str> {
        match self {
            FormatKind::Machine | FormatKind::Program | FormatKind::Modules => None,
            FormatKind::Circuit => Some("a circuit is written as a circuit only: as .aig or .aag"),
            FormatKind::Processes => Some("processes are not written as models of another kind"),
        }
    }
}

/// Each format with its name and a line on it.
pub const FORMATS: [(&str, Format, &str); 10] = [
    ("rsm", Format::Rsm, "A recursive state machine in JSON: .rsm, .json"),
    ("pds", Format::Pds, "A pushdown system of PuMoC: .pds"),
    ("pdmu", Format::Pdmu, "A pushdown system of JimpleToPDSolver: .pdmu"),
    ("smv", Format::Smv, "Modules in the language of NuSMV, with CALL and EXIT: .smv"),
    ("aiger", Format::Aiger, "A circuit in AIGER: .aig, .aag"),
    ("aut", Format::Aut, "A labelled transition system in the Aldébaran format: .aut"),
    ("kmts", Format::Kmts, "A Kripke structure in JSON, steps and labels perhaps uncertain: .kmts"),
    ("par", Format::Composition, "Processes that run in parallel, by their files: .par, net.json"),
    ("pnml", Format::Pnml, "A Petri net, whose units run in parallel: .pnml"),
    ("java", Format::Java, "A Java program: .jar, .war, .ear, .jmod, .class, a folder of these"),
];

impl Format {
    /// The format that an extension stands for.
    pub fn of(path: &Path) -> Option<Self> {
        if path.file_name().is_some_and(|name| name == "net.json") {
            return Some(Format::Composition);
        }
        let Some(extension) = extension(path) else { return path.is_dir().then_some(Format::Java) };
        match &*extension {
            "rsm" | "json" => Some(Format::Rsm),
            "pds" => Some(Format::Pds),
            "pdmu" => Some(Format::Pdmu),
            "smv" => Some(Format::Smv),
            "aig" | "aag" => Some(Format::Aiger),
            "aut" => Some(Format::Aut),
            "kmts" => Some(Format::Kmts),
            "par" => Some(Format::Composition),
            "pnml" => Some(Format::Pnml),
            "jar" | "war" | "ear" | "jmod" | "class" => Some(Format::Java),
            _ => path.is_dir().then_some(Format::Java),
        }
    }

    /// The kind of models that it describes.
    pub fn kind(self) -> FormatKind {
        match self {
            Format::Rsm | Format::Pds | Format::Pdmu => FormatKind::Machine,
            Format::Java => FormatKind::Program,
            Format::Smv => FormatKind::Modules,
            Format::Aiger => FormatKind::Circuit,
            Format::Aut | Format::Kmts | Format::Composition | Format::Pnml => FormatKind::Processes,
        }
    }

    /// The words of all, as a list.
    pub(crate) fn names() -> String {
        let names = FORMATS.map(|(name, ..)| name);
        let (last, others) = names.split_last().expect("there are formats");
        format!("{} or {last}", others.join(", "))
    }

    /// Its word.
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|(_, format, _)| *format == self).expect("FORMATS lists every format").0
    }
}

/// A format of automata and peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeerFormat {
    Hoa,
    Aut,
}

impl PeerFormat {
    /// The format that an extension stands for.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match &*extension(path)? {
            "hoa" => Some(PeerFormat::Hoa),
            "aut" => Some(PeerFormat::Aut),
            _ => None,
        }
    }
}

/// The extension of a path, in lower case.
pub fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// The format that the content of an input suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Model(Format),
    Peer(PeerFormat),
    Empty,
    Unknown,
}

/// Recognises an input by its first bytes: each format starts with something that no other starts
/// with.
pub(crate) fn recognised(head: &[u8]) -> Content {
    if head.starts_with(b"PK\x03\x04")
        || head.starts_with(&[0xCA, 0xFE, 0xBA, 0xBE])
        || head.starts_with(b"JM\x01\0")
    {
        return Content::Model(Format::Java);
    }
    let text = String::from_utf8_lossy(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head));
    // comments of SMV start with `--` or `/--`, those of PDS with `#`
    let mut rest = text.trim_start();
    let mut last = Content::Empty;
    loop {
        let (format, end) = if rest.starts_with("/--") {
            (Format::Smv, rest.find("--/").map(|end| end + 3))
        } else if rest.starts_with("--") {
            (Format::Smv, rest.find('\n'))
        } else if rest.starts_with('#') {
            (Format::Pds, rest.find('\n'))
        } else {
            break;
        };
        last = Content::Model(format);
        rest = end.map_or("", |end| rest[end..].trim_start());
    }
    if rest.is_empty() {
        return last;
    }
    let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next().unwrap_or_default();
    match word {
        "HOA:" => return Content::Peer(PeerFormat::Hoa),
        "des" => return Content::Peer(PeerFormat::Aut),
        "Rules:" | "Propositions:" => return Content::Model(Format::Pdmu),
        "MODULE" => return Content::Model(Format::Smv),
        "aag" | "aig" => return Content::Model(Format::Aiger),
        _ => {}
    }
    let line = rest.lines().next().unwrap_or_default();
    if rest.starts_with("<?xml") || rest.starts_with("<pnml") {
        Content::Model(Format::Pnml)
    } else if rest.starts_with(['{', '[']) {
        Content::Model(Format::Rsm)
    } else if rest.starts_with('(') || word == "ATOMS" || line.contains('<') && line.contains("-->") {
        Content::Model(Format::Pds)
    } else {
        Content::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::{Content, Format, PeerFormat, recognised};
    use std::path::Path;

    fn check(text: &str, expected: Content) {
        assert_eq!(recognised(text.as_bytes()), expected, "{text}");
    }

    #[test]
    fn content() {
        let model = Content::Model;
        check("{\"components\": []}", model(Format::Rsm));
        check("\u{feff} \n{", model(Format::Rsm));
        check("(q <main>)\nq <main> --> q <>\n", model(Format::Pds));
        check("# a comment\n\n# another\nATOMS p q\n", model(Format::Pds));
        check("q <a> --> q <>\n", model(Format::Pds));
        check("# only a comment", model(Format::Pds));
        check("Rules:\nq f -> q _;\n", model(Format::Pdmu));
        check("MODULE main\n", model(Format::Smv));
        check("-- a comment\n/-- and\nanother --/ MODULE main", model(Format::Smv));
        check("-- only a comment", model(Format::Smv));
        check("/-- never closed", model(Format::Smv));
        check("HOA: v1\n", Content::Peer(PeerFormat::Hoa));
        check("des (0, 1, 2)\n", Content::Peer(PeerFormat::Aut));
        check("", Content::Empty);
        check(" \n", Content::Empty);
        check("aag 1 2 3", model(Format::Aiger));
        check("aig 1 2 3\n\u{1}\u{2}", model(Format::Aiger));
        check("<?xml version=\"1.0\"?>\n<!-- --><pnml>", model(Format::Pnml));
        check("<pnml xmlns=\"x\">", model(Format::Pnml));
        check("PK\u{3}\u{4}", model(Format::Java));
        check("aigs", Content::Unknown);
        check("design", Content::Unknown);
        check("\u{fffd}\0", Content::Unknown);
    }

    #[test]
    fn extensions() {
        let formats = [
            ("m.SMV", Some(Format::Smv)),
            ("m.Json", Some(Format::Rsm)),
            ("m.txt", None),
            ("-", None),
            ("a.JAR", Some(Format::Java)),
            ("src", Some(Format::Java)),
        ];
        for (path, expected) in formats {
            assert_eq!(Format::of(Path::new(path)), expected, "{path}");
        }
        assert_eq!(PeerFormat::of(Path::new("a.HOA")), Some(PeerFormat::Hoa));
    }
}
