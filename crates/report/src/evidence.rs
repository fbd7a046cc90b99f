//! Evidence about models of every kind, as text and as JSON.

use loris_check::{AnyCertificate, Model};
use loris_evidence::MachineNames;
use std::fmt::{self, Write};

/// Evidence as text, if it is about this model; of a path longer than `most` states the middle is
/// left out, and machines are named with their modules if that is asked for.
pub fn text_evidence(
    evidence: &AnyCertificate,
    model: &Model,
    most: usize,
    with_modules: bool,
) -> Option<String> {
    match (evidence, model) {
        (AnyCertificate::Machine(certificate), Model::Machine(machine)) => {
            let names = MachineNames::new(&machine.rsm).with_modules(with_modules);
            Some(certificate.render_with(&names, most))
        }
        (AnyCertificate::Values(certificate), Model::Symbolic(model)) => {
            Some(certificate.render_with(&**model, most))
        }
        (AnyCertificate::Processes(certificate), Model::Processes(processes)) => {
            Some(certificate.render_with(&*processes.system, most))
        }
        _ => None,
    }
}

/// Writes evidence as JSON after what stands before it, such as its key, if it is about this model.
pub fn json_evidence(
    evidence: &AnyCertificate,
    model: &Model,
    before: &str,
    out: &mut impl Write,
) -> fmt::Result {
    match (evidence, model) {
        (AnyCertificate::Machine(certificate), Model::Machine(machine)) => {
            out.write_str(before)?;
            certificate.write_json_with(&MachineNames::new(&machine.rsm), out)
        }
        (AnyCertificate::Values(certificate), Model::Symbolic(model)) => {
            out.write_str(before)?;
            certificate.write_json_with(&**model, out)
        }
        (AnyCertificate::Processes(certificate), Model::Processes(processes)) => {
            out.write_str(before)?;
            certificate.write_json_with(&*processes.system, out)
        }
        _ => Ok(()),
    }
}
