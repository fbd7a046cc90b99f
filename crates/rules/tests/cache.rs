//! Findings with a cache are those without it, whatever changes between runs: class files, rules,
//! libraries, options, the program that judges, and the files of the cache.

#![allow(clippy::unwrap_used)]

use loris_base::{Budget, Rng};
use loris_load::{Reading, Words};
use loris_rules::{CacheOptions, JavaRequest, JudgeOptions, Refused, judge};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with class files, and one for the cache.
struct Scratch(PathBuf);

impl Scratch {
    fn empty(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("loris-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("classes")).unwrap();
        Self(folder)
    }

    fn new(name: &str) -> Self {
        let scratch = Self::empty(name);
        for path in originals() {
            fs::copy(&path, scratch.classes().join(path.file_name().unwrap())).unwrap();
        }
        scratch
    }

    fn classes(&self) -> PathBuf {
        self.0.join("classes")
    }

    fn cache(&self) -> PathBuf {
        self.0.join("cache")
    }

    fn request(&self, build: &str) -> JavaRequest {
        let cache = CacheOptions { folder: self.cache(), build: build.to_owned() };
        JavaRequest { program: vec![self.classes()], cache: Some(cache), ..JavaRequest::default() }
    }

    /// The file of the cache, if there is one.
    fn file(&self) -> PathBuf {
        let found =
            sorted(&self.cache()).into_iter().find(|path| path.extension().is_some_and(|it| it == "java"));
        found.expect("a file of the cache")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

/// The class files in a folder.
fn classes_in(folder: &Path) -> Vec<PathBuf> {
    let files = sorted(folder).into_iter();
    files.filter(|path| path.extension().is_some_and(|it| it == "class")).collect()
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

fn originals() -> Vec<PathBuf> {
    let folders = ["classes", "confidence", "contracts", "cached"];
    folders.iter().flat_map(|folder| classes_in(&programs().join(folder))).collect()
}

/// All that a run reports, problems included.
fn outcome(request: JavaRequest, budget: Budget) -> String {
    let mut reading = Reading::new(budget, Words::default());
    let judged = judge(request, 2, &mut reading);
    let found: Vec<String> = reading
        .found()
        .into_iter()
        .map(|(input, problems)| format!("{} {:?}", input.name(), problems.sorted()))
        .collect();
    match judged {
        Ok(judged) => format!("{:#?}\n{:#?}\n{found:#?}", judged.report, judged.below_bar),
        Err(why) => format!("{why:?}\n{found:#?}"),
    }
}

fn unlimited(request: JavaRequest) -> String {
    outcome(request, Budget::unlimited())
}

/// Compares a run with the cache to one without it.
fn check(request: &JavaRequest, what: &str) -> String {
    let fresh = unlimited(JavaRequest { cache: None, ..request.clone() });
    let kept = unlimited(request.clone());
    if fresh != kept {
        let line = fresh.lines().zip(kept.lines()).position(|(one, other)| one != other).unwrap_or(0);
        let around =
            |text: &str| text.lines().skip(line.saturating_sub(5)).take(10).collect::<Vec<_>>().join("\n");
        panic!("{what}: line {line}\n{}\n-- with the cache\n{}", around(&fresh), around(&kept));
    }
    kept
}

/// Opcodes that can stand for each other: branches, constants, and what drops a value.
const ALIKE: [(u8, u8); 6] =
    [(0x99, 0x9a), (0xc6, 0xc7), (0xa5, 0xa6), (0x9f, 0xa0), (0x03, 0x04), (0xb0, 0xbf)];

/// Changes a byte: mostly one that looks like an opcode, or the letter of a name.
fn edit(rng: &mut Rng, bytes: &mut [u8]) {
    let spots: Vec<(usize, u8)> = match rng.below(4) {
        0 | 1 => {
            let of = |(at, &byte): (usize, &u8)| {
                let other = ALIKE.iter().find_map(|&(one, other)| match byte {
                    _ if byte == one => Some(other),
                    _ if byte == other => Some(one),
                    _ => None,
                });
                Some((at, other?))
            };
            bytes.iter().enumerate().filter_map(of).collect()
        }
        2 => {
            let of = |at: usize| {
                let names = [&b"close"[..], b"lock", b"unlock", b"open", b"Closeable", b"Leaks$", b"read"];
                let found = names.iter().find(|name| bytes[at..].starts_with(name))?;
                Some((at + rng.below(found.len()), b"acelx"[rng.below(5)]))
            };
            (0..bytes.len()).filter_map(of).collect()
        }
        _ => vec![(rng.below(bytes.len()), rng.below(256) as u8)],
    };
    if !spots.is_empty() {
        let (at, byte) = spots[rng.below(spots.len())];
        bytes[at] = byte;
    }
}

/// Changes the class files in a folder; says how. Some of them are there in several forms.
fn change(rng: &mut Rng, folder: &Path, forms: &[PathBuf]) -> String {
    let files: Vec<PathBuf> = sorted(folder);
    let file = &files[rng.below(files.len())];
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    match rng.below(10) {
        0 => {
            fs::remove_file(file).unwrap();
            format!("{name} is gone")
        }
        1 => {
            // classes are read in the order of the names of their files
            fs::rename(file, folder.join(format!("{}{name}", b"AMz"[rng.below(3)] as char))).unwrap();
            format!("{name} has another name")
        }
        2 | 3 => {
            let form = &forms[rng.below(forms.len())];
            let name = form.file_name().unwrap();
            fs::copy(form, folder.join(name)).unwrap();
            format!("{} is there again", name.display())
        }
        _ => {
            let mut bytes = fs::read(file).unwrap();
            edit(rng, &mut bytes);
            fs::write(file, bytes).unwrap();
            format!("{name} is edited")
        }
    }
}

#[test]
fn random_edits() {
    let (scratch, originals) = (Scratch::new("edits"), originals());
    let forms: Vec<PathBuf> =
        originals.iter().cloned().chain(classes_in(&programs().join("cached/changed"))).collect();
    for seed in 0..loris_testing::cases(4) {
        let mut rng = Rng::new(seed);
        for path in &originals {
            fs::copy(path, scratch.classes().join(path.file_name().unwrap())).unwrap();
        }
        let all = JudgeOptions {
            strict: seed % 2 == 1,
            runtime_exceptions: seed % 3 == 2,
            ..JudgeOptions::default()
        };
        let request = JavaRequest { all_rules: seed % 2 == 0, options: all, ..scratch.request("1") };
        check(&request, "at first");
        for _ in 0..8 {
            let changes: Vec<String> =
                (0..=rng.below(2)).map(|_| change(&mut rng, &scratch.classes(), &forms)).collect();
            check(&request, &format!("seed {seed}: {changes:?}"));
        }
        fs::remove_dir_all(scratch.classes()).unwrap();
        fs::create_dir_all(scratch.classes()).unwrap();
    }
}

/// The rules, methods and confidences of what is found in a class.
fn found_in(class: &str, request: &JavaRequest) -> Vec<String> {
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    let judged = judge(JavaRequest { cache: None, ..request.clone() }, 2, &mut reading).unwrap();
    let all = judged.report.findings.iter().chain(&judged.below_bar);
    let here = all.filter(|finding| finding.class() == class);
    here.map(|it| format!("{} {} {:?} {:?}", it.rule, it.method().1, it.confidence, it.doubts)).collect()
}

/// What is found in a class depends on what other classes make of it: which fields any method
/// assigns, which methods a call may run, what these return and where they store what they get, and
/// what a constructor runs.
#[test]
fn facts_of_other_classes() {
    let programs = programs().join("cached");
    let scratch = Scratch::empty("facts");
    let copy = |from: &Path| fs::copy(from, scratch.classes().join(from.file_name().unwrap())).unwrap();
    for path in classes_in(&programs) {
        copy(&path);
    }
    let request = scratch.request("1");
    let (first, before) = (check(&request, "at first"), found_in("Facts", &request));
    let changed = classes_in(&programs.join("changed"));
    for (path, method) in changed.iter().zip(["made", "received", "dropped", "stored", "tested"]) {
        let name = path.file_name().unwrap();
        copy(path);
        check(&request, &format!("{} is another one", name.display()));
        let after = found_in("Facts", &request);
        let differs = |one: &[String], other: &[String]| {
            one.iter().filter(|it| !other.contains(it)).all(|it| it.contains(&format!(" {method} ")))
        };
        assert!(before != after, "{}", name.display());
        assert!(differs(&before, &after) && differs(&after, &before), "{before:#?} {after:#?}");
        match programs.join(name) {
            known if known.exists() => drop(copy(&known)),
            _ => fs::remove_file(scratch.classes().join(name)).unwrap(),
        }
        assert_eq!(check(&request, "as at first"), first);
    }
}

const OWN: &str = "[[rule]]\nid = \"own\"\nmessage = \"MESSAGE\"\n[rule.object]\nat = [\"resource\"]\n\
    property = \"A G !(opened & E F lost)\"\n";

#[test]
fn rules_options_libraries_and_builds() {
    let scratch = Scratch::new("questions");
    let rules = scratch.0.join("own.toml");
    let request = JavaRequest { rules_files: vec![rules.clone()], ..scratch.request("1") };
    fs::write(&rules, OWN).unwrap();
    let first = check(&request, "own rule");
    assert!(first.contains("MESSAGE"));
    fs::write(&rules, OWN.replace("MESSAGE", "OTHER")).unwrap();
    assert!(check(&request, "another message").contains("OTHER"));
    fs::write(&rules, OWN.replace("lost", "escaped")).unwrap();
    check(&request, "another property");
    fs::write(&rules, format!("{OWN}x")).unwrap();
    check(&request, "a wrong file");
    fs::write(&rules, OWN).unwrap();
    assert_eq!(check(&request, "as at first"), first);

    let strict =
        JavaRequest { options: JudgeOptions { strict: true, ..JudgeOptions::default() }, ..request.clone() };
    assert_ne!(check(&strict, "strict"), first);
    let entry = |name: &str| JavaRequest {
        options: JudgeOptions { entries: vec![name.to_owned()], ..JudgeOptions::default() },
        ..request.clone()
    };
    check(&entry("Leaks.*"), "an entry");
    check(&entry("Nothing.at.all"), "a wrong entry");
    check(&entry("Nothing.at.all"), "a wrong entry again");

    // a class of the program becomes one of a library, and changes there
    let library = scratch.0.join("library");
    fs::create_dir_all(&library).unwrap();
    let holder = "Leaks$Wrapper.class";
    fs::rename(scratch.classes().join(holder), library.join(holder)).unwrap();
    let request = JavaRequest { library: vec![library.clone()], ..request };
    check(&request, "a library");
    let mut rng = Rng::new(7);
    for _ in 0..5 {
        let mut bytes = fs::read(library.join(holder)).unwrap();
        edit(&mut rng, &mut bytes);
        fs::write(library.join(holder), bytes).unwrap();
        check(&request, "a changed library");
    }
    fs::remove_file(library.join(holder)).unwrap();
    check(&request, "an empty library");

    // results of another build do not count: what they are is replaced
    let contents = || -> Vec<(PathBuf, Vec<u8>)> {
        let files = sorted(&scratch.cache()).into_iter();
        files.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    };
    let before = contents();
    let other =
        JavaRequest { cache: Some(CacheOptions { folder: scratch.cache(), build: "2".into() }), ..request };
    check(&other, "another build");
    let after = contents();
    assert_eq!(before.len(), after.len());
    assert_eq!(before.iter().zip(&after).filter(|(one, other)| one != other).count(), 1);
}

#[test]
fn damaged_files() {
    let scratch = Scratch::new("damage");
    let request = scratch.request("1");
    check(&request, "at first");
    let (file, whole) = (scratch.file(), fs::read(scratch.file()).unwrap());
    let mut rng = Rng::new(3);
    for round in 0..6 {
        let mut bytes = whole.clone();
        match round {
            0 => bytes.clear(),
            1 => bytes.truncate(rng.below(whole.len())),
            2 => bytes.extend([0; 7]),
            _ => bytes[rng.below(whole.len())] ^= 1 << rng.below(8),
        }
        fs::write(&file, &bytes).unwrap();
        check(&request, "damaged");
        assert!(fs::read(&file).unwrap() == whole, "the same file is written again");
    }
    // not even a file, and a folder that cannot be made
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let kept = unlimited(request.clone());
    assert!(kept.contains("the cache cannot be written"), "{kept}");
    let inside = CacheOptions { folder: scratch.classes().join("Leaks.class/cache"), build: "1".into() };
    let kept = unlimited(JavaRequest { cache: Some(inside), ..request.clone() });
    assert!(kept.contains("the cache cannot be written"), "{kept}");
    let fresh = unlimited(JavaRequest { cache: None, ..request });
    assert_eq!(kept.lines().next(), fresh.lines().next());
    assert_eq!(kept.matches("fingerprint").count(), fresh.matches("fingerprint").count());
}

#[test]
fn several_at_once() {
    let scratch = Scratch::new("together");
    let request = scratch.request("1");
    let fresh = unlimited(JavaRequest { cache: None, ..request.clone() });
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| (0..4).map(|_| unlimited(request.clone())).collect::<Vec<_>>()))
            .collect();
        for run in runs {
            run.join().unwrap().iter().for_each(|found| assert!(*found == fresh));
        }
    });
    // nothing is left aside
    let names: Vec<PathBuf> = sorted(&scratch.cache());
    assert_eq!(names.len(), 3, "{names:?}");
}

/// A second run costs what changed: it is done within limits that the first run reaches. What a
/// limit left is not kept.
#[test]
fn a_second_run_is_cheaper() {
    let scratch = Scratch::new("cheaper");
    let request = scratch.request("1");
    let fresh = unlimited(JavaRequest { cache: None, ..request.clone() });
    // the steps that a run needs; it starts with what is kept now
    let needed = |cache: bool| {
        let cache = request.cache.clone().filter(|_| cache);
        let kept = cache.is_some().then(|| (scratch.file(), fs::read(scratch.file()).unwrap()));
        let (mut few, mut enough) = (0_u64, 1_u64 << 22);
        while few + 1024 < enough {
            let steps = few.midpoint(enough);
            let request = JavaRequest { cache: cache.clone(), ..request.clone() };
            let is_enough = outcome(request, Budget::steps(steps)) == fresh;
            *(if is_enough { &mut enough } else { &mut few }) = steps;
            if let Some((file, bytes)) = &kept {
                fs::write(file, bytes).unwrap();
            }
        }
        enough
    };
    let without = needed(false);
    for part in 1..8 {
        outcome(request.clone(), Budget::steps(without / 8 * part));
        assert_eq!(unlimited(request.clone()), fresh, "after {part} of 8 parts");
        fs::remove_file(scratch.file()).unwrap();
    }
    unlimited(request.clone());
    let same = needed(true);
    assert!(same * 20 < without, "{same} of {without} steps");
}

#[test]
fn refusals_are_the_same() {
    let scratch = Scratch::new("refusals");
    let request = JavaRequest { rules: vec!["leek".to_owned()], ..scratch.request("1") };
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    assert!(matches!(judge(request, 1, &mut reading).err(), Some(Refused::Wrong(_))));
    assert!(!scratch.cache().exists());
    let none = JavaRequest { program: vec![scratch.0.join("nothing")], ..scratch.request("1") };
    check(&none, "no program");
}
