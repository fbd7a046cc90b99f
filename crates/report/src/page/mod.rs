//! Reports as one HTML page that needs no network and no server.
//!
//! The viewer is written in `web/src` and bundled by `cargo run -p xtask -- web` into `viewer.js`
//! and `viewer.css` beside this file. The report is data in the page, never markup or script: JSON
//! in which `<`, `>` and `&` are escaped, shown by the viewer as text only. A content security
//! policy allows the viewer's script and style, by their digests, and nothing else.

mod data;

use loris_base::{is_hidden, visible};
use loris_findings::Report;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{self, Write};

const SCRIPT: &str = include_str!("viewer.js");
const STYLE: &str = include_str!("viewer.css");

/// Writes a report as an HTML page.
///
/// # Errors
/// Those of the writer.
pub fn write_page(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let (script, style) = (digest(SCRIPT), digest(STYLE));
    let title = markup(&format!("{} · Loris", visible(&report.title)));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src 'sha256-{script}'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript><p>This report is shown by a script inside this file, and scripts are switched off. \
         The same results come from <code>loris --format json</code>.</p></noscript>\n\
         <script type=\"application/json\" id=\"report\">"
    )?;
    out.write_all(harmless(&data::json(report)).as_bytes())?;
    write!(out, "</script>\n<script type=\"module\">{SCRIPT}</script>\n</body>\n</html>\n")
}

/// The SHA-256 digest of a text in base 64.
fn digest(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = String::new();
    for chunk in Sha256::digest(text).chunks(3) {
        let number =
            (0..3).fold(0u32, |number, at| number << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * at) & 63) as usize];
            digits.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    digits
}

/// JSON that is not a markup and has no hidden characters. In JSON without line breaks, all of
/// these are in strings, where escapes mean the same.
fn harmless(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        if matches!(c, '<' | '>' | '&') || is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // writing to a string does not fail
                _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

/// Text as the content of an element.
fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use loris_findings::{Finding, Level, Location, Outcome, RuleInfo};

    const HOSTILE: &str = "</script><script>alert(1)</script><!-- \u{202e}\u{2028}\0\" & <img onerror=x>";

    fn page(report: &Report) -> String {
        let mut page = Vec::new();
        write_page(report, &mut page).expect("memory takes all");
        String::from_utf8(page).expect("a page is text")
    }

    #[test]
    fn digests() {
        assert_eq!(digest(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn hostile_text_is_data() {
        let mut report = Report::new(HOSTILE);
        report.add_rule(RuleInfo::new(HOSTILE, Level::Error, HOSTILE));
        report.findings.push(Finding {
            locations: vec![Location::line(HOSTILE, 1)],
            ..Finding::new(HOSTILE, Level::Error, Outcome::Fails, HOSTILE)
        });
        report.add_source(HOSTILE, HOSTILE, &[1].into());
        let page = page(&report);
        // two scripts and one style, and none that the report brought
        assert_eq!(page.matches("<script").count() - SCRIPT.matches("<script").count(), 2);
        assert!(!page.contains("<img") && !page.contains("<!--"));
        assert!(page.chars().all(|c| c == '\n' || !is_hidden(c)));
        let start = page.find("id=\"report\">").expect("the data") + "id=\"report\">".len();
        let end = start + page[start..].find("</script>").expect("its end");
        let data: serde_json::Value = serde_json::from_str(&page[start..end]).expect("JSON");
        assert_eq!(data["findings"][0]["message"], HOSTILE);
        assert_eq!(data["title"], HOSTILE);
        assert_eq!(data["files"][0], HOSTILE);
    }

    #[test]
    fn the_viewer_can_be_embedded() {
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("</style"));
        // nothing is fetched, and no markup is made of text
        for word in ["https://", "fetch(", "XMLHttpRequest", "innerHTML", "eval(", "import("] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
        // the name of the elements of drawings
        assert_eq!(SCRIPT.matches("http:").count(), 1);
        assert!(!STYLE.contains("url("));
    }
}
