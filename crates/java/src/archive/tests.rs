//! Archives of all kinds, damaged ones and ones that inflate too far.

use super::{Given, class_files};
use crate::program::ClassOrigin;
use loris_base::{Budget, Exhausted};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const CLASS: &[u8] = &[0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52];

fn jar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in entries {
        writer.start_file(*name, options).expect("in memory");
        writer.write_all(bytes).expect("in memory");
    }
    writer.finish().expect("in memory").into_inner()
}

fn read(bytes: Vec<u8>) -> (Vec<String>, Vec<String>) {
    let given = Given { path: "a.jar".into(), origin: ClassOrigin::Application, bytes };
    let files = class_files(vec![given], &mut Budget::unlimited()).expect("no limit");
    let shown = |origin| if origin == ClassOrigin::Library { " (library)" } else { "" };
    (
        files.inputs.iter().map(|input| format!("{}{}", input.path, shown(input.origin))).collect(),
        files.problems.iter().map(|problem| format!("{}: {}", problem.path, problem.error)).collect(),
    )
}

fn check(bytes: Vec<u8>, inputs: &[&str], problems: &[&str]) {
    let (found, wrong) = read(bytes);
    assert_eq!(found, inputs);
    assert_eq!(wrong.len(), problems.len(), "{wrong:?}");
    for (found, expected) in wrong.iter().zip(problems) {
        assert!(found.contains(expected), "{found:?} has no {expected:?}");
    }
}

const VARIANTS: &[u8] = b"Manifest-Version: 1.0\r\nmulti-release:  True\r\n\r\n";

#[test]
fn archives_are_read() {
    check(CLASS.to_vec(), &["a.jar"], &[]);
    check(
        jar(&[("p/A.class", CLASS), ("p/a.txt", b"x"), ("B.class", CLASS)]),
        &["a.jar!/p/A.class", "a.jar!/B.class"],
        &[],
    );
    // names are only names
    check(
        jar(&[("../../A.class", CLASS), ("/B.class", CLASS)]),
        &["a.jar!/../../A.class", "a.jar!//B.class"],
        &[],
    );
    let jmod = [&b"JM\x01\0"[..], &jar(&[("classes/A.class", CLASS), ("lib/B.class", CLASS)])].concat();
    check(jmod, &["a.jar!/classes/A.class"], &[]);
    check(b"hello".to_vec(), &[], &["neither a class file nor an archive"]);
    check(Vec::new(), &[], &["neither a class file nor an archive"]);
    check(b"PK\x03\x04".to_vec(), &[], &["the archive cannot be read"]);
}

#[test]
fn the_newest_variant_is_taken() {
    let entries = |manifest: &'static [u8]| {
        jar(&[
            ("A.class", CLASS),
            ("B.class", CLASS),
            ("META-INF/MANIFEST.MF", manifest),
            ("META-INF/versions/9/A.class", CLASS),
            ("META-INF/versions/21/A.class", CLASS),
            ("META-INF/versions/11/A.class", CLASS),
            ("META-INF/versions/99/A.class", CLASS),
            ("META-INF/versions/11/C.class", CLASS),
        ])
    };
    check(
        entries(VARIANTS),
        &["a.jar!/META-INF/versions/21/A.class", "a.jar!/B.class", "a.jar!/META-INF/versions/11/C.class"],
        &[],
    );
    check(
        entries(b"Manifest-Version: 1.0\n\nMulti-Release: true\n"),
        &["a.jar!/A.class", "a.jar!/B.class"],
        &[],
    );
}

#[test]
fn archives_in_archives_are_read() {
    let inner = jar(&[("C.class", CLASS)]);
    let war = jar(&[("WEB-INF/classes/B.class", CLASS), ("WEB-INF/lib/c.JAR", &inner)]);
    check(
        jar(&[("b.war", &war), ("A.class", CLASS)]),
        &[
            "a.jar!/A.class",
            "a.jar!/b.war!/WEB-INF/classes/B.class",
            "a.jar!/b.war!/WEB-INF/lib/c.JAR!/C.class (library)",
        ],
        &[],
    );
    let mut nested = jar(&[("A.class", CLASS)]);
    for _ in 0..10 {
        nested = jar(&[("x.jar", &nested)]);
    }
    check(nested, &[], &["a depth of 4"]);
}

#[test]
fn damaged_entries_are_problems_of_their_own() {
    let whole = jar(&[("A.class", &CLASS.repeat(50)), ("B.class", &CLASS.repeat(40))]);
    // a byte of the first entry's data: its name ends before
    let mut damaged = whole.clone();
    let data = whole.windows(7).position(|bytes| bytes == b"A.class").expect("its name") + 9;
    damaged[data] ^= 0xFF;
    check(damaged, &["a.jar!/B.class"], &["a.jar!/A.class: cannot be read"]);
    // every byte flipped, every length: never a panic
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xFF;
        read(damaged);
        read(whole[..at].to_vec());
    }
}

#[test]
fn what_is_inflated_is_bounded() {
    let mut bomb = CLASS.to_vec();
    bomb.resize(200 << 20, 0);
    let bomb = jar(&[("A.class", &bomb), ("B.class", CLASS)]);
    assert!(bomb.len() < 1 << 20);
    check(bomb.clone(), &["a.jar!/B.class"], &["a.jar!/A.class: it inflates to far more"]);
    // many entries that are allowed each, together are not
    let mut part = CLASS.to_vec();
    part.resize(20 << 20, 0);
    let names: Vec<String> = (0..8).map(|number| format!("{number}.class")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &*part)).collect();
    let (inputs, problems) = read(jar(&many));
    assert_eq!(inputs.len() + problems.len(), 8);
    assert!(inputs.len() < 6, "{inputs:?}");
    let given = Given { path: "a.jar".into(), origin: ClassOrigin::Application, bytes: jar(&many) };
    let limited = class_files(vec![given], &mut Budget::new(None, Some(30 << 20)));
    assert_eq!(limited.err(), Some(Exhausted::Memory));
}
