//! A run: references first, then every attempt that is not done yet, several at a time.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use anyhow::{Context, Result};
use meshmark_core::{
    bundle::format::Outcome,
    id::{AttemptId, ItemId},
    task::Task,
};
use procfs::Current;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::trial::{Evidence, Workshop};
use crate::{answers::AnswerSource, config::Config, runner::Stage, store::RunFolder};

/// What is to be run.
pub struct Orders {
    /// How.
    pub workshop: Workshop,
    /// On which tasks.
    pub tasks: Vec<Task>,
    /// Whether the long instruction is the prompt, and not the short description.
    pub long_prompt: bool,
    /// By whom each attempt is answered.
    pub attempts: BTreeMap<AttemptId, Arc<dyn AnswerSource>>,
    /// How many at once.
    pub jobs: usize,
}

/// What happens in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// How many references and attempts there are, and how many were done before.
    Begins {
        /// References and attempts.
        total: usize,
        /// Of these, done before.
        done: usize,
    },
    /// A reference is done.
    Reference(&'a ItemId, Option<&'a Outcome>),
    /// An attempt is done.
    Attempt(&'a AttemptId, &'a Outcome),
}

impl Orders {
    /// The prompt of a task.
    #[must_use]
    pub fn prompt<'a>(&self, task: &'a Task) -> &'a str {
        if self.long_prompt { &task.instruction } else { &task.description }
    }

    /// Tasks that somebody answers: the others' references are not run.
    fn asked(&self) -> impl Iterator<Item = &Task> {
        let items: BTreeSet<_> = self.attempts.keys().map(|id| &id.item).collect();
        self.tasks.iter().filter(move |task| items.contains(&task.id))
    }

    /// Does all that is not done yet. Cancelled, it stops what is under way, notes nothing of it, and returns.
    ///
    /// # Errors
    /// When something can't be kept. What was done until then is kept.
    pub async fn run(
        &self,
        folder: &mut RunFolder,
        tell: &mut (dyn FnMut(Event<'_>) + Send),
        cancel: &CancellationToken,
    ) -> Result<()> {
        let done: BTreeSet<_> = folder.references().iter().map(|record| record.item.id.clone()).collect();
        let references: Vec<_> = self.asked().filter(|task| !done.contains(&task.id)).cloned().collect();
        let attempted: BTreeSet<_> = folder.attempts().iter().map(|record| record.attempt.id.clone()).collect();
        let attempts: Vec<_> = self.attempts.keys().filter(|id| !attempted.contains(id)).cloned().collect();
        let total = self.asked().count() + self.attempts.len();
        tell(Event::Begins { total, done: total - references.len() - attempts.len() });
        self.run_references(references, folder, tell, cancel).await?;
        if cancel.is_cancelled() {
            return Ok(());
        }
        self.run_attempts(attempts, folder, tell, cancel).await
    }

    async fn run_references(
        &self,
        tasks: Vec<Task>,
        folder: &mut RunFolder,
        tell: &mut (dyn FnMut(Event<'_>) + Send),
        cancel: &CancellationToken,
    ) -> Result<()> {
        let start = |task: Task, running: &mut JoinSet<(Task, Option<Evidence>)>| {
            let (workshop, cancel) = (self.workshop.clone(), cancel.clone());
            running.spawn(async move {
                let evidence = match task.reference.clone() {
                    Some(program) => Some(workshop.evaluate(Some(program), None, &ignore, cancel).await),
                    None => None,
                };
                (task, evidence)
            });
        };
        let mut tasks = tasks.into_iter();
        let mut running = JoinSet::new();
        tasks.by_ref().take(self.jobs).for_each(|task| start(task, &mut running));
        while let Some(ended) = running.join_next().await {
            let (task, evidence) = ended.context("a reference's run broke")?;
            if cancel.is_cancelled() {
                continue;
            }
            let record = self.workshop.keep_reference(folder, &task, self.prompt(&task), evidence)?;
            tell(Event::Reference(&record.item.id, record.item.reference.outcome.as_ref()));
            folder.add_reference(record)?;
            tasks.by_ref().take(1).for_each(|task| start(task, &mut running));
        }
        Ok(())
    }

    async fn run_attempts(
        &self,
        ids: Vec<AttemptId>,
        folder: &mut RunFolder,
        tell: &mut (dyn FnMut(Event<'_>) + Send),
        cancel: &CancellationToken,
    ) -> Result<()> {
        let meshes: BTreeMap<_, _> = folder
            .references()
            .iter()
            .filter_map(|record| Some((record.item.id.clone(), record.item.reference.mesh.clone()?)))
            .collect();
        let mut ids = ids.into_iter();
        let mut running = JoinSet::new();
        loop {
            while running.len() < self.jobs
                && !cancel.is_cancelled()
                && let Some(id) = ids.next()
            {
                let source = self.attempts.get(&id).context("an attempt has no source")?.clone();
                let task = self.tasks.iter().find(|task| task.id == id.item).context("an attempt has no task")?.clone();
                // Read for each attempt anew: of a thousand tasks not every mesh fits into memory.
                let reference = meshes.get(&id.item).map(|path| folder.file(path)).transpose();
                let reference =
                    reference.with_context(|| format!("the reference of {} is gone", id.item))?.map(Arc::new);
                let (workshop, cancel) = (self.workshop.clone(), cancel.clone());
                running.spawn(async move {
                    let answer = source.answer(&id, &task).await?;
                    let searching = workshop.clone();
                    let found = tokio::task::spawn_blocking(move || searching.find(answer)).await?;
                    let evidence = workshop.evaluate(found.program.clone(), reference, &ignore, cancel).await;
                    anyhow::Ok((found, evidence))
                });
            }
            let Some(ended) = running.join_next().await else { return Ok(()) };
            let (found, evidence) = ended.context("an attempt's run broke")??;
            if cancel.is_cancelled() {
                continue;
            }
            let record = self.workshop.keep_attempt(folder, found, evidence)?;
            tell(Event::Attempt(&record.attempt.id, &record.attempt.outcome));
            folder.add_attempt(record)?;
        }
    }
}

/// How many trials go at once: one for each core, but no more than memory has room for.
#[must_use]
pub fn jobs(config: &Config, memory_of_one_bytes: u64) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let free = procfs::Meminfo::current().ok().and_then(|info| info.mem_available);
    let budget = config.run.memory_bytes.or(free.map(|free| free / 4 * 3));
    let fit = budget.map_or(1, |budget| usize::try_from(budget / memory_of_one_bytes.max(1)).unwrap_or(usize::MAX));
    config.run.jobs.unwrap_or(cores).min(fit).max(1)
}

/// Nobody follows the stages of one among many.
const fn ignore(_: Stage) {}
