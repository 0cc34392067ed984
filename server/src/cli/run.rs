//! `meshmark run`: evaluates answers on tasks.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use meshmark_core::{
    bundle::format::{Claim, Outcome, Source},
    id::AttemptId,
    outcome::Status,
    protocol::{CHAMFER_UPRIGHT, EXEC_MESHMARK, EXEC_OFFICIAL},
    task::Task,
};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::{
    Failure, Verdict, board,
    bundle::{beside, in_store},
    screen::Screen,
};
use crate::{
    answers::{AnswerSource, Stored},
    config::Config,
    pipeline::{
        self, measure,
        run::{Event, Orders, jobs},
        trial::{Workshop, machine},
    },
    runner::{Execution, Views},
    store::{Plan, RunFolder},
    tasks::{self, TaskSet},
};

/// Evaluate answers on the tasks of a benchmark
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    meshmark run --bench 3dcodebench --tasks 3dcodebench/ --answers stored:results/ --out runs/overnight\n  \
    meshmark run --bench 3dcodebench --tasks tasks/ --answers stored:a/ stored:b.d/ --out runs/two --resume\n\n\
    Killed or stopped, it goes on with --resume and repeats nothing. `meshmark bundle` makes one file of it.")]
pub(super) struct Args {
    /// The benchmark
    #[arg(long, value_name = "NAME", value_parser = ["3dcodebench"])]
    bench: String,

    /// Tasks in the published layout: a checkout, or the folder of the task folders
    #[arg(long, value_name = "DIR")]
    tasks: PathBuf,

    /// Only these tasks, by name
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    items: Option<Vec<String>>,

    /// Who answers; `stored:DIR` for answers on disk
    #[arg(long, value_name = "SPEC", required = true, num_args = 1..)]
    answers: Vec<String>,

    /// The folder of the run
    #[arg(long, value_name = "RUN")]
    out: PathBuf,

    /// Which of a task's texts is the prompt
    #[arg(long, value_name = "KIND", default_value = "description", value_parser = ["description", "instruction"])]
    prompt: String,

    /// Pictures of the results
    #[arg(long, value_enum, value_name = "KIND")]
    views: Option<Views>,

    /// How programs are run
    #[arg(long, value_name = "ID", default_value = EXEC_MESHMARK, value_parser = [EXEC_MESHMARK, EXEC_OFFICIAL])]
    protocol: String,

    /// What is measured, by protocol id
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = CHAMFER_UPRIGHT, value_parser = measure::ALL)]
    measures: Vec<String>,

    /// Trials at once; by default one for each core, as far as memory allows
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Only every N-th attempt, beginning with the I-th
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,

    /// Go on with a run that was stopped
    #[arg(long)]
    resume: bool,

    /// Say what would be run, and run nothing
    #[arg(long)]
    dry_run: bool,
}

/// What is printed for scripts.
#[derive(Debug, Serialize)]
struct Document<'a> {
    run: &'a PathBuf,
    tasks: usize,
    attempts: usize,
    done: usize,
    /// How many attempts ended how.
    outcomes: &'a BTreeMap<String, usize>,
    /// What is no task or no answer, and tasks that a source does not answer.
    left_out: &'a [String],
    claims: &'a [Claim],
}

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts.filter(|(i, n)| (1..=*n).contains(i)).ok_or_else(|| "give I/N, such as 1/4 for the first of four".to_owned())
}

/// What was found on the disk.
struct Work {
    tasks: TaskSet,
    sources: Vec<Source>,
    attempts: BTreeMap<AttemptId, Arc<dyn AnswerSource>>,
    left_out: Vec<String>,
}

pub(super) fn run(args: &Args, mut config: Config, screen: &Screen) -> Result<Verdict, Failure> {
    config.run.jobs = args.jobs.or(config.run.jobs);
    let work = find(args)?;
    for line in &work.left_out {
        screen.remark(line);
    }
    if args.dry_run {
        return dry_run(args, &work, screen);
    }
    super::in_runtime(execute(args, &config, work, screen))
}

/// Tasks, answers, and what is neither.
fn find(args: &Args) -> Result<Work, Failure> {
    let mut tasks = tasks::read(&args.tasks).map_err(|error| Failure::Call(error.to_string()))?;
    if let Some(items) = &args.items {
        let known = |name: &String| tasks.tasks.iter().any(|task| task.id.as_str() == name);
        if let Some(unknown) = items.iter().find(|name| !known(name)) {
            return Err(Failure::Call(format!("there is no task {unknown} in {}", args.tasks.display())));
        }
        tasks.tasks.retain(|task| items.iter().any(|name| task.id.as_str() == name));
    }
    let mut left_out: Vec<_> =
        tasks.unfit.iter().map(|unfit| format!("{}: not a task: {}", unfit.folder.display(), unfit.reason)).collect();
    let mut attempts: BTreeMap<AttemptId, Arc<dyn AnswerSource>> = BTreeMap::new();
    let mut sources = BTreeMap::new();
    for spec in &args.answers {
        let Some(folder) = spec.strip_prefix("stored:") else {
            return Err(Failure::Call(format!("{spec} is no answer source that there is; there is `stored:DIR`")));
        };
        let stored = Stored::open(folder.as_ref()).map_err(|error| Failure::Call(error.to_string()))?;
        left_out.extend(stored.unfit().iter().map(|unfit| {
            let line = unfit.line.map_or_else(String::new, |line| format!(" line {line}"));
            format!("{}{line}: not an answer: {}", unfit.place.display(), unfit.reason)
        }));
        if args.items.is_none() {
            let strangers = stored.strangers(&tasks.tasks);
            left_out.extend(strangers.iter().map(|id| format!("{spec}: {}: there is no such task", id.path())));
        }
        let stored: Arc<dyn AnswerSource> = Arc::new(stored);
        for source in stored.sources() {
            if sources.insert(source.id.clone(), source.clone()).is_some() {
                return Err(Failure::Call(format!("two of --answers have a source {}; rename one", source.id)));
            }
        }
        for id in tasks.tasks.iter().flat_map(|task| stored.attempts(task)) {
            attempts.insert(id, stored.clone());
        }
    }
    left_out.extend(unanswered(&tasks.tasks, sources.values(), &attempts));
    if let Some((i, n)) = args.shard {
        attempts = attempts.into_iter().enumerate().filter(|(k, _)| k % n == i - 1).map(|(_, entry)| entry).collect();
    }
    Ok(Work { tasks, sources: sources.into_values().collect(), attempts, left_out })
}

/// A source that skips tasks would look better than it is if nobody said so.
fn unanswered<'a>(
    tasks: &[Task],
    sources: impl Iterator<Item = &'a Source>,
    attempts: &BTreeMap<AttemptId, Arc<dyn AnswerSource>>,
) -> Vec<String> {
    let answered: BTreeSet<_> = attempts.keys().map(|id| (&id.source, &id.item)).collect();
    sources
        .filter_map(|source| {
            let missing: Vec<_> = tasks
                .iter()
                .filter(|task| !answered.contains(&(&source.id, &task.id)))
                .map(|task| task.id.as_str())
                .collect();
            let first = missing.first()?;
            Some(format!("{} does not answer {} of {} tasks, {first} for one", source.id, missing.len(), tasks.len()))
        })
        .collect()
}

fn dry_run(args: &Args, work: &Work, screen: &Screen) -> Result<Verdict, Failure> {
    let ids: Vec<_> = work.attempts.keys().map(AttemptId::path).collect();
    let document = serde_json::json!({ "run": args.out, "tasks": work.tasks.tasks.len(), "attempts": ids, "left_out": work.left_out });
    screen.result(&document, |_| {
        let sources: Vec<_> = work.sources.iter().map(|source| source.id.to_string()).collect();
        format!("{} attempts of {} on {} tasks would be run", ids.len(), sources.join(", "), work.tasks.tasks.len())
    })?;
    Ok(Verdict::Done)
}

async fn execute(args: &Args, config: &Config, work: Work, screen: &Screen) -> Result<Verdict, Failure> {
    let runner = pipeline::blender(config).await?;
    let execution = if args.protocol == EXEC_OFFICIAL { Execution::Official } else { Execution::Meshmark };
    let views = args.views.unwrap_or(if execution == Execution::Official { Views::Official } else { Views::Quick });
    let facts = runner.facts().clone();
    let mut protocols: BTreeSet<String> = args.measures.iter().cloned().collect();
    protocols.insert(execution.id().to_owned());
    protocols.extend(views.id().map(str::to_owned));
    let plan = Plan {
        benchmark: args.bench.clone(),
        benchmark_sha256: work.tasks.sha256.clone(),
        prompt: args.prompt.clone(),
        sources: work.sources,
        protocols: protocols.into_iter().collect(),
        tools: facts.tools,
        limits: facts.limits,
        sandbox: facts.sandbox,
    };
    let mut folder = RunFolder::begin(&args.out, plan, args.resume).map_err(in_store)?;
    let tasks = work.tasks.tasks.len();
    let orders = Orders {
        workshop: Workshop { runner, execution, views, measures: args.measures.clone(), machine: machine() },
        tasks: work.tasks.tasks,
        long_prompt: args.prompt == "instruction",
        attempts: work.attempts,
        jobs: jobs(config, facts.memory_bytes),
    };
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.cancel();
        }
    });
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for record in folder.attempts() {
        *outcomes.entry(status(&record.attempt.outcome).as_str().to_owned()).or_default() += 1;
    }
    let progress = Progress::new(screen);
    orders.run(&mut folder, &mut |event| progress.tell(&event, &mut outcomes), &cancel).await?;
    progress.bar.finish_and_clear();
    let contents = folder.contents();
    let document = Document {
        run: &args.out,
        tasks,
        attempts: orders.attempts.len(),
        done: contents.attempts.len(),
        outcomes: &outcomes,
        left_out: &work.left_out,
        claims: &contents.claims,
    };
    screen.result(&document, |screen| lines(&document, screen))?;
    if cancel.is_cancelled() {
        screen.remark(&format!("stopped; `--resume` goes on, {} of {} are done", document.done, document.attempts));
    }
    Ok(Verdict::Done)
}

const fn status(outcome: &Outcome) -> Status {
    match outcome {
        Outcome::Mesh(outcome) => outcome.status,
        Outcome::Ours(_) => Status::Ours,
    }
}

/// A bar for people who watch, a line for each failure of ours for everybody.
struct Progress<'a> {
    bar: ProgressBar,
    screen: &'a Screen,
}

impl<'a> Progress<'a> {
    fn new(screen: &'a Screen) -> Self {
        let bar = if screen.talks() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {per_sec}  {eta} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, screen }
    }

    fn tell(&self, event: &Event<'_>, outcomes: &mut BTreeMap<String, usize>) {
        match event {
            Event::Begins { total, done } => {
                self.bar.set_length(*total as u64);
                self.bar.set_position(*done as u64);
                // What was done before says nothing of the rate.
                self.bar.reset_eta();
            }
            Event::Reference(item, outcome) => {
                let failed = outcome.filter(|outcome| status(outcome) != Status::Ok);
                if let Some(outcome) = failed {
                    self.bar.suspend(|| {
                        self.screen.remark(&format!("the reference of {item} gave no mesh: {}", said(outcome)))
                    });
                }
                self.bar.inc(1);
            }
            Event::Attempt(id, outcome) => {
                if let Outcome::Ours(_) = outcome {
                    self.bar
                        .suspend(|| self.screen.remark(&format!("we failed to run {}: {}", id.path(), said(outcome))));
                }
                *outcomes.entry(status(outcome).as_str().to_owned()).or_default() += 1;
                self.bar.set_message(counts(outcomes));
                self.bar.inc(1);
            }
        }
    }
}

fn said(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Mesh(outcome) => &outcome.message,
        Outcome::Ours(ours) => &ours.message,
    }
}

fn counts(outcomes: &BTreeMap<String, usize>) -> String {
    let in_order = Status::ALL.iter().filter_map(|status| outcomes.get_key_value(status.as_str()));
    in_order.map(|(status, count)| format!("{status} {count}")).collect::<Vec<_>>().join("  ")
}

fn lines(document: &Document<'_>, screen: &Screen) -> String {
    let rows = board::rows_of(document.claims).into_iter().filter(board::Row::is_overall);
    let table = board::table(&rows.collect::<Vec<_>>(), screen);
    format!(
        "{}  {} of {} attempts on {} tasks\n{}\n\n{table}\n{}",
        screen.strong(&document.run.display().to_string()),
        document.done,
        document.attempts,
        document.tasks,
        counts(document.outcomes),
        screen.faint(&format!(
            "one file of it: meshmark bundle {} --out {}",
            document.run.display(),
            beside(document.run).display()
        ))
    )
}
