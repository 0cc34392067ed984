//! The sandbox made of bubblewrap, limits of the kernel, and a watch from outside.
//!
//! As root a job is first handed to a user without rights: the kernel counts no processes of root. What that user could
//! not reach (an environment under `/root`, say) is mounted for it in a mount namespace of the job's own.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use meshmark_core::bundle::format::SandboxReport;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use super::{
    End, Ended, Job, Layer, Limits, Mount, Sandbox, SandboxError, WORK,
    log::BoundedLog,
    seccomp,
    usage::{self, Member, Usage},
};

/// The user without rights, `nobody` and `nogroup` where they have names.
const NOBODY: u32 = 65_534;
/// How often a job is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How often its folder is.
const FOLDER_TICK: Duration = Duration::from_millis(200);
/// How long the kernel may take to end killed processes.
const KILL_GRACE: Duration = Duration::from_secs(5);
/// `/tmp` and `/dev/shm` of a job, bytes each.
const SCRATCH_BYTES: u64 = 64 << 20;
/// Open files of a process.
const OPEN_FILES: u64 = 1024;
/// Where the filter is open when bubblewrap starts; see `launch.sh`.
const FILTER_DESCRIPTOR: &str = "9";

const LAUNCH: &str = include_str!("launch.sh");
const MISSING: &str = "Install bubblewrap: apt-get install bubblewrap";

/// Runs jobs under bubblewrap.
#[derive(Debug)]
pub struct Bubblewrap {
    without: BTreeSet<Layer>,
    is_root: bool,
    /// Holds `seccomp.bpf`, `passwd` and the empty folder `stage`; readable for everybody.
    own: TempDir,
}

impl Bubblewrap {
    /// Makes sure that every layer is there but those in `without`, by running a program that does nothing.
    ///
    /// # Errors
    /// [`SandboxError`] naming the layer that is missing.
    pub async fn new(without: BTreeSet<Layer>) -> Result<Self, SandboxError> {
        // Of root's jobs a user without rights reads this, so it lies where everybody may go.
        let is_root = rustix::process::geteuid().is_root();
        let parent = if is_root { PathBuf::from("/tmp") } else { std::env::temp_dir() };
        let own = prepare(&parent).map_err(|source| SandboxError::Io { step: "make its own folder", source })?;
        let sandbox = Self { without, is_root, own };
        let Err(reason) = sandbox.probe().await else { return Ok(sandbox) };
        Err(sandbox.what_is_missing(reason).await)
    }

    fn has(&self, layer: Layer) -> bool {
        !self.without.contains(&layer)
    }

    /// Whether root's rights are laid down.
    fn lays_down_rights(&self) -> bool {
        self.is_root && self.has(Layer::Unprivileged)
    }

    /// Runs `true` in full armour; else what was said about why not.
    async fn probe(&self) -> Result<(), String> {
        if self.has(Layer::MemoryWatch) && usage::of_tree(std::process::id().cast_signed()).members.is_empty() {
            return Err("/proc does not show processes".to_owned());
        }
        let work = tempfile::Builder::new().tempdir_in(self.own.path()).map_err(|error| error.to_string())?;
        let job = Job {
            argv: vec!["/usr/bin/true".into()],
            work: work.path().to_owned(),
            readable: Vec::new(),
            env: Vec::new(),
            limits: Limits {
                wall: Duration::from_secs(20),
                cpu: Duration::from_secs(20),
                address_space_bytes: 1 << 30,
                memory_bytes: 1 << 30,
                processes: 16,
                file_bytes: 1 << 20,
                folder_bytes: 1 << 20,
                log_bytes: 4096,
            },
            milestone: None,
        };
        match self.run(job, CancellationToken::new()).await {
            Ok(Ended { end: End::Exited(0), .. }) => Ok(()),
            Ok(Ended { log, end, .. }) => {
                let said = String::from_utf8_lossy(&log).trim().to_owned();
                Err(if said.is_empty() { format!("a program that does nothing ended as {end:?}") } else { said })
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// The layer without which it works; none when it doesn't work at all.
    async fn what_is_missing(self, reason: String) -> SandboxError {
        for layer in Layer::ALL.into_iter().filter(|layer| self.has(*layer)) {
            let without = self.without.iter().copied().chain([layer]).collect();
            let Ok(own) = prepare(self.own.path().parent().unwrap_or(Path::new("/tmp"))) else { continue };
            if (Self { without, is_root: self.is_root, own }).probe().await.is_ok() {
                return SandboxError::Layer { layer, reason };
            }
        }
        let remedy = if crate::is_on_path("bwrap") {
            "Run where user namespaces may be made: as root, or with `sysctl kernel.unprivileged_userns_clone=1` (Debian) \
             or a profile of AppArmor that lets bubblewrap (Ubuntu); not in a container without rights"
        } else {
            MISSING
        };
        SandboxError::Missing { reason, remedy }
    }

    /// The whole command, from the shell that prepares mounts to the job itself.
    fn command(&self, job: &Job) -> Command {
        let own = |name: &str| self.own.path().join(name);
        let mounts: Vec<(&Path, &Path)> = std::iter::once((job.work.as_path(), Path::new(WORK)))
            .chain(job.readable.iter().map(|Mount { host, inside }| (host.as_path(), inside.as_path())))
            .collect();
        let staged = self.lays_down_rights();
        let mut words: Vec<OsString> = Vec::new();
        let mut say = |text: &[&str]| words.extend(text.iter().map(OsString::from));
        if staged {
            say(&["unshare", "--mount", "--propagation", "private"]);
        }
        say(&["/bin/sh", "-c", LAUNCH, "meshmark"]);
        words.push(if self.has(Layer::Seccomp) { own("seccomp.bpf").into() } else { OsString::new() });
        words.push(if staged { own("stage").into() } else { OsString::new() });
        if staged {
            words.extend(mounts.iter().map(|(host, _)| host.into()));
        }
        words.push("--".into());
        let mut say = |text: &[&str]| words.extend(text.iter().map(OsString::from));
        if staged {
            let nobody = NOBODY.to_string();
            say(&["setpriv", "--reuid", &nobody, "--regid", &nobody, "--clear-groups", "--no-new-privs"]);
            say(&["--inh-caps=-all", "--bounding-set=-all"]);
        }
        say(&["bwrap", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]);
        if self.has(Layer::Network) {
            say(&["--unshare-net"]);
        }
        if self.has(Layer::NoNesting) {
            say(&["--disable-userns"]);
        }
        if self.has(Layer::Seccomp) {
            say(&["--seccomp", FILTER_DESCRIPTOR]);
        }
        say(&["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL", "--hostname", "sandbox"]);
        say(&["--ro-bind", "/usr", "/usr"]);
        for link in ["bin", "sbin", "lib", "lib32", "lib64", "libx32"] {
            let host = Path::new("/").join(link);
            if host.is_symlink() {
                say(&["--symlink", &format!("usr/{link}"), &format!("/{link}")]);
            } else if host.is_dir() {
                say(&["--ro-bind", &format!("/{link}"), &format!("/{link}")]);
            }
        }
        for readable in ["/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime"] {
            say(&["--ro-bind-try", readable, readable]);
        }
        words.extend(["--ro-bind".into(), own("passwd").into(), "/etc/passwd".into()]);
        let mut say = |text: &[&str]| words.extend(text.iter().map(OsString::from));
        let scratch = SCRATCH_BYTES.to_string();
        say(&["--proc", "/proc", "--dev", "/dev"]);
        say(&["--size", &scratch, "--perms", "1777", "--tmpfs", "/dev/shm"]);
        say(&["--size", &scratch, "--perms", "1777", "--tmpfs", "/tmp"]);
        for (k, (host, inside)) in mounts.iter().enumerate() {
            let from = if staged { own("stage").join(k.to_string()) } else { (*host).to_owned() };
            let how = if *inside == Path::new(WORK) { "--bind" } else { "--ro-bind" };
            words.extend([OsString::from(how), from.into(), (*inside).into()]);
        }
        let mut say = |text: &[&str]| words.extend(text.iter().map(OsString::from));
        say(&["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORK]);
        for (name, value) in &job.env {
            say(&["--setenv", name, value]);
        }
        // Set inside, so that processes are counted in the job's own user namespace and not with those of its neighbours.
        let limits = &job.limits;
        say(&["--", "/usr/bin/prlimit", "--core=0", &format!("--nofile={OPEN_FILES}")]);
        say(&[&format!("--nproc={}", limits.processes), &format!("--as={}", limits.address_space_bytes)]);
        let cpu = limits.cpu.as_secs().max(1);
        // The second figure kills what ignores the signal at the first.
        say(&[&format!("--fsize={}", limits.file_bytes), &format!("--cpu={cpu}:{}", cpu + 1), "--"]);
        words.extend(job.argv.iter().cloned());

        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env_clear().env("PATH", SYSTEM_PATH).current_dir("/").kill_on_drop(true);
        command
    }
}

const SYSTEM_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A folder with what every job is started with.
fn prepare(parent: &Path) -> io::Result<TempDir> {
    let own = tempfile::Builder::new().prefix("meshmark-sandbox-").tempdir_in(parent)?;
    fs::set_permissions(own.path(), fs::Permissions::from_mode(0o755))?;
    fs::create_dir(own.path().join("stage"))?;
    fs::write(own.path().join("seccomp.bpf"), seccomp::filter()?)?;
    let uid = if rustix::process::geteuid().is_root() { NOBODY } else { rustix::process::geteuid().as_raw() };
    fs::write(own.path().join("passwd"), format!("sandbox:x:{uid}:{uid}:sandbox:{WORK}:/usr/sbin/nologin\n"))?;
    Ok(own)
}

/// Gives a folder and all in it to a user.
fn hand_over(folder: &Path, uid: u32) -> io::Result<()> {
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        std::os::unix::fs::lchown(&path, Some(uid), Some(uid))?;
        if fs::symlink_metadata(&path)?.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        }
    }
    Ok(())
}

#[async_trait::async_trait]
impl Sandbox for Bubblewrap {
    fn report(&self) -> SandboxReport {
        let always = ["environment", "files", "limits", "processes"].map(str::to_owned);
        let chosen = Layer::ALL.into_iter().filter(|layer| self.has(*layer)).map(|layer| layer.to_string());
        let mut layers: Vec<_> = always.into_iter().chain(chosen).collect();
        layers.sort_unstable();
        SandboxReport {
            kind: "bubblewrap".to_owned(),
            layers,
            without: self.without.iter().map(ToString::to_string).collect(),
        }
    }

    async fn run(&self, job: Job, cancel: CancellationToken) -> Result<Ended, SandboxError> {
        let io = |step| move |source| SandboxError::Io { step, source };
        if self.lays_down_rights() {
            hand_over(&job.work, NOBODY).map_err(io("give the job its folder"))?;
        }
        let (reader, writer) = io::pipe().map_err(io("open a pipe for its output"))?;
        let second_writer = writer.try_clone().map_err(io("open a pipe for its output"))?;
        let start = Instant::now();
        let child = {
            let mut command = self.command(&job);
            command.stdin(Stdio::null()).stdout(writer).stderr(second_writer);
            command.spawn().map_err(io("start"))?
        };
        let reader = tokio::net::unix::pipe::Receiver::from_owned_fd(reader.into()).map_err(io("read its output"))?;
        let log = tokio::spawn(BoundedLog::new(job.limits.log_bytes).fill(reader));
        let mut watch = Watch { job: &job, start, child, usage: Usage::default(), peak: 0, milestone: None };
        let end = watch.until_over(&cancel, self.has(Layer::MemoryWatch)).await.map_err(io("watch"))?;
        let Watch { peak, milestone, .. } = watch;
        let wall = start.elapsed();
        let log = log.await.map_err(|error| io("read its output")(io::Error::other(error)))?.finish();
        Ok(Ended { end, log, wall, milestone, peak_memory_bytes: peak })
    }
}

/// A job under way.
struct Watch<'a> {
    job: &'a Job,
    start: Instant,
    child: Child,
    usage: Usage,
    peak: u64,
    milestone: Option<Duration>,
}

impl Watch<'_> {
    /// Waits for the end of the job, or brings it about. Nothing of it is left afterwards.
    async fn until_over(&mut self, cancel: &CancellationToken, watch_memory: bool) -> io::Result<End> {
        let mut tick = tokio::time::interval(TICK);
        let mut folder_looked_at = Instant::now();
        let forced = loop {
            tokio::select! {
                status = self.child.wait() => {
                    let end = self.end_of(status?);
                    self.see_milestone();
                    return Ok(if self.folder_is_over() { End::FolderLimit } else { end });
                }
                () = cancel.cancelled() => break End::Cancelled,
                _ = tick.tick() => {}
            }
            self.look();
            if self.deadline() <= self.start.elapsed() {
                break End::WallLimit;
            }
            if watch_memory && self.memory_is_over() {
                break End::MemoryLimit;
            }
            if folder_looked_at.elapsed() >= FOLDER_TICK {
                if self.folder_is_over() {
                    break End::FolderLimit;
                }
                folder_looked_at = Instant::now();
            }
        };
        self.kill().await?;
        Ok(forced)
    }

    fn look(&mut self) {
        self.see_milestone();
        if let Some(pid) = self.child.id() {
            self.usage = usage::of_tree(pid.cast_signed());
            self.peak = self.peak.max(self.usage.resident_bytes);
        }
    }

    fn see_milestone(&mut self) {
        if let (Some(milestone), None) = (&self.job.milestone, self.milestone)
            && self.job.work.join(&milestone.file).symlink_metadata().is_ok()
        {
            self.milestone = Some(self.start.elapsed());
        }
    }

    /// From the start.
    fn deadline(&self) -> Duration {
        match (&self.job.milestone, self.milestone) {
            (Some(milestone), Some(seen)) => seen + milestone.wall,
            _ => self.job.limits.wall,
        }
    }

    fn memory_is_over(&mut self) -> bool {
        let limit = self.job.limits.memory_bytes;
        self.usage.resident_bytes > limit
            // Children share what their parent loaded until they write to it: then ask more exactly.
            && usage::proportional_bytes(&self.usage.members).is_none_or(|bytes| bytes > limit)
    }

    fn folder_is_over(&self) -> bool {
        usage::folder_is_over(&self.job.work, &self.usage.members, self.job.limits.folder_bytes)
    }

    /// bubblewrap gives 128 and the signal's number for a job that a signal ended.
    fn end_of(&self, status: std::process::ExitStatus) -> End {
        use std::os::unix::process::ExitStatusExt;
        let signal = match (status.code(), status.signal()) {
            (Some(code @ 129..=192), _) => code - 128,
            (Some(code), _) => return End::Exited(code),
            (None, signal) => signal.unwrap_or_default(),
        };
        let limit = self.job.limits.cpu;
        let near = self.usage.longest_cpu + Duration::from_secs(1) >= limit;
        if near && [Signal::XCPU.as_raw(), Signal::KILL.as_raw()].contains(&signal) {
            return End::CpuLimit;
        }
        End::Signalled(signal)
    }

    /// Kills the whole tree and waits until it is gone.
    async fn kill(&mut self) -> io::Result<()> {
        self.look();
        self.child.start_kill()?;
        // The first process of the namespace goes with its parent, and all others with it; this is for the time between.
        for member in &self.usage.members {
            if let Some(pid) = Pid::from_raw(member.pid).filter(|_| member.is_alive()) {
                // It may just have ended.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        self.child.wait().await?;
        let killed = Instant::now();
        while self.usage.members.iter().copied().any(Member::is_alive) {
            if killed.elapsed() > KILL_GRACE {
                return Err(io::Error::other("a killed process would not end"));
            }
            tokio::time::sleep(TICK).await;
        }
        Ok(())
    }
}
