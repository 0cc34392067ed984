//! Hostile programs against the real sandbox, one row each, as root (where the tests run as root) and as an ordinary
//! user. What a row's program prints says what it got away with.

use std::{
    collections::BTreeSet, fs, net::TcpListener, os::unix::fs::PermissionsExt, path::Path, process::Command,
    time::Duration,
};

use meshmark_server::sandbox::{Bubblewrap, End, Ended, Job, Layer, Limits, Milestone, Sandbox};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const PYTHON: &str = "/usr/bin/python3";

fn limits() -> Limits {
    Limits {
        wall: Duration::from_secs(60),
        cpu: Duration::from_secs(60),
        address_space_bytes: 2 << 30,
        memory_bytes: 1 << 30,
        processes: 16,
        file_bytes: 1 << 20,
        folder_bytes: 4 << 20,
        log_bytes: 64 << 10,
    }
}

/// A folder for a job, next to nothing else.
fn folder() -> TempDir {
    tempfile::Builder::new().prefix("job-").tempdir_in("/tmp").unwrap()
}

fn job(work: &Path, program: &str, limits: Limits) -> Job {
    Job {
        argv: [PYTHON, "-c", program].map(Into::into).to_vec(),
        work: work.to_owned(),
        readable: Vec::new(),
        env: vec![("GREETING".to_owned(), "hello".to_owned())],
        limits,
        milestone: None,
    }
}

async fn sandbox(without: &[Layer]) -> Bubblewrap {
    Bubblewrap::new(without.iter().copied().collect()).await.expect("every layer is there: `cargo verify` sets them up")
}

async fn run(without: &[Layer], program: &str, limits: Limits) -> (Ended, String) {
    let work = folder();
    let ended = sandbox(without).await.run(job(work.path(), program, limits), CancellationToken::new()).await.unwrap();
    let log = String::from_utf8_lossy(&ended.log).into_owned();
    (ended, log)
}

/// Host processes whose command line holds `mark`.
fn still_running(mark: &str) -> usize {
    let own = std::process::id().to_string();
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy() != own)
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .filter(|line| String::from_utf8_lossy(line).contains(mark))
        .count()
}

struct Row {
    name: &'static str,
    without: &'static [Layer],
    limits: fn(&mut Limits),
    program: &'static str,
    /// The end, and what the log must hold.
    ends: fn(End) -> bool,
    says: &'static str,
}

const NOTHING: &[Layer] = &[];
fn usual(_: &mut Limits) {}
fn normally(end: End) -> bool {
    end == End::Exited(0)
}

/// Tries things; prints those that worked.
const TRY: &str = "
import os, sys
def attempt(what, how):
    try:
        how()
    except BaseException as error:
        print('refused', what, type(error).__name__, getattr(error, 'errno', None))
    else:
        print('WORKED', what)
";

const ROWS: &[Row] = &[
    Row {
        name: "no network, not even loopback",
        without: NOTHING,
        limits: usual,
        program: "import socket
attempt('socket', lambda: socket.socket())
attempt('connect', lambda: socket.create_connection(('127.0.0.1', PORT), 5))
attempt('raw', lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt('unix', lambda: socket.socket(socket.AF_UNIX))
print('over')",
        ends: normally,
        says: "over",
    },
    Row {
        name: "no network by the namespace alone",
        without: &[Layer::Seccomp],
        limits: usual,
        program: "import socket
attempt('connect', lambda: socket.create_connection(('127.0.0.1', PORT), 5))
attempt('elsewhere', lambda: socket.create_connection(('192.0.2.1', 80), 5))
print('over')",
        ends: normally,
        says: "over",
    },
    Row {
        name: "no network by the filter alone",
        without: &[Layer::Network],
        limits: usual,
        program: "import socket
attempt('connect', lambda: socket.create_connection(('127.0.0.1', PORT), 5))
print('over')",
        ends: normally,
        says: "over",
    },
    Row {
        name: "an environment that holds what we put there",
        without: NOTHING,
        limits: usual,
        program: "
print(sorted(set(os.environ) - {'LC_CTYPE'}))
for pid in filter(str.isdigit, os.listdir('/proc')):
    try:
        text = open(f'/proc/{pid}/environ').read()
    except OSError:
        continue
    if 'HOME' in text or 'CARGO' in text: print('WORKED environment of', pid)
",
        ends: normally,
        says: "['GREETING', 'PWD']",
    },
    Row {
        name: "no home, no other trial, no secret",
        without: NOTHING,
        limits: usual,
        program: "
for path in ['/root', '/home', '/etc/shadow', '/etc/hostname', '/var', '/srv', '/opt', '/run', '/sys', OTHER]:
    attempt(path, lambda: os.stat(path))
print(sorted(os.listdir('/')), os.listdir('/tmp'), os.listdir('.'))
",
        ends: normally,
        says: "['bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'sbin', 'tmp', 'usr', 'work'] [] []",
    },
    Row {
        name: "no processes but its own",
        without: NOTHING,
        limits: usual,
        program: "
print(len([p for p in os.listdir('/proc') if p.isdigit()]) <= 3)
os.kill(1, 9)  # The kernel takes it and does nothing: the first process of a namespace has no handler for it.
os.kill(1, 0); print('still there')
",
        ends: normally,
        says: "True\nstill there",
    },
    Row {
        name: "writing in its own folder only",
        without: NOTHING,
        limits: usual,
        program: "
for path in ['/x', '/usr/x', '/usr/bin/x', '/etc/x', '/dev/x', '/bin/x', '/proc/sys/kernel/core_pattern', '/etc/passwd']:
    attempt(path, lambda: open(path, 'w').write('x'))
attempt('remount', lambda: os.system('mount -o remount,rw /usr 2>/dev/null') and 1/0)
open('/work/mine', 'w').write('fine')
open('/tmp/mine', 'w').write('fine')
print('fine', open('/work/mine').read())
",
        ends: normally,
        says: "fine fine",
    },
    Row {
        name: "a file larger than allowed",
        without: NOTHING,
        limits: usual,
        program: "
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
attempt('a large file', lambda: open('large', 'wb').write(bytes(8 << 20)))
print(os.path.getsize('large') <= 1 << 20)
",
        ends: normally,
        says: "True",
    },
    Row {
        name: "more files than allowed",
        without: NOTHING,
        limits: usual,
        program: "
n = 0
while True:
    open(f'{n}', 'wb').write(os.urandom(1 << 20)); n += 1
",
        ends: |end| end == End::FolderLimit,
        says: "",
    },
    Row {
        name: "files that are deleted and still held",
        without: NOTHING,
        limits: usual,
        program: "
import time
held = []
for n in range(32):
    held.append(open('file', 'wb')); held[-1].write(os.urandom(1 << 20)); held[-1].flush(); os.unlink('file')
time.sleep(50)
",
        ends: |end| end == End::FolderLimit,
        says: "",
    },
    Row {
        name: "a folder that hides what it holds",
        without: NOTHING,
        limits: usual,
        program: "
os.mkdir('hidden')
for n in range(32): open(f'hidden/{n}', 'wb').write(os.urandom(1 << 20))
os.chmod('hidden', 0)
import time; time.sleep(50)
",
        ends: |end| end == End::FolderLimit,
        says: "",
    },
    Row {
        name: "filling temporary folders",
        without: NOTHING,
        limits: |limits| limits.file_bytes = 1 << 30,
        program: "
attempt('/tmp', lambda: open('/tmp/x', 'wb').write(bytes(200 << 20)))
attempt('/dev/shm', lambda: open('/dev/shm/x', 'wb').write(bytes(200 << 20)))
print('over')
",
        ends: normally,
        says: "over",
    },
    Row {
        name: "memory of one process",
        without: NOTHING,
        limits: usual,
        program: "attempt('64 GiB', lambda: bytearray(64 << 30)); print('over')",
        ends: normally,
        says: "refused 64 GiB MemoryError",
    },
    Row {
        name: "memory of all processes together",
        without: NOTHING,
        limits: |limits| limits.memory_bytes = 400 << 20,
        program: "
import time
for n in range(6):
    if os.fork() == 0:
        held = os.urandom(1 << 20) * 150
        time.sleep(50); os._exit(0)
time.sleep(50)
",
        ends: |end| end == End::MemoryLimit,
        says: "",
    },
    Row {
        name: "memory that children only share is counted once",
        without: NOTHING,
        limits: |limits| limits.memory_bytes = 500 << 20,
        program: "
import time
held = os.urandom(1 << 20) * 200
for n in range(6):
    if os.fork() == 0:
        time.sleep(2); os._exit(0)
time.sleep(1); print('shared')
",
        ends: normally,
        says: "shared",
    },
    Row {
        name: "a bomb of processes",
        without: NOTHING,
        limits: |limits| limits.wall = Duration::from_secs(3),
        program: "
most = 0
while True:
    try:
        if os.fork() == 0: continue
    except OSError: pass
    now = len([p for p in os.listdir('/proc') if p.isdigit()])
    if now > 16: print('WORKED', now, flush=True)
",
        ends: |end| end == End::WallLimit,
        says: "",
    },
    Row {
        name: "CPU time",
        without: NOTHING,
        limits: |limits| limits.cpu = Duration::from_secs(1),
        program: "
while True: pass
",
        ends: |end| end == End::CpuLimit,
        says: "",
    },
    Row {
        name: "CPU time, ignoring the signal",
        without: NOTHING,
        limits: |limits| limits.cpu = Duration::from_secs(1),
        program: "
import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while True: pass
",
        ends: |end| end == End::CpuLimit,
        says: "",
    },
    Row {
        name: "wall-clock time, with children that left the session and ignore signals",
        without: NOTHING,
        limits: |limits| limits.wall = Duration::from_secs(1),
        program: "
import signal, time
for n in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork(): os._exit(0)
        for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(s, signal.SIG_IGN)
        time.sleep(50)
time.sleep(50)
",
        ends: |end| end == End::WallLimit,
        says: "",
    },
    Row {
        name: "a child that outlives its parent",
        without: NOTHING,
        limits: usual,
        program: "
import time
if os.fork() == 0:
    os.setsid(); time.sleep(50)
print('gone')
",
        ends: normally,
        says: "gone",
    },
    Row {
        name: "endless output",
        without: NOTHING,
        limits: usual,
        program: "
for n in range(50): sys.stdout.write('x' * (1 << 20))
print('the end')
",
        ends: normally,
        says: "bytes left out",
    },
    Row {
        name: "no privileges to have or to gain",
        without: NOTHING,
        limits: usual,
        program: "
status = dict(line.split(':', 1) for line in open('/proc/self/status').read().splitlines())
print({key: status[key].strip() for key in ('NoNewPrivs', 'Seccomp', 'CapEff', 'CapPrm', 'CapBnd')}, os.getuid() != 0)
attempt('root', lambda: os.setuid(0))
",
        ends: normally,
        says: "{'NoNewPrivs': '1', 'Seccomp': '2', 'CapEff': '0000000000000000', 'CapPrm': '0000000000000000', 'CapBnd': '0000000000000000'} True",
    },
    Row {
        name: "calls that reach into the kernel or other processes",
        without: NOTHING,
        limits: usual,
        program: "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *words):
    if libc.syscall(number, *words) == -1: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
NEWUSER = 0x10000000
for what, number, words in [('ptrace', 101, (0, 0, 0, 0)), ('unshare', 272, (NEWUSER,)), ('mount', 165, (0, 0, 0, 0, 0)),
    ('bpf', 321, (0, 0, 0)), ('io_uring', 425, (1, 0)), ('userfaultfd', 323, (0,)), ('keyctl', 250, (0, 0)),
    ('clone into a namespace', 56, (NEWUSER | 17, 0, 0, 0, 0)), ('perf', 298, (0, 0, 0, 0, 0)), ('x32', 0x40000000 + 41, (2, 1, 0))]:
    attempt(what, lambda: call(number, *words))
print('over')
",
        ends: normally,
        says: "over",
    },
    Row {
        name: "no namespaces of its own, by the setting alone",
        without: &[Layer::Seccomp],
        limits: usual,
        program: "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def unshare():
    if libc.unshare(0x10000000) == -1: raise OSError(ctypes.get_errno(), 'unshare')
attempt('unshare', unshare)
print('over')
",
        ends: normally,
        says: "refused unshare",
    },
    Row {
        name: "ending itself",
        without: NOTHING,
        limits: usual,
        program: "os.kill(os.getpid(), 11)",
        ends: |end| end == End::Signalled(11),
        says: "",
    },
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_programs_are_kept_in() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let other = folder();
    let user = if rustix::process::geteuid().is_root() { "root" } else { "an ordinary user" };
    let mut faults = Vec::new();
    for (k, row) in ROWS.iter().enumerate() {
        let mark = format!("hostile-{}-{k}", std::process::id());
        let constants = format!("# {mark}\nPORT = {port}\nOTHER = {:?}\n", other.path().display().to_string());
        let mut limits = limits();
        (row.limits)(&mut limits);
        let wall = limits.wall;
        let (ended, log) = run(row.without, &format!("{constants}{TRY}{}", row.program), limits).await;
        let left = still_running(&mark);
        let fault = if !(row.ends)(ended.end) {
            format!("ended as {:?}", ended.end)
        } else if !log.contains(row.says) {
            format!("did not say {:?}", row.says)
        } else if log.contains("WORKED") {
            "did what it must not".to_owned()
        } else if left > 0 {
            format!("left {left} processes")
        } else if ended.wall > wall + Duration::from_secs(5) {
            format!("took {:?}", ended.wall)
        } else if log.len() > 66 << 10 {
            format!("logged {} bytes", log.len())
        } else {
            continue;
        };
        faults.push(format!("{} (as {user}): {fault}\n{log:.2000}", row.name));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n---\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_job_ends_and_leaves_nothing() {
    let work = folder();
    let cancel = CancellationToken::new();
    let mark = format!("cancelled-{}", std::process::id());
    let program = format!("# {mark}\nimport time\nopen('started', 'w')\ntime.sleep(60)");
    let sandbox = sandbox(NOTHING).await;
    let running = sandbox.run(job(work.path(), &program, limits()), cancel.clone());
    let stop = async {
        while !work.path().join("started").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(running, stop);
    assert_eq!(ended.unwrap().end, End::Cancelled);
    assert_eq!(still_running(&mark), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_milestone_starts_the_clock_anew() {
    let work = folder();
    let program = "import time\ntime.sleep(0.3)\nopen('milestone', 'w')\ntime.sleep(60)";
    let mut limits = limits();
    limits.wall = Duration::from_secs(30);
    let mut job = job(work.path(), program, limits);
    job.milestone = Some(Milestone { file: "milestone".into(), wall: Duration::from_millis(700) });
    let ended = sandbox(NOTHING).await.run(job, CancellationToken::new()).await.unwrap();
    assert_eq!(ended.end, End::WallLimit);
    let seen = ended.milestone.unwrap();
    assert!(seen >= Duration::from_millis(300) && ended.wall >= seen + Duration::from_millis(700), "{ended:?}");
    assert!(ended.wall < Duration::from_secs(30), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_record_names_the_layers() {
    let report = sandbox(&[Layer::Seccomp]).await.report();
    assert_eq!(report.without, ["seccomp"]);
    let layers =
        ["environment", "files", "limits", "memory-watch", "network", "no-nesting", "processes", "unprivileged"];
    assert_eq!(report.layers, layers);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_side_by_side_have_their_own_budget_of_processes() {
    let program = "import os, time
children = [os.fork() or time.sleep(1) or os._exit(0) for _ in range(10)]
print('ten')";
    let sandbox = sandbox(NOTHING).await;
    let works: Vec<_> = (0..3).map(|_| folder()).collect();
    let jobs = works.iter().map(|work| sandbox.run(job(work.path(), program, limits()), CancellationToken::new()));
    let mut ends = Vec::new();
    let [a, b, c] = <[_; 3]>::try_from(jobs.collect::<Vec<_>>()).map_err(|_| ()).unwrap();
    let (a, b, c) = tokio::join!(a, b, c);
    ends.extend([a, b, c].map(|ended| String::from_utf8(ended.unwrap().log).unwrap()));
    assert_eq!(ends, ["ten\n"; 3]);
}

/// The same tests once more without root's rights, for those who have them.
#[test]
fn an_ordinary_user_is_kept_in_as_well() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let place = folder();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = place.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid", "1000", "--regid", "1000", "--clear-groups", "--"])
        .arg(copy)
        .args(["--test-threads", "1"])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/tmp")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && !said.contains(" 0 passed"), "{said}");
}

/// Nothing here may be left out by accident.
#[test]
fn every_layer_is_tested_without_another() {
    let without: BTreeSet<_> = ROWS.iter().flat_map(|row| row.without.iter().copied()).collect();
    assert!(without.contains(&Layer::Seccomp) && without.contains(&Layer::Network));
}
