//! Blender behind the [`Runner`] trait.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Component, Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use meshmark_core::{bundle::format::Outcome, glb, mesh::Mesh, outcome::Status, program::Program};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{
    Backend, Execution, Facts, Picture, Ran, Request, Runner, Stage, Views,
    environment::Environment,
    report::{self, Report},
    verdict::{self, Evidence, Found},
};
use crate::sandbox::{self, End, Ended, Job, Milestone, Mount, Sandbox, WORK, read_result};

/// What a trial may use. The sandbox's `wall` is set for each stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Wall-clock time of Blender's start and the program.
    pub script: Duration,
    /// Wall-clock time of the export.
    pub export: Duration,
    /// Wall-clock time of all pictures.
    pub render: Duration,
    /// The rest.
    pub sandbox: sandbox::Limits,
}

impl Default for Limits {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
        Self {
            script: Duration::from_secs(240),
            export: Duration::from_secs(180),
            render: Duration::from_secs(600),
            sandbox: sandbox::Limits {
                wall: Duration::ZERO,
                cpu: Duration::from_secs(1200),
                address_space_bytes: 8 << 30,
                memory_bytes: 6 << 30,
                // Blender starts a few threads for each core.
                processes: 64 + 4 * threads,
                file_bytes: 512 << 20,
                folder_bytes: 1 << 30,
                log_bytes: 1 << 20,
            },
        }
    }
}

impl Limits {
    fn of_stage(&self, wall: Duration) -> sandbox::Limits {
        sandbox::Limits { wall, ..self.sandbox.clone() }
    }

    /// For the record, with the unit in the name.
    #[must_use]
    pub fn facts(&self) -> BTreeMap<String, f64> {
        #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
        let count = |value: u64| value as f64;
        [
            ("script_wall_s", self.script.as_secs_f64()),
            ("export_wall_s", self.export.as_secs_f64()),
            ("render_wall_s", self.render.as_secs_f64()),
            ("cpu_s", self.sandbox.cpu.as_secs_f64()),
            ("address_space_bytes", count(self.sandbox.address_space_bytes)),
            ("memory_bytes", count(self.sandbox.memory_bytes)),
            ("processes", count(self.sandbox.processes)),
            ("file_bytes", count(self.sandbox.file_bytes)),
            ("folder_bytes", count(self.sandbox.folder_bytes)),
            ("log_bytes", count(self.sandbox.log_bytes as u64)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
    }
}

/// The scripts that run inside, by file name.
const SCRIPTS: [(&str, &str); 3] = [
    ("driver.py", include_str!("../../python/driver.py")),
    ("glb.py", include_str!("../../python/glb.py")),
    ("render.py", include_str!("../../python/render.py")),
];
/// Where they are, inside.
const SCRIPTS_INSIDE: &str = "/meshmark";

const AZIMUTHS_DEG: [u16; 4] = [45, 135, 225, 315];
/// A picture of 512 × 512 pixels without any compression has 1 MiB.
const MAX_PICTURE_BYTES: u64 = 4 << 20;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// How often a run is looked at for the beginning of its export.
const TICK: Duration = Duration::from_millis(100);

/// Runs programs in Blender in a sandbox.
pub struct Blender {
    sandbox: Arc<dyn Sandbox>,
    environment: Environment,
    limits: Limits,
    scripts: TempDir,
    facts: Facts,
}

impl Blender {
    /// Finds Blender and lays out the scripts.
    ///
    /// # Errors
    /// When Blender is not there; the message says how to get it.
    pub fn new(backend: &Backend, limits: Limits, sandbox: Arc<dyn Sandbox>) -> anyhow::Result<Self> {
        let environment = Environment::of(backend)?;
        let scripts = scratch()?;
        for (name, text) in SCRIPTS {
            fs::write(scripts.path().join(name), text)?;
        }
        let mut tools = environment.tools.clone();
        tools.insert("meshmark".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        let facts = Facts {
            tools,
            limits: limits.facts(),
            sandbox: sandbox.report(),
            memory_bytes: limits.sandbox.memory_bytes,
        };
        Ok(Self { sandbox, environment, limits, scripts, facts })
    }

    fn job(&self, work: &Path, script: &str, argument: &str, limits: sandbox::Limits) -> Job {
        let mut readable = self.environment.readable.clone();
        readable.push(Mount { host: self.scripts.path().to_owned(), inside: SCRIPTS_INSIDE.into() });
        let mut env: Vec<_> = [
            ("HOME", "/work/home"),
            ("LANG", "C.UTF-8"),
            ("TMPDIR", "/tmp"),
            ("PATH", "/usr/bin:/bin"),
            // Sets would otherwise be walked in another order each time.
            ("PYTHONHASHSEED", "0"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("PYTHONNOUSERSITE", "1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        env.extend(self.environment.env.iter().cloned());
        Job {
            argv: self.environment.argv(&format!("{SCRIPTS_INSIDE}/{script}"), argument),
            work: work.to_owned(),
            readable,
            env,
            limits,
            milestone: None,
        }
    }

    /// One process with the program in it.
    async fn run_phase(
        &self,
        phase: Phase,
        program: &Program,
        note: &(dyn Fn(Stage) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Left, Failed> {
        let work = lay_out(program)?;
        let argument = serde_json::json!({
            "phase": phase.name(),
            "entry": program.entry,
            "program": format!("{WORK}/{PROGRAM}"),
            "out": format!("{WORK}/{OUT}"),
        });
        let wall = if phase == Phase::OfficialExport { self.limits.export } else { self.limits.script };
        let mut job = self.job(work.path(), "driver.py", &argument.to_string(), self.limits.of_stage(wall));
        if phase == Phase::Run {
            job.milestone = Some(Milestone { file: exporting().into(), wall: self.limits.export });
        }
        let begun = work.path().join(exporting());
        let mut running = self.sandbox.run(job, cancel.clone());
        let mut tick = tokio::time::interval(TICK);
        let mut noted = false;
        let ended = loop {
            tokio::select! {
                ended = &mut running => break ended,
                _ = tick.tick(), if !noted => if begun.symlink_metadata().is_ok() {
                    note(Stage::Export);
                    noted = true;
                },
            }
        };
        Ok(Left { work, ended: ended.map_err(|error| Failed::of("sandbox", error))? })
    }

    async fn as_meshmark(
        &self,
        request: &Request,
        note: &(dyn Fn(Stage) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Ran, Failed> {
        note(Stage::Script);
        let left = self.run_phase(Phase::Run, &request.program, note, cancel).await?;
        let (found, made) = left.mesh().await?;
        let outcome = verdict::of(left.evidence(Execution::Meshmark, &self.limits, found));
        let ok = is_ok(&outcome);
        let mut ran = left.ran(outcome);
        let Some(Made { glb, mesh }) = made.filter(|_| ok) else { return Ok(ran) };
        ran.mesh = Some(glb);
        if request.views == Views::None {
            return Ok(ran);
        }
        drop(left);
        note(Stage::Render);
        let drawn = self.draw(mesh, request.views, cancel).await?;
        ran.seconds.insert("render".to_owned(), drawn.ended.wall.as_secs_f64());
        ran.peak_memory_bytes = ran.peak_memory_bytes.max(drawn.ended.peak_memory_bytes);
        match drawn.pictures() {
            Ok(views) => ran.views = views,
            // A program that built a mesh did its part.
            Err(reason) => ran.outcome = verdict::ours("render", &reason),
        }
        Ok(ran)
    }

    /// Pictures of a mesh, by a process that never saw the program.
    async fn draw(&self, mesh: Mesh, views: Views, cancel: &CancellationToken) -> Result<Left, Failed> {
        let work = empty_work()?;
        let folder = work.path().join(MESH);
        let writing = tokio::task::spawn_blocking(move || write_arrays(&folder, &mesh));
        writing.await.map_err(|error| Failed::of("files", error))??;
        let name = match views {
            Views::None | Views::Quick => "quick",
            Views::Meshmark => "meshmark",
            Views::Official => "official",
        };
        let argument = serde_json::json!({
            "mesh": format!("{WORK}/{MESH}"),
            "out": format!("{WORK}/{OUT}"),
            "views": name,
        });
        let job = self.job(work.path(), "render.py", &argument.to_string(), self.limits.of_stage(self.limits.render));
        let ended = self.sandbox.run(job, cancel.clone()).await.map_err(|error| Failed::of("sandbox", error))?;
        Ok(Left { work, ended })
    }

    async fn as_official(
        &self,
        request: &Request,
        note: &(dyn Fn(Stage) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Ran, Failed> {
        note(Stage::Script);
        let drawn = self.run_phase(Phase::OfficialRender, &request.program, note, cancel).await?;
        // That its pictures are there stands for the mesh, which this run does not export.
        let pictures = drawn.pictures();
        let found = match &pictures {
            Ok(_) => Found::Mesh { nodes: 0, triangles: 0 },
            Err(_) => Found::Nothing,
        };
        let outcome = verdict::of(drawn.evidence(Execution::Official, &self.limits, found));
        let mut ran = drawn.ran(outcome);
        let (Outcome::Mesh(outcome), Ok(views)) = (&ran.outcome, pictures) else { return Ok(ran) };
        if outcome.status != Status::Ok {
            return Ok(ran);
        }
        note(Stage::Export);
        let exported = self.run_phase(Phase::OfficialExport, &request.program, note, cancel).await?;
        let (found, made) = exported.mesh().await?;
        let evidence = exported.evidence(Execution::Official, &self.limits, found);
        ran.outcome = verdict::of_official_export(outcome.clone(), evidence);
        ran.mesh = made.filter(|_| is_ok(&ran.outcome)).map(|made| made.glb);
        if request.views == Views::Official {
            ran.views = views;
        }
        ran.seconds.insert("export".to_owned(), exported.ended.wall.as_secs_f64());
        ran.peak_memory_bytes = ran.peak_memory_bytes.max(exported.ended.peak_memory_bytes);
        Ok(ran)
    }
}

#[async_trait::async_trait]
impl Runner for Blender {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    async fn run(&self, request: &Request, note: &(dyn Fn(Stage) + Send + Sync), cancel: CancellationToken) -> Ran {
        let ran = match request.execution {
            Execution::Meshmark => self.as_meshmark(request, note, &cancel).await,
            Execution::Official => self.as_official(request, note, &cancel).await,
        };
        ran.unwrap_or_else(|Failed { stage, message }| Ran {
            outcome: verdict::ours(stage, &message),
            mesh: None,
            views: Vec::new(),
            log: Vec::new(),
            seconds: BTreeMap::new(),
            peak_memory_bytes: 0,
        })
    }
}

/// The folders of a job, relative to its writable folder.
const PROGRAM: &str = "program";
const OUT: &str = "out";
const HOME: &str = "home";
const MESH: &str = "mesh";

fn exporting() -> String {
    format!("{OUT}/exporting")
}

/// What the driver does; see `server/python/driver.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Run,
    OfficialRender,
    OfficialExport,
}

impl Phase {
    const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::OfficialRender => "official-render",
            Self::OfficialExport => "official-export",
        }
    }
}

/// A failure of ours.
struct Failed {
    stage: &'static str,
    message: String,
}

impl Failed {
    fn of(stage: &'static str, error: impl std::fmt::Display) -> Self {
        Self { stage, message: error.to_string() }
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self { stage: "files", message: format!("a trial's folder could not be made: {error}; is the disk full?") }
    }
}

/// A mesh that a program left: the file, and what core reads in it.
struct Made {
    glb: Vec<u8>,
    mesh: Mesh,
}

/// A finished job and its folder.
struct Left {
    work: TempDir,
    ended: Ended,
}

impl Left {
    /// The mesh, when there is something to measure.
    async fn mesh(&self) -> Result<(Found, Option<Made>), Failed> {
        let work = self.work.path().to_owned();
        let reading = tokio::task::spawn_blocking(move || read_mesh(&work));
        reading.await.map_err(|error| Failed::of("read", format!("reading the exported mesh failed: {error}")))
    }

    fn evidence<'a>(&'a self, execution: Execution, limits: &'a Limits, mesh: Found) -> Evidence<'a> {
        // One that is a link, or too large, explains nothing.
        let report = read_result(self.work.path(), &format!("{OUT}/report.json"), report::MAX_BYTES);
        let report = report.ok().flatten().map(|bytes| Report::read(&bytes)).unwrap_or_default();
        Evidence { execution, ended: &self.ended, limits, report, mesh }
    }

    fn ran(&self, outcome: Outcome) -> Ran {
        let Ended { wall, milestone, peak_memory_bytes, .. } = self.ended;
        let script = milestone.unwrap_or(wall);
        let mut seconds = BTreeMap::from([("script".to_owned(), script.as_secs_f64())]);
        if milestone.is_some() {
            seconds.insert("export".to_owned(), (wall - script).as_secs_f64());
        }
        Ran {
            mesh: None,
            outcome,
            views: Vec::new(),
            log: output_of_program(&self.ended.log),
            seconds,
            peak_memory_bytes,
        }
    }

    /// The four pictures, or why there are not four.
    fn pictures(&self) -> Result<Vec<Picture>, String> {
        AZIMUTHS_DEG
            .into_iter()
            .map(|azimuth| {
                let path = format!("{OUT}/{azimuth:03}.png");
                match read_result(self.work.path(), &path, MAX_PICTURE_BYTES) {
                    Ok(Some(png)) if png.starts_with(PNG) => Ok(Picture { azimuth_deg: f64::from(azimuth), png }),
                    Ok(Some(_)) => Err("a picture is no PNG file".to_owned()),
                    Ok(None) => Err(format!("the picture at {azimuth}° is missing: {}", self.why())),
                    Err(error) => Err(error.to_string()),
                }
            })
            .collect()
    }

    fn why(&self) -> String {
        let log = String::from_utf8_lossy(&self.ended.log);
        let last = log.trim_end().lines().last().unwrap_or("Blender said nothing");
        match self.ended.end {
            End::WallLimit => "drawing took longer than its limit".to_owned(),
            End::MemoryLimit => "drawing took more memory than its limit".to_owned(),
            _ => last.to_owned(),
        }
    }
}

fn read_mesh(work: &Path) -> (Found, Option<Made>) {
    let limits = glb::Limits::default();
    let glb = match read_result(work, &format!("{OUT}/mesh.glb"), limits.max_bytes) {
        Ok(Some(glb)) => glb,
        Ok(None) => return (Found::Nothing, None),
        Err(error) => return (Found::Refused(error.to_string()), None),
    };
    match glb::read(&glb, &limits) {
        Err(refusal) => (Found::Refused(refusal.to_string()), None),
        Ok(mesh) if !mesh.has_area() => (Found::Flat, None),
        Ok(mesh) => {
            let found = Found::Mesh { nodes: mesh.nodes_with_mesh as u64, triangles: mesh.triangles.len() as u64 };
            (found, Some(Made { glb, mesh }))
        }
    }
}

/// The mesh as `server/python/render.py` takes it.
fn write_arrays(folder: &Path, mesh: &Mesh) -> io::Result<()> {
    fs::create_dir(folder)?;
    let mut positions = BufWriter::new(File::create(folder.join("positions.f64"))?);
    for coordinate in mesh.positions.iter().flatten() {
        positions.write_all(&coordinate.to_le_bytes())?;
    }
    positions.flush()?;
    let mut normals = BufWriter::new(File::create(folder.join("normals.f32"))?);
    for coordinate in mesh.normals.iter().flatten().flatten() {
        normals.write_all(&coordinate.to_le_bytes())?;
    }
    normals.flush()?;
    let mut triangles = BufWriter::new(File::create(folder.join("triangles.u32"))?);
    for vertex in mesh.triangles.iter().flatten() {
        triangles.write_all(&vertex.to_le_bytes())?;
    }
    triangles.flush()
}

fn is_ok(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Mesh(outcome) if outcome.status == Status::Ok)
}

/// The program's output: what follows the driver's line, or all if Blender didn't get that far.
fn output_of_program(log: &[u8]) -> Vec<u8> {
    let marker = format!("{}\n", verdict::BEGINS).into_bytes();
    let begins = log.windows(marker.len()).position(|window| window == marker);
    log[begins.map_or(0, |at| at + marker.len())..].to_vec()
}

/// A job's folder with a program in it.
fn lay_out(program: &Program) -> Result<TempDir, Failed> {
    let work = empty_work()?;
    for (path, text) in &program.files {
        let relative = Path::new(path);
        if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(Failed::of("program", format!("the program's file {path} would lie outside its folder")));
        }
        let place: PathBuf = work.path().join(PROGRAM).join(relative);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(place, text)?;
    }
    Ok(work)
}

fn empty_work() -> io::Result<TempDir> {
    let work = scratch()?;
    for folder in [PROGRAM, OUT, HOME] {
        fs::create_dir(work.path().join(folder))?;
    }
    Ok(work)
}

fn scratch() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("meshmark-trial-").tempdir()
}
