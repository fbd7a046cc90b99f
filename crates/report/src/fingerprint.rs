//! Fingerprints of findings, by which services recognise them.

use loris_findings::{Finding, Report};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The fingerprints of the findings of a report: a digest of the rule and of the
/// [parts](Finding::parts) that identify a finding, and a number that distinguishes findings with the
/// same.
pub(crate) fn fingerprints(report: &Report) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let fingerprint = |finding: &Finding| {
        let mut text = finding.rule.clone();
        for part in finding.parts() {
            text.push('\0');
            text.push_str(&part);
        }
        let bytes = &Sha256::digest(text)[..16];
        let digest = bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let number = seen.entry(digest.clone()).or_insert(0);
        *number += 1;
        format!("{digest}:{number}")
    };
    report.findings.iter().map(fingerprint).collect()
}
