//! Where measurements are made: a copy of the release binary, a folder that goes away, the
//! published inputs if they are there, and ways to run `loris` and look at the clock and at its
//! memory.

use anyhow::{Context, bail};
use serde_json::Value;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_owned(), Path::to_owned)
}

/// A place to measure in: a copy of the binary, and a folder for files.
pub(crate) struct Lab {
    /// Whether inputs are small and runs are few.
    pub(crate) quick: bool,
    /// `../shared/benchmarks`, which is not ours to copy.
    pub(crate) published: Option<PathBuf>,
    folder: PathBuf,
    loris: PathBuf,
}

/// One run of `loris check --format json`.
pub(crate) struct Checked {
    /// What was found, property by property.
    pub(crate) answers: Vec<Answer>,
    /// The largest resident memory of the process, in MiB.
    pub(crate) peak: f64,
}

/// One result.
pub(crate) struct Answer {
    /// `holds`, `fails` or `unknown`.
    pub(crate) verdict: String,
    /// The engine that decided.
    pub(crate) engine: String,
    /// Why it is unknown, or nothing.
    pub(crate) reason: String,
    /// As the engine counts them.
    pub(crate) contexts: Option<u64>,
    /// How many components the engine looked at, if it says so.
    pub(crate) components: Option<u64>,
    /// Of the automaton that a property of linear time became.
    pub(crate) states: Option<u64>,
    /// The time of the check, without reading.
    pub(crate) seconds: f64,
    /// The whole result, for counters that few engines have.
    all: Value,
}

/// One run of `loris reach --format json`.
pub(crate) struct Reached {
    /// Facts derived before the search stopped.
    pub(crate) tuples: u64,
    /// The length of the path shown, if there is one.
    pub(crate) steps: Option<u64>,
    /// The time of the search and of its path, without reading.
    pub(crate) seconds: f64,
}

impl Answer {
    pub(crate) fn decided(&self) -> bool {
        self.verdict != "unknown"
    }

    /// A counter of the engine, if it has it.
    pub(crate) fn counter(&self, name: &str) -> Option<u64> {
        self.all[name].as_u64()
    }

    /// The contexts, or a dash.
    pub(crate) fn contexts(&self) -> String {
        self.contexts.map_or("–".to_owned(), |contexts| contexts.to_string())
    }
}

impl Lab {
    /// Builds `loris` and takes a copy: nobody shall rebuild it between two measurements.
    pub(crate) fn open(quick: bool) -> anyhow::Result<Self> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = [
            "build",
            "--release",
            "--locked",
            "-p",
            "loris-cli",
            "--message-format",
            "json-render-diagnostics",
        ];
        let built = Command::new(cargo).args(build).current_dir(root()).stderr(Stdio::inherit()).output()?;
        if !built.status.success() {
            bail!("loris does not build");
        }
        let messages = String::from_utf8(built.stdout)?;
        let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let binary = messages
            .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
            .find(|path| path.file_stem() == Some(OsStr::new("loris")))
            .context("cargo names no executable")?;
        let folder = std::env::temp_dir().join(format!("loris-bench-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let loris = folder.join("loris");
        fs::copy(binary, &loris)?;
        let published = root().join("../shared/benchmarks");
        Ok(Self { quick, published: published.is_dir().then_some(published), folder, loris })
    }

    /// A place for a file of this run.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(&self.loris);
        command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The seconds of a whole process, from its start to its end; its output is thrown away.
    pub(crate) fn seconds<S: AsRef<OsStr>>(&self, arguments: &[S]) -> anyhow::Result<f64> {
        let mut command = self.command(arguments);
        command.stdout(Stdio::null());
        let start = Instant::now();
        let status = command.status()?;
        let seconds = start.elapsed().as_secs_f64();
        ended_well(&command, status)?;
        Ok(seconds)
    }

    /// What a run wrote to standard output, and its largest resident memory in MiB.
    pub(crate) fn output<S: AsRef<OsStr>>(&self, arguments: &[S]) -> anyhow::Result<(String, f64)> {
        let (text, peak, status) = self.ended(arguments)?;
        ended_well(&self.command(arguments), status)?;
        Ok((text, peak))
    }

    /// The same with the exit status, whatever that is.
    fn ended<S: AsRef<OsStr>>(&self, arguments: &[S]) -> anyhow::Result<(String, f64, ExitStatus)> {
        let out = self.file("stdout");
        let mut command = self.command(arguments);
        let mut child = command.stdout(File::create(&out)?).spawn()?;
        let mut peak = 0.0;
        let status = loop {
            peak = resident(&child).max(peak);
            if let Some(status) = child.try_wait()? {
                break status;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        Ok((fs::read_to_string(out)?, peak, status))
    }

    /// Runs `loris check`.
    pub(crate) fn check<S: AsRef<OsStr>>(&self, model: &Path, options: &[S]) -> anyhow::Result<Checked> {
        let checked = self.check_unless_refused(model, options)?;
        checked.with_context(|| format!("loris check refuses {}", model.display()))
    }

    /// Runs `loris check`; nothing if it refuses the call.
    pub(crate) fn check_unless_refused<S: AsRef<OsStr>>(
        &self,
        model: &Path,
        options: &[S],
    ) -> anyhow::Result<Option<Checked>> {
        let mut arguments: Vec<&OsStr> = vec!["check".as_ref(), model.as_ref()];
        arguments.extend(options.iter().map(AsRef::as_ref));
        arguments.extend(["--format", "json"].map(OsStr::new));
        let (text, peak, status) = self.ended(&arguments)?;
        if status.code() == Some(2) {
            return Ok(None);
        }
        ended_well(&self.command(&arguments), status)?;
        let report: Value = serde_json::from_str(&text).context("what loris check wrote is not JSON")?;
        let results = report["results"].as_array().context("a report without results")?;
        Ok(Some(Checked { answers: results.iter().map(answer).collect(), peak }))
    }

    /// Runs `loris reach`.
    pub(crate) fn reach(&self, model: &Path, options: &[&str]) -> anyhow::Result<Reached> {
        let mut arguments: Vec<&OsStr> = vec!["reach".as_ref(), model.as_ref()];
        arguments.extend(options.iter().map(OsStr::new));
        arguments.extend(["--format", "json"].map(OsStr::new));
        let (text, _) = self.output(&arguments)?;
        let report: Value =
            serde_json::from_str(&without_nodes(&text)).context("what loris reach wrote is not JSON")?;
        Ok(Reached {
            tuples: report["tuples"].as_u64().context("a search without tuples")?,
            steps: report["steps"].as_u64(),
            seconds: report["seconds"].as_f64().context("a search without seconds")?,
        })
    }

    /// Runs `loris info`.
    pub(crate) fn info(&self, model: &Path) -> anyhow::Result<Value> {
        let arguments: [&OsStr; 4] = ["info".as_ref(), model.as_ref(), "--format".as_ref(), "json".as_ref()];
        let (text, _) = self.output(&arguments)?;
        serde_json::from_str(&text).context("what loris info wrote is not JSON")
    }

    /// Checks one property several times; the answer of the run that took the middle time.
    pub(crate) fn check_one<S: AsRef<OsStr>>(
        &self,
        model: &Path,
        options: &[S],
        runs: usize,
    ) -> anyhow::Result<Answer> {
        let mut answers: Vec<Answer> = Vec::new();
        for _ in 0..runs {
            answers.extend(self.check(model, options)?.answers);
        }
        answers.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let middle = answers.len() / 2;
        answers.into_iter().nth(middle).context("a check without results")
    }

    /// Runs `loris generate` into a file.
    pub(crate) fn generate(&self, name: &str, words: &str) -> anyhow::Result<PathBuf> {
        let path = self.file(name);
        let mut arguments: Vec<&OsStr> = vec!["generate".as_ref()];
        arguments.extend(words.split_whitespace().map(OsStr::new));
        arguments.extend(["-o".as_ref(), path.as_os_str()]);
        self.seconds(&arguments)?;
        Ok(path)
    }

    /// One number for a full run, another for a quick one.
    pub(crate) fn unless_quick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // what cannot be removed is left to whoever cleans temporary folders
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The processor time of all processes that were run so far, in seconds; Linux counts hundredths.
pub(crate) fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // the second field, a name in brackets, may hold blanks; cutime and cstime are fields 16 and 17
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// What `loris reach --all` wrote without its last field: millions of nodes that nobody here reads.
fn without_nodes(text: &str) -> Cow<'_, str> {
    match text.split_once("\"nodes\": [") {
        Some((rest, _)) => Cow::Owned(rest.trim_end().trim_end_matches(',').to_owned() + "}"),
        None => Cow::Borrowed(text),
    }
}

fn answer(result: &Value) -> Answer {
    let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
    Answer {
        verdict: text("verdict"),
        engine: text("engine"),
        reason: text("reason"),
        contexts: result["contexts"].as_u64(),
        components: result["components"].as_u64(),
        states: result["automaton_states"].as_u64(),
        seconds: result["seconds"].as_f64().unwrap_or(f64::NAN),
        all: result.clone(),
    }
}

/// Verdicts are exit statuses 0, 1 and 3; all else is a failure of the run.
fn ended_well(command: &Command, status: ExitStatus) -> anyhow::Result<()> {
    match status.code() {
        Some(0 | 1 | 3) => Ok(()),
        _ => bail!("{status} of {command:?}"),
    }
}

/// The largest resident memory so far, in MiB; of a process that has ended, nothing.
fn resident(child: &Child) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<f64> = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kib.unwrap_or_default() / 1024.0
}

#[cfg(test)]
mod tests {
    use super::without_nodes;

    #[test]
    fn nodes_are_left_out() {
        let cut = without_nodes(
            "{\"model\": {\"nodes\": 2},\n \"seconds\": 0.5,\n \"nodes\": [\"a/b\", \"a/c\"]}\n",
        );
        assert_eq!(cut, "{\"model\": {\"nodes\": 2},\n \"seconds\": 0.5}");
        assert_eq!(without_nodes("{\"seconds\": 0.5}"), "{\"seconds\": 0.5}");
    }
}
