//! What a job uses at this moment, as seen from outside.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    os::unix::fs::MetadataExt,
    path::Path,
    time::Duration,
};

use procfs::{WithCurrentSystemInfo, process::Process};

/// A process, told apart from a later one with the same number by when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub(super) pid: i32,
    began: u64,
}

impl Member {
    pub(super) fn is_alive(self) -> bool {
        Process::new(self.pid)
            .and_then(|process| process.stat())
            .is_ok_and(|stat| stat.starttime == self.began && stat.state != 'Z')
    }
}

/// The processes of one job together.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pub(super) members: BTreeSet<Member>,
    /// Resident memory; pages that several share are counted once for each.
    pub(super) resident_bytes: u64,
    /// The largest CPU time among them.
    pub(super) longest_cpu: Duration,
}

/// Looks at `root` and everything that descends from it. A process whose parent died belongs to the first process of
/// its namespace, so none is ever lost.
pub(super) fn of_tree(root: i32) -> Usage {
    let Ok(all) = procfs::process::all_processes() else { return Usage::default() };
    let stats: Vec<_> = all.flatten().filter_map(|process| process.stat().ok()).collect();
    let mut children: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (k, stat) in stats.iter().enumerate() {
        children.entry(stat.ppid).or_default().push(k);
    }
    let mut usage = Usage::default();
    let mut open: Vec<_> = stats.iter().position(|stat| stat.pid == root).into_iter().collect();
    while let Some(k) = open.pop() {
        let stat = &stats[k];
        if usage.members.insert(Member { pid: stat.pid, began: stat.starttime }) {
            usage.resident_bytes += stat.rss_bytes().get();
            let ticks = stat.utime + stat.stime;
            let cpu = Duration::from_secs_f64(ticks as f64 / procfs::ticks_per_second() as f64);
            usage.longest_cpu = usage.longest_cpu.max(cpu);
            open.extend(children.get(&stat.pid).into_iter().flatten());
        }
    }
    usage
}

/// Resident memory with shared pages divided among those who share them. Slower to find out, and right where many
/// children share what their parent loaded.
pub(super) fn proportional_bytes(members: &BTreeSet<Member>) -> Option<u64> {
    let mut sum = 0;
    for member in members {
        // One that is gone by now uses nothing.
        let Ok(process) = Process::new(member.pid) else { continue };
        match process.smaps_rollup() {
            Ok(rollup) => {
                let areas = rollup.memory_map_rollup.0;
                sum += areas.iter().filter_map(|area| area.extension.map.get("Pss")).sum::<u64>();
            }
            Err(procfs::ProcError::PermissionDenied(_)) => return None,
            // One that is just ending has given its memory back.
            Err(_) => {}
        }
    }
    Some(sum)
}

/// Files and folders in a writable folder before we say that there are too many.
const MAX_ENTRIES: u64 = 50_000;

/// Whether a folder's contents, and the deleted files that `members` still hold open, take more than `limit` bytes of
/// disk. A folder that can't be looked into counts as too large.
pub(super) fn folder_is_over(work: &Path, members: &BTreeSet<Member>, limit: u64) -> bool {
    let (mut bytes, mut entries) = (0, 0);
    let mut open = vec![work.to_owned()];
    while let Some(folder) = open.pop() {
        let listed = match fs::read_dir(&folder) {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(_) => return true,
        };
        for entry in listed.flatten() {
            let Ok(facts) = entry.metadata() else { continue };
            entries += 1;
            bytes += facts.blocks() * 512;
            if entries > MAX_ENTRIES || bytes > limit {
                return true;
            }
            if facts.is_dir() {
                open.push(entry.path());
            }
        }
    }
    for member in members {
        let Ok(held) = fs::read_dir(format!("/proc/{}/fd", member.pid)) else { continue };
        for descriptor in held.flatten().map(|entry| entry.path()) {
            let deleted = fs::read_link(&descriptor).is_ok_and(|to| to.to_string_lossy().ends_with(" (deleted)"));
            if deleted && let Ok(facts) = fs::metadata(&descriptor) {
                bytes += facts.blocks() * 512;
            }
        }
    }
    bytes > limit
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_tree_is_seen_with_its_grandchildren() {
        let mut shell = Command::new("sh")
            .args(["-c", "sh -c 'echo; sleep 60; true' & wait; true"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut byte = [0];
        io::Read::read_exact(&mut shell.stdout.take().unwrap(), &mut byte).unwrap();
        // The inner shell prints before it starts `sleep`.
        let mut usage = of_tree(shell.id().try_into().unwrap());
        while usage.members.len() < 3 {
            usage = of_tree(shell.id().try_into().unwrap());
        }
        assert!(usage.resident_bytes > 100_000 && usage.members.iter().all(|member| member.is_alive()));
        assert!(proportional_bytes(&usage.members).is_some_and(|bytes| bytes <= usage.resident_bytes));
        shell.kill().unwrap();
        shell.wait().unwrap();
        for member in usage.members {
            let _ = rustix::process::kill_process(
                rustix::process::Pid::from_raw(member.pid).unwrap(),
                rustix::process::Signal::KILL,
            );
        }
    }

    #[test]
    fn what_a_folder_holds_is_counted_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deeper")).unwrap();
        fs::write(folder.path().join("deeper/file"), vec![1; 100_000]).unwrap();
        let nobody = BTreeSet::new();
        assert!(folder_is_over(folder.path(), &nobody, 90_000));
        assert!(!folder_is_over(folder.path(), &nobody, 200_000));
    }
}
