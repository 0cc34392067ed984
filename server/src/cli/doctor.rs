//! `meshmark doctor`: what this machine can do, and what would make it do more.

use std::path::Path;

use meshmark_core::program::Program;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::{Failure, Verdict, screen::Screen};
use crate::{
    config::Config,
    pipeline,
    runner::{Execution, Ran, Request, Views},
    sandbox::{Bubblewrap, Layer, SandboxError},
};

/// What this machine can run, and the remedy for what it can't
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  meshmark doctor\n\n\
    Runs a small program in Blender, in the sandbox, with pictures: a few seconds.")]
pub(super) struct Args {}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    name: String,
    /// `ok`, `missing`, or `optional` for what is missing and not needed.
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Missing,
    Optional,
}

#[derive(Debug, Serialize)]
struct Document {
    checks: Vec<Check>,
}

impl Check {
    fn ok(name: &str, found: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state: State::Ok, found: found.into(), remedy: None }
    }

    fn missing(name: &str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state: State::Missing, found: found.into(), remedy: Some(remedy.into()) }
    }

    fn optional(name: &str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Optional, ..Self::missing(name, found, remedy) }
    }
}

pub(super) fn run(_args: &Args, config: &Config, screen: &Screen) -> Result<Verdict, Failure> {
    let checks = super::in_runtime(async { Ok(look(config).await) })?;
    let verdict =
        if checks.iter().any(|check| check.state == State::Missing) { Verdict::DoesNotHold } else { Verdict::Done };
    let document = Document { checks };
    screen.result(&document, |screen| document.checks.iter().map(|check| line(check, screen)).collect())?;
    Ok(verdict)
}

async fn look(config: &Config) -> Vec<Check> {
    let mut checks = sandbox(config).await;
    checks.extend(blender(config).await);
    checks.push(graphics_card());
    checks.push(web_pages(config));
    checks
}

/// Every layer; one that is missing is taken out of the way to see the next.
async fn sandbox(config: &Config) -> Vec<Check> {
    let mut without = match config.without() {
        Ok(without) => without,
        Err(error) => return vec![Check::missing("sandbox", error.to_string(), "Mend the configuration")],
    };
    let left_out = without.clone();
    let mut missing = Vec::new();
    loop {
        match Bubblewrap::new(without.clone()).await {
            Ok(_) => break,
            Err(SandboxError::Layer { layer, reason }) => {
                missing.push(Check::missing(&format!("sandbox: {layer}"), reason, layer.remedy()));
                without.insert(layer);
            }
            Err(SandboxError::Missing { reason, remedy }) => return vec![Check::missing("sandbox", reason, remedy)],
            Err(error) => return vec![Check::missing("sandbox", error.to_string(), "Make room under /tmp")],
        }
    }
    let there: Vec<_> = Layer::ALL.into_iter().filter(|layer| !without.contains(layer)).map(Layer::as_str).collect();
    let mut checks = vec![Check::ok("sandbox", format!("bubblewrap with {}", there.join(", ")))];
    checks.extend(missing);
    checks.extend(
        left_out.into_iter().map(|layer| {
            Check::optional(&format!("sandbox: {layer}"), "left out by the configuration", layer.remedy())
        }),
    );
    checks
}

const CUBE: &str = "import bpy\nbpy.ops.mesh.primitive_cube_add()\n";

/// Nothing tells more than a run.
async fn blender(config: &Config) -> Vec<Check> {
    let runner = match pipeline::blender(config).await {
        Ok(runner) => runner,
        Err(error) => {
            let remedy =
                "`cargo verify` or `cargo demo` in a checkout installs it; or name a Blender 5.0 with `--blender`";
            return vec![Check::missing("Blender", format!("{error:#}"), remedy)];
        }
    };
    let tools = &runner.facts().tools;
    let version = |name: &str| tools.get(name).map_or("?", String::as_str);
    let mut checks = vec![Check::ok("Blender", format!("{} (Python {})", version("blender"), version("python")))];
    let libraries = ["numpy", "scipy", "scikit-image", "shapely", "trimesh"].into_iter();
    let (there, absent): (Vec<_>, Vec<_>) = libraries.partition(|name| tools.contains_key(*name));
    let listed =
        |names: &[&str]| names.iter().map(|name| format!("{name} {}", version(name))).collect::<Vec<_>>().join(", ");
    checks.push(if absent.is_empty() {
        Check::ok("libraries", listed(&there))
    } else {
        Check::optional(
            "libraries",
            format!("programs that import {} will fail", absent.join(", ")),
            "Install server/python/requirements.txt into Blender's Python",
        )
    });
    let request =
        Request { program: Program::single("cube.py", CUBE), execution: Execution::Meshmark, views: Views::Quick };
    let ran = runner.run(&request, &|_| (), CancellationToken::new()).await;
    checks.push(trial(&ran));
    checks
}

fn trial(ran: &Ran) -> Check {
    match (&ran.mesh, ran.views.len()) {
        (Some(_), 4) => {
            let seconds: f64 = ran.seconds.values().sum();
            Check::ok("a trial", format!("a cube with four pictures in {seconds:.1} s"))
        }
        _ => Check::missing(
            "a trial",
            format!("a cube failed: {:?}", ran.outcome),
            "Pictures need Mesa: apt-get install libegl1 libgl1-mesa-dri libegl-mesa0",
        ),
    }
}

fn graphics_card() -> Check {
    let card = ["/dev/nvidia0", "/dev/kfd", "/dev/dri/renderD128"].into_iter().find(|path| Path::new(path).exists());
    match card {
        Some(card) => {
            Check::ok("graphics card", format!("{card}; pictures are made on the processor, alike everywhere"))
        }
        None => Check::optional("graphics card", "none", "None is needed: pictures are made on the processor"),
    }
}

fn web_pages(config: &Config) -> Check {
    let folder = config.pages().display().to_string();
    if config.pages().join("index.html").is_file() {
        return Check::ok("web pages", folder);
    }
    let remedy = "`cargo demo` in a checkout builds them; or name the folder with `pages` under `[serve]`";
    Check::optional("web pages", format!("none in {folder}"), remedy)
}

fn line(check: &Check, screen: &Screen) -> String {
    let sign = match check.state {
        State::Ok => "ok",
        State::Missing => "MISSING",
        State::Optional => "--",
    };
    let head = format!("{:<8} {:<18} {}\n", sign, check.name, check.found);
    let remedy =
        check.remedy.as_ref().map_or_else(String::new, |remedy| format!("{:<28}{}\n", "", screen.faint(remedy)));
    head + &remedy
}
