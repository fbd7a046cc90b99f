//! Findings as plain data, with their traces, the rules they come from, sources and drawings; what
//! suppresses them, and baselines.
//!
//! Every rendering (text, JSON, SARIF, the HTML page, Graphviz, waveforms) reads a [`Report`], and
//! every kind of input fills one. A finding of a rule about Java, for example, is made like this:
//!
//! ```
//! use loris_findings::{
//!     Call, Finding, Level, Location, Outcome, Report, RuleInfo, Declaration, Suppression, SuppressionKind,
//!     TraceBuilder, TraceStep,
//! };
//! let mut report = Report::new("loris java app.jar");
//! report.add_rule(RuleInfo {
//!     cwe: vec![772],
//!     ..RuleInfo::new("leak", Level::Error, "a resource is not closed on every path")
//! });
//!
//! let mut trace = TraceBuilder::new("a path that leaves the stream open", "com.acme.Main.main");
//! let line = |line| Location::line("com/acme/Main.java", line);
//! trace.step(TraceStep::new("opens the stream").at(line(12)).essential());
//! trace.call(Call { location: Some(line(13)), ..Call::new("parse()", "com.acme.Main.parse") });
//! trace.step(TraceStep::new("throws IOException").at(line(40)));
//! trace.leave();
//! trace.step(TraceStep::new("leaves the method while the stream is open").at(line(15)).essential());
//!
//! let place = line(12).within("com.acme.Main.main(String[])", "function");
//! report.findings.push(Finding {
//!     locations: vec![place],
//!     traces: vec![trace.finish()],
//!     declaration: Some(Declaration::of_method("com.acme.Main", "main", "([Ljava/lang/String;)V")),
//!     assumptions: vec!["com.lib.Codec.init has no code and may throw".to_owned()],
//!     suppressed: Some(Suppression {
//!         kind: SuppressionKind::Annotation,
//!         place: "com/acme/Main.java:11".to_owned(),
//!     }),
//!     ..Finding::new("leak", Level::Error, Outcome::Fails, "the stream is not closed")
//! });
//! assert_eq!(report.findings[0].traces[0].depth(1), 1);
//! ```

mod baseline;
mod cited;
mod confidence;
mod drawing;
mod finding;
mod location;
mod packed;
mod report;
mod source;
mod suppression;
mod trace;
mod undecided;

pub use baseline::Baseline;
pub use confidence::Confidence;
pub use drawing::{Drawing, DrawingKind, DrawnEdge, DrawnKind, DrawnNode, Spot};
pub use finding::{Declaration, Finding, Level, Outcome, Proof, ProofMove, Property, RuleInfo, sort};
pub use location::{Location, Logical};
pub use packed::{Packer, Unpacker};
pub use report::Report;
pub use source::{Excerpt, SourceText};
pub use suppression::{BaselineState, Suppression, SuppressionKind};
pub use trace::{Call, CallFrame, Gap, Importance, Relied, Repeats, Trace, TraceBuilder, TraceStep};
pub use undecided::Undecided;
