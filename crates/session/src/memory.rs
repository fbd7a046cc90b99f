//! How much memory this process may use, according to the operating system: limits on its address
//! space and data, the limits of its control groups, and the memory that the machine has left.
//!
//! All of it is read from `/proc` and `/sys`. Where these are missing, as on other systems than
//! Linux, there is no bound.

use std::io::Read;

/// The figures of the system about this process.
const STATUS: &str = "/proc/self/status";

/// Reads a file of the operating system.
type Source<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads a real file.
fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// What the process uses now, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// address space, used or reserved
    address: u64,
    /// private pages, used or reserved
    data: u64,
    /// pages in memory
    resident: u64,
}

impl MemoryUsage {
    /// The bytes that are in memory.
    pub fn resident(&self) -> u64 {
        self.resident
    }

    /// What it uses at this moment. Nothing is allocated for it: in a thread that allocates, the
    /// system's allocator tries to reserve an arena, if only for a moment, which may take all the
    /// address space that is left just when another thread needs some.
    pub fn now() -> Option<Self> {
        let mut text = [0; 4096];
        let mut file = std::fs::File::open(STATUS).ok()?;
        let mut length = 0;
        while length < text.len() {
            match file.read(&mut text[length..]) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(_) => return None,
            }
        }
        Self::of(std::str::from_utf8(&text[..length]).ok()?)
    }

    /// The memory that a process uses, according to the system.
    fn of(status: &str) -> Option<Self> {
        let bytes = |key: &str| Some(1024 * number(value(status, key)?)?);
        let (address, data) = (bytes("VmSize:")?, bytes("VmData:")?);
        Some(Self { address, data, resident: bytes("VmRSS:")? })
    }
}

/// Bounds on what the process may use, in bytes; none where nothing bounds it. They are those of
/// the time when they were found: what other processes do later does not change them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryBounds {
    start: MemoryUsage,
    address: Option<u64>,
    data: Option<u64>,
    resident: Option<u64>,
    /// whether each thread may have an arena of its own
    arenas: bool,
}

/// Address space that the stack of a thread reserves, with its guard pages and thread-local
/// storage.
const STACK: u64 = 3 << 20;
/// Address space that the system's allocator reserves for a thread that allocates, unless all share
/// one arena. It does without where the system has no such piece at the right
/// alignment, which is a matter of luck, so whatever may be reserved counts as reserved.
const ARENA: u64 = 64 << 20;

impl MemoryBounds {
    /// The bounds as they are now.
    pub fn find() -> Self {
        Self::find_in(&read)
    }

    /// The bounds that these files mean.
    fn find_in(source: Source<'_>) -> Self {
        let Some(start) = source(STATUS).and_then(|status| MemoryUsage::of(&status)) else {
            return Self::default();
        };
        let limits = source("/proc/self/limits").unwrap_or_default();
        let limit = |name: &str| number(value(&limits, name)?);
        let left = [left_in_machine(source), left_in_groups(source)].into_iter().flatten().min();
        Self {
            start,
            address: limit("Max address space"),
            data: limit("Max data size"),
            resident: left.map(|left| start.resident + left),
            arenas: true,
        }
    }

    /// The same bounds where all threads share one arena of the allocator, or each may have its
    /// own.
    #[must_use]
    pub fn with_arenas(self, arenas: bool) -> Self {
        Self { arenas, ..self }
    }

    /// The bound on the address space.
    pub fn address(&self) -> Option<u64> {
        self.address
    }

    /// What the process used when they were found.
    pub fn start(&self) -> MemoryUsage {
        self.start
    }

    /// The bytes that this many threads may hold beyond what is in use already, with room to spare
    /// for what nobody accounts for.
    pub fn room(&self, threads: usize) -> Option<usize> {
        self.reservable(threads).into_iter().chain(self.available()).min()
    }

    /// The same as far as address space and data are bounded: what counts there is what is
    /// reserved.
    pub fn reservable(&self, threads: usize) -> Option<usize> {
        // an allocator takes address space in large pieces, of which it uses some only
        usize::try_from(self.unreserved(threads)? / 2).ok()
    }

    /// The same as far as the machine and its control groups bound what is in memory.
    pub fn available(&self) -> Option<usize> {
        usize::try_from(self.resident?.saturating_sub(self.start.resident) / 10 * 8).ok()
    }

    /// The address space and data that are left at the start when this many threads have reserved
    /// their stacks and as many arenas as fit. Arenas do not count as data until they are used.
    fn unreserved(&self, threads: usize) -> Option<u64> {
        let stacks = STACK * threads as u64;
        let left = |bound: Option<u64>, used: u64| Some(bound?.saturating_sub(used).saturating_sub(stacks));
        let arenas = if self.arenas { threads as u64 } else { 0 };
        let address =
            left(self.address, self.start.address).map(|left| left - ARENA * (left / ARENA).min(arenas));
        address.into_iter().chain(left(self.data, self.start.data)).min()
    }

    /// How many threads fit in, of those that are wanted: they may reserve half of the address
    /// space.
    pub fn threads(&self, wanted: usize) -> usize {
        match self.unreserved(0) {
            Some(left) => {
                wanted.min(usize::try_from(left / 2 / (STACK + ARENA)).unwrap_or(usize::MAX)).max(1)
            }
            None => wanted,
        }
    }

    /// How much of what there was at the start is used now, beside what this many threads reserve:
    /// 1 is all of it.
    pub fn share(&self, now: MemoryUsage, threads: usize) -> f64 {
        let share = |room: u64, start: u64, now: u64| now.saturating_sub(start) as f64 / room.max(1) as f64;
        let stacks = STACK * threads as u64;
        let data = self.unreserved(threads).map(|room| share(room, self.start.data + stacks, now.data));
        let resident = self
            .resident
            .map(|bound| share(bound.saturating_sub(self.start.resident), self.start.resident, now.resident));
        data.into_iter().chain(resident).fold(0.0, f64::max)
    }

    /// Whether there are any.
    pub fn exist(&self) -> bool {
        self.address.or(self.data).or(self.resident).is_some()
    }
}

/// The rest of the line that starts with a key.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key))
}

/// The number at the start of a text.
fn number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// What all processes together may still use.
fn left_in_machine(source: Source<'_>) -> Option<u64> {
    let memory = source("/proc/meminfo")?;
    Some(1024 * number(value(&memory, "MemAvailable:")?)?)
}

/// What the control groups of this process leave to it, those above them included.
fn left_in_groups(source: Source<'_>) -> Option<u64> {
    let groups = source("/proc/self/cgroup")?;
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let version = match controllers {
            "" => &TWO,
            _ if controllers.split(',').any(|controller| controller == "memory") => &ONE,
            _ => continue,
        };
        // inside a container the path may be that of the host, of which only the end is mounted
        // here
        let mut path = path.trim_end_matches('/');
        loop {
            let left = version.roots.iter().filter_map(|root| version.left(source, &format!("{root}{path}")));
            least = least.into_iter().chain(left).min();
            match path.rfind('/') {
                Some(end) => path = &path[..end],
                None => break,
            }
        }
    }
    least
}

/// The files of a version of control groups.
struct Version {
    roots: &'static [&'static str],
    limit: &'static str,
    used: &'static str,
    /// lines of `memory.stat` about pages that are given up under pressure
    caches: [&'static str; 2],
}

const ONE: Version = Version {
    roots: &["/sys/fs/cgroup/memory"],
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    caches: ["total_inactive_file ", "total_active_file "],
};
const TWO: Version = Version {
    roots: &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"],
    limit: "memory.max",
    used: "memory.current",
    caches: ["inactive_file ", "active_file "],
};

impl Version {
    fn left(&self, source: Source<'_>, group: &str) -> Option<u64> {
        // `max` is neither a number nor a limit, and neither is what no machine has
        let limit = number(&source(&format!("{group}/{}", self.limit))?)?;
        if limit >= 1 << 60 {
            return None;
        }
        let used = number(&source(&format!("{group}/{}", self.used))?)?;
        let stat = source(&format!("{group}/memory.stat")).unwrap_or_default();
        let caches = self.caches.iter().filter_map(|key| number(value(&stat, key)?));
        Some(limit.saturating_sub(used.saturating_sub(caches.sum())))
    }
}

#[cfg(test)]
mod tests {
    use super::{MemoryBounds, MemoryUsage};

    const MIB: u64 = 1 << 20;
    const STATUS: &str = "Name:\tloris\nVmSize:\t   10240 kB\nVmRSS:\t    2048 kB\nVmData:\t    4096 kB\n";

    /// The bounds on address space, data and resident pages, in MiB, that these files mean.
    fn check(files: &[(&str, &str)], expected: [Option<u64>; 3]) -> MemoryBounds {
        let source = |path: &str| match path {
            "/proc/self/status" => Some(STATUS.to_owned()),
            _ => files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned()),
        };
        let bounds = MemoryBounds::find_in(&source);
        let found = [bounds.address, bounds.data, bounds.resident];
        assert_eq!(found.map(|bound| bound.map(|bytes| bytes / MIB)), expected, "{files:?}");
        bounds
    }

    #[test]
    fn nothing_is_known() {
        let bounds = check(&[], [None; 3]);
        assert_eq!((bounds.room(4), bounds.threads(64), bounds.exist()), (None, 64, false));
        assert_eq!(MemoryBounds::find_in(&|_| None), MemoryBounds::default());
    }

    #[test]
    fn limits_of_the_process() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max data size             unlimited            unlimited            bytes\n\
                      Max address space         1073741824           unlimited            bytes\n";
        let bounds = check(&[("/proc/self/limits", limits)], [Some(1024), None, None]);
        assert_eq!(bounds.room(1), Some(((1014 - 67) * MIB / 2) as usize));
        assert_eq!(bounds.threads(64), 7);
        let half = MemoryUsage { data: (4 + 3) * MIB + (1014 - 67) * MIB / 2, ..MemoryUsage::default() };
        assert!((bounds.share(half, 1) - 0.5).abs() < 0.01);
        let limits = "Max data size             104857600            unlimited            bytes\n";
        let bounds = check(&[("/proc/self/limits", limits)], [None, Some(100), None]);
        assert_eq!((bounds.room(8), bounds.threads(8)), (Some(((96 - 8 * 3) * MIB / 2) as usize), 1));
    }

    /// The room for two threads within this much address space, 10 MiB of which are in use, in MiB:
    /// with arenas, and without.
    #[test]
    fn arenas_that_fit() {
        for (bound, expected) in [(40, [12, 12]), (70, [27, 27]), (110, [15, 47]), (1010, [433, 497])] {
            let limits = format!("Max address space         {}           unlimited    bytes\n", bound * MIB);
            let bounds = check(&[("/proc/self/limits", &limits)], [Some(bound), None, None]);
            let room = |arenas| bounds.with_arenas(arenas).room(2).map(|bytes| bytes as u64 / MIB);
            assert_eq!([true, false].map(room), expected.map(Some), "{bound}");
        }
    }

    #[test]
    fn memory_of_the_machine() {
        let memory = ("/proc/meminfo", "MemTotal:  4000000 kB\nMemAvailable:    1024000 kB\n");
        let bounds = check(&[memory], [None, None, Some(1002)]);
        assert_eq!(bounds.room(16), Some((1_024_000 << 10) / 10 * 8));
        assert_eq!(bounds.threads(16), 16);
    }

    #[test]
    fn control_groups() {
        let group = ("/proc/self/cgroup", "0::/a/b\n");
        let unlimited = ("/sys/fs/cgroup/a/b/memory.max", "max\n");
        check(&[group, unlimited], [None; 3]);
        // the group above counts, and so do pages that can be had back
        let above = [
            group,
            unlimited,
            ("/sys/fs/cgroup/a/memory.max", "104857600\n"),
            ("/sys/fs/cgroup/a/memory.current", "52428800\n"),
            ("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 10485760\nactive_file 10485760\n"),
        ];
        check(&above, [None, None, Some(2 + 70)]);
        let inside = [
            ("/proc/self/cgroup", "0::/../../elsewhere\n"),
            ("/sys/fs/cgroup/memory.max", "104857600\n"),
            ("/sys/fs/cgroup/memory.current", "52428800\n"),
        ];
        check(&inside, [None, None, Some(2 + 50)]);
        let first = [
            ("/proc/self/cgroup", "5:cpu:/\n4:hugetlb,memory:/job\n0::/\n"),
            ("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "209715200\n"),
            ("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "314572800\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "314572800\n"),
        ];
        check(&first, [None, None, Some(2)]);
    }
}
