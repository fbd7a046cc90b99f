//! Pages in a real browser, where there is one.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

/// Clicks through reports: stepping, filters, dark mode, phone width, ten thousand results, hostile
/// names, printing. See `web/test/viewer.mjs`.
///
/// Needs: /usr/bin/chromium, node
#[test]
fn pages_work_in_a_browser() {
    let browser = Path::new("/usr/bin/chromium");
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|done| done.status.success());
    if !browser.exists() || !has_node {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/test/viewer.mjs");
    let done =
        Command::new("node").arg(script).arg(env!("CARGO_BIN_EXE_loris")).arg(browser).output().unwrap();
    let (out, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}{errors}");
    assert_eq!(out.lines().filter(|line| line.starts_with("ok: ")).count(), 10, "{out}");
}
