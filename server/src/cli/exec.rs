//! `meshmark exec`: one Blender program in the sandbox.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Mutex,
};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use meshmark_core::{
    bundle::format::{Ours, Outcome, SandboxReport},
    outcome::{Exception, FailureClass, MeshOutcome, OfficialStatus, Status},
    protocol::{EXEC_MESHMARK, EXEC_OFFICIAL},
};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::{Failure, Verdict, screen::Screen};
use crate::{
    config::{BackendName, Config},
    pipeline, program_files,
    runner::{Execution, Facts, Ran, Request, Stage, Views},
};

/// Run one Blender program in the sandbox
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    meshmark exec chair.py --out chair\n  \
    meshmark exec chair/ --out chair-evidence --views meshmark --timeout 60 --json\n\n\
    Writes outcome.json, log.txt and, when the program built something, mesh.glb and views/.")]
pub(super) struct Args {
    /// A Python file, or a folder with a main.py
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,

    /// The folder for what comes out; results of an earlier run there are replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Seconds for Blender's start and the program; export and pictures have their own
    #[arg(long, value_name = "S")]
    timeout: Option<f64>,

    /// Pictures of the result
    #[arg(long, value_enum, value_name = "KIND")]
    views: Option<Views>,

    /// How the program is run
    #[arg(long, value_name = "ID", default_value = EXEC_MESHMARK, value_parser = [EXEC_MESHMARK, EXEC_OFFICIAL])]
    protocol: String,

    /// The bpy module, or a Blender program
    #[arg(long, value_enum, value_name = "NAME")]
    backend: Option<BackendName>,

    /// The Blender program
    #[arg(long, value_name = "PATH")]
    blender: Option<PathBuf>,

    /// Do without a layer of the sandbox; may be repeated
    #[arg(long = "without-layer", value_name = "LAYER")]
    without: Vec<String>,
}

/// `outcome.json`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    status: Status,
    official_status: Option<OfficialStatus>,
    exception: Option<&'a Exception>,
    failure_class: Option<FailureClass>,
    fingerprint: Option<&'a str>,
    message: &'a str,
    n_meshes: u64,
    triangles: u64,
    warnings: &'a [String],
    protocol: &'a str,
    /// `render`, `sandbox`, ...; only for `OURS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<&'a str>,
    seconds: &'a BTreeMap<String, f64>,
    peak_memory_bytes: u64,
    limits: &'a BTreeMap<String, f64>,
    sandbox: &'a SandboxReport,
    tools: &'a BTreeMap<String, String>,
}

impl<'a> Document<'a> {
    fn of(ran: &'a Ran, facts: &'a Facts, execution: Execution) -> Self {
        let document = Self {
            status: Status::Ours,
            official_status: None,
            exception: None,
            failure_class: None,
            fingerprint: None,
            message: "",
            n_meshes: 0,
            triangles: 0,
            warnings: &[],
            protocol: execution.id(),
            stage: None,
            seconds: &ran.seconds,
            peak_memory_bytes: ran.peak_memory_bytes,
            limits: &facts.limits,
            sandbox: &facts.sandbox,
            tools: &facts.tools,
        };
        match &ran.outcome {
            Outcome::Ours(Ours { stage, message }) => Self { stage: Some(stage), message, ..document },
            Outcome::Mesh(outcome) => {
                let MeshOutcome { status, official_status, exception, failure_class, fingerprint, .. } = outcome;
                Self {
                    status: *status,
                    official_status: *official_status,
                    exception: exception.as_ref(),
                    failure_class: *failure_class,
                    fingerprint: fingerprint.as_deref(),
                    message: &outcome.message,
                    n_meshes: outcome.n_meshes,
                    triangles: outcome.triangles,
                    warnings: &outcome.warnings,
                    ..document
                }
            }
        }
    }
}

pub(super) fn run(args: &Args, config: Config, screen: &Screen) -> Result<Verdict, Failure> {
    let (config, request) = read(args, config)?;
    let (ran, facts) = super::in_runtime(execute(&config, &request, screen))?;
    let document = Document::of(&ran, &facts, request.execution);
    write(&args.out, &ran, &document).with_context(|| format!("{} can't be written", args.out.display()))?;
    screen.result(&document, |screen| lines(&document, &args.out, screen))?;
    match &ran.outcome {
        Outcome::Mesh(_) => Ok(Verdict::Done),
        Outcome::Ours(ours) => Err(Failure::Ours(anyhow::anyhow!("{} ({})", ours.message, ours.stage))),
    }
}

/// What is to be done, or what is wrong with the call.
fn read(args: &Args, mut config: Config) -> Result<(Config, Request), Failure> {
    let execution = if args.protocol == EXEC_OFFICIAL { Execution::Official } else { Execution::Meshmark };
    let views = args.views.unwrap_or(match execution {
        Execution::Meshmark => Views::Quick,
        Execution::Official => Views::Official,
    });
    if execution == Execution::Official && !matches!(views, Views::Official | Views::None) {
        return Err(Failure::Call(format!(
            "{EXEC_OFFICIAL} draws in the program's own scene: with it there are `--views official` and `--views none`"
        )));
    }
    if let Some(seconds) = args.timeout {
        config.limits.script_wall_s = seconds;
    }
    if args.blender.is_some() {
        config.blender.binary.clone_from(&args.blender);
        config.blender.backend = Some(BackendName::Blender);
    }
    config.blender.backend = args.backend.or(config.blender.backend);
    config.sandbox.without.extend(args.without.iter().cloned());
    let wrong = |error: anyhow::Error| Failure::Call(format!("{error:#}"));
    config.runner_limits().map_err(wrong)?;
    config.without().map_err(wrong)?;
    config.backend().map_err(wrong)?;
    let program = program_files::read(&args.program).map_err(|error| Failure::Call(error.to_string()))?;
    Ok((config, Request { program, execution, views }))
}

async fn execute(config: &Config, request: &Request, screen: &Screen) -> Result<(Ran, Facts), Failure> {
    let runner = pipeline::blender(config).await?;
    let bar = if screen.talks() { spinner() } else { ProgressBar::hidden() };
    let shown = Mutex::new(bar.clone());
    let note = move |stage: Stage| {
        let Ok(bar) = shown.lock() else { return };
        bar.set_message(match stage {
            Stage::Script => "the program runs",
            Stage::Export => "the scene is exported",
            Stage::Render => "pictures are made",
        });
    };
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    });
    let ran = runner.run(request, &note, cancel).await;
    bar.finish_and_clear();
    Ok((ran, runner.facts().clone()))
}

fn spinner() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{spinner} {msg} {elapsed}").unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(std::time::Duration::from_millis(120));
    bar
}

/// Replaces an earlier run's results by this one's; `outcome.json` is last, so that it stands for a whole set.
fn write(out: &Path, ran: &Ran, document: &Document<'_>) -> anyhow::Result<()> {
    let gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    fs::create_dir_all(out)?;
    let views = out.join("views");
    for file in ["outcome.json", "mesh.glb", "log.txt"] {
        gone(fs::remove_file(out.join(file)))?;
    }
    gone(fs::remove_dir_all(&views))?;
    fs::write(out.join("log.txt"), &ran.log)?;
    if let Some(mesh) = &ran.mesh {
        fs::write(out.join("mesh.glb"), mesh)?;
    }
    if !ran.views.is_empty() {
        fs::create_dir(&views)?;
    }
    for picture in &ran.views {
        fs::write(views.join(format!("{:03}.png", picture.azimuth_deg)), &picture.png)?;
    }
    fs::write(out.join("outcome.json"), serde_json::to_string_pretty(document)? + "\n")?;
    Ok(())
}

fn lines(document: &Document<'_>, out: &Path, screen: &Screen) -> String {
    let row = |name: &str, value: String| format!("{} {value}\n", screen.faint(&format!("{name:<10}")));
    let mut text = row("outcome", format!("{}  {}", screen.strong(document.status.as_str()), document.message));
    if let Some(class) = document.failure_class {
        let class = serde_json::to_value(class).ok().and_then(|name| name.as_str().map(str::to_owned));
        text += &row("class", class.unwrap_or_default());
    }
    for warning in document.warnings {
        text += &row("note", warning.clone());
    }
    let spent = document.seconds.iter().map(|(stage, seconds)| format!("{stage} {seconds:.1} s"));
    text += &row("time", spent.collect::<Vec<_>>().join("   "));
    text + &row("evidence", out.display().to_string())
}
