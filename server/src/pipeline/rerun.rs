//! Executes a bundle's programs again, in the sandbox like any stranger's.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
};

use anyhow::Result;
use meshmark_core::{
    bundle::{
        Bundle, Fault, ReadAt,
        format::{Outcome, ProgramPath},
        rerun::{self, Gave},
        verify::Check,
    },
    program::Program,
    protocol::EXEC_MESHMARK,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{
    config::Config,
    pipeline::run,
    runner::{Execution, Request, Views},
};

/// A program of the bundle, and what is claimed of it.
struct Claimed {
    place: String,
    program: ProgramPath,
    outcome: Outcome,
    mesh: Option<String>,
}

/// Runs up to `most` of the bundle's programs, references among them, chosen at random, under the limits that the bundle
/// says were in force.
///
/// # Errors
/// When Blender or the sandbox is missing, or the bundle can't be read any more.
pub async fn check<S: ReadAt>(bundle: &mut Bundle<S>, config: &Config, most: usize) -> Result<Vec<Check>> {
    let config = with_limits(config.clone(), &bundle.manifest().limits);
    let runner = super::blender(&config).await?;
    let jobs = run::jobs(&config, runner.facts().memory_bytes);
    let mut waiting = choose(bundle, most).into_iter();
    let mut running = JoinSet::new();
    let mut checks = Vec::new();
    loop {
        while running.len() < jobs
            && let Some(claimed) = waiting.next()
        {
            let program = program(bundle, &claimed.program)?;
            let mesh = claimed.mesh.as_ref().map(|path| bundle.entry(path)).transpose()?;
            let execution = execution(&claimed.outcome);
            let runner = runner.clone();
            running.spawn(async move {
                let request = Request { program, execution, views: Views::None };
                let ran = runner.run(&request, &|_| (), CancellationToken::new()).await;
                let of_bundle = Gave { outcome: &claimed.outcome, mesh: mesh.as_deref() };
                let again = Gave { outcome: &ran.outcome, mesh: ran.mesh.as_deref() };
                rerun::check(&claimed.place, of_bundle, again)
            });
        }
        let Some(ended) = running.join_next().await else { break };
        checks.push(ended?);
    }
    checks.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(checks)
}

/// Every program of the bundle, or so many of them in an order that nobody can foresee.
fn choose<S: ReadAt>(bundle: &Bundle<S>, most: usize) -> Vec<Claimed> {
    let references = bundle.items().iter().filter_map(|item| {
        let (program, outcome) = (item.reference.program.clone()?, item.reference.outcome.clone()?);
        let place = format!("reference of {}", item.id);
        Some(Claimed { place, program, outcome, mesh: item.reference.mesh.clone() })
    });
    let attempts = bundle.attempts().iter().filter_map(|attempt| {
        let (program, outcome) = (attempt.answer.program.clone()?, attempt.outcome.clone());
        Some(Claimed { place: attempt.id.path(), program, outcome, mesh: attempt.mesh.clone() })
    });
    let mut all: Vec<_> = references.chain(attempts).collect();
    let order = RandomState::new();
    all.sort_by_cached_key(|claimed| order.hash_one(&claimed.place));
    all.truncate(most);
    all
}

fn program<S: ReadAt>(bundle: &mut Bundle<S>, path: &ProgramPath) -> Result<Program, Fault> {
    let mut files = BTreeMap::new();
    for file in &path.files {
        let bytes = bundle.entry(&format!("{}/{file}", path.folder))?;
        files.insert(file.clone(), String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(Program { entry: path.entry.clone(), files })
}

fn execution(outcome: &Outcome) -> Execution {
    match outcome {
        Outcome::Mesh(outcome) if outcome.protocol != EXEC_MESHMARK => Execution::Official,
        _ => Execution::Meshmark,
    }
}

/// The limits of the run, but no more than are configured here: a bundle's word is no reason to give a program more.
fn with_limits(mut config: Config, limits: &BTreeMap<String, f64>) -> Config {
    let here = &mut config.limits;
    for (name, limit) in [
        ("script_wall_s", &mut here.script_wall_s),
        ("export_wall_s", &mut here.export_wall_s),
        ("cpu_s", &mut here.cpu_s),
    ] {
        if let Some(claimed) = limits.get(name).filter(|claimed| **claimed > 0.0) {
            *limit = limit.min(*claimed);
        }
    }
    for (name, limit) in [
        ("address_space_bytes", &mut here.address_space_bytes),
        ("memory_bytes", &mut here.memory_bytes),
        ("processes", &mut here.processes),
        ("file_bytes", &mut here.file_bytes),
        ("folder_bytes", &mut here.folder_bytes),
    ] {
        if let Some(claimed) = limits.get(name).filter(|claimed| **claimed >= 1.0) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "casts saturate, and it is at least 1"
            )]
            let claimed = *claimed as u64;
            *limit = (*limit).min(claimed);
        }
    }
    config
}
