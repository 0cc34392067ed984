//! Trials that come one by one, from pages and scripts: a bounded queue in front of the same workshop that runs use.
//! What is accepted ends exactly once: done, cancelled, or interrupted when the server ended first.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use anyhow::Result;
use meshmark_core::{
    bundle::format::{Measurement, Outcome},
    program::Program,
};
use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::trial::{Evidence, Workshop};
use crate::{
    runner::{Execution, Stage, Views},
    store::TrialFolder,
};

/// Ended trials that are kept; the oldest go first.
pub const MAX_KEPT: usize = 500;

/// What somebody wants to be run.
#[derive(Debug, Clone, Serialize)]
pub struct Submission {
    /// The program.
    pub program: Program,
    /// What to measure its mesh against: a GLB.
    #[serde(skip)]
    pub reference: Option<Vec<u8>>,
    /// How, by protocol id.
    #[serde(skip)]
    pub execution: Execution,
    /// Which pictures.
    #[serde(skip)]
    pub views: Views,
    /// Which measures, by protocol id.
    pub measures: Vec<String>,
}

/// Where a trial is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits.
    Queued,
    /// It runs.
    Running,
    /// It ended.
    Done,
    /// Somebody cancelled it.
    Cancelled,
    /// The server ended before it did.
    Interrupted,
}

impl State {
    /// Whether nothing will change any more.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Interrupted)
    }
}

/// All that is known of a trial.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Snapshot {
    /// Its name.
    pub id: String,
    /// Where it is.
    pub state: State,
    /// What is done just now: `script`, `export`, `render`.
    pub stage: Option<String>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// What was measured.
    pub measurements: Vec<Measurement>,
    /// Seconds by stage.
    pub seconds: BTreeMap<String, f64>,
    /// Files that it made: `mesh.glb`, `log.txt`, `views/045.png`.
    pub artifacts: Vec<String>,
}

impl Snapshot {
    fn new(id: &str, state: State) -> Self {
        Self {
            id: id.to_owned(),
            state,
            stage: None,
            outcome: None,
            measurements: Vec::new(),
            seconds: BTreeMap::new(),
            artifacts: Vec::new(),
        }
    }
}

/// Why a trial was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Too many wait.
    #[error("{waiting} trials wait already and no more fit; try again in a few seconds")]
    Full {
        /// How many.
        waiting: usize,
    },
    /// We can't keep it.
    #[error("the trial could not be kept: {0:#}")]
    Ours(#[from] anyhow::Error),
}

struct Trial {
    now: watch::Sender<Snapshot>,
    cancel: CancellationToken,
}

/// The queue, and what became of everything in it.
pub struct Trials {
    workshop: Workshop,
    folder: TrialFolder,
    slots: Semaphore,
    queue: usize,
    trials: Mutex<BTreeMap<String, Trial>>,
    /// Cancelled when the server ends.
    shutdown: CancellationToken,
}

impl Trials {
    /// Opens the folder of trials. Those that an earlier server accepted and did not end are interrupted.
    ///
    /// # Errors
    /// When the folder can't be used.
    pub fn open(
        folder: &Path,
        workshop: Workshop,
        jobs: usize,
        queue: usize,
        shutdown: CancellationToken,
    ) -> Result<Arc<Self>> {
        let folder = TrialFolder::open(folder)?;
        let mut trials = BTreeMap::new();
        for (id, result) in folder.all::<Snapshot>()? {
            let snapshot = match result {
                Some(snapshot) => snapshot,
                None => {
                    let snapshot = Snapshot::new(&id, State::Interrupted);
                    folder.end(&id, &snapshot)?;
                    snapshot
                }
            };
            trials.insert(id, Trial { now: watch::Sender::new(snapshot), cancel: CancellationToken::new() });
        }
        Ok(Arc::new(Self {
            workshop,
            folder,
            slots: Semaphore::new(jobs),
            queue,
            trials: Mutex::new(trials),
            shutdown,
        }))
    }

    fn trials(&self) -> MutexGuard<'_, BTreeMap<String, Trial>> {
        // Nothing is left half done while it is held.
        self.trials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.trials().values().filter(|trial| trial.now.borrow().state == State::Queued).count()
    }

    /// Accepts a trial: when this returns it is on the disk, and will end exactly once.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn submit(self: &Arc<Self>, submission: Submission) -> Result<String, Refused> {
        let id = fresh_id();
        let cancel = self.shutdown.child_token();
        {
            let mut trials = self.trials();
            let waiting = trials.values().filter(|trial| trial.now.borrow().state == State::Queued).count();
            if waiting >= self.queue {
                return Err(Refused::Full { waiting });
            }
            self.folder.accept(&id, &submission).map_err(anyhow::Error::from)?;
            let now = watch::Sender::new(Snapshot::new(&id, State::Queued));
            trials.insert(id.clone(), Trial { now, cancel: cancel.clone() });
            self.forget_oldest(&mut trials);
        }
        let (trials, name) = (self.clone(), id.clone());
        tokio::spawn(async move { trials.run(&name, submission, cancel).await });
        Ok(id)
    }

    /// What is known of a trial.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<Snapshot> {
        self.trials().get(id).map(|trial| trial.now.borrow().clone())
    }

    /// Follows a trial.
    #[must_use]
    pub fn follow(&self, id: &str) -> Option<watch::Receiver<Snapshot>> {
        self.trials().get(id).map(|trial| trial.now.subscribe())
    }

    /// Cancels a trial; one that ended stays as it is. False when there is none.
    #[must_use]
    pub fn cancel(&self, id: &str) -> bool {
        self.trials().get(id).map(|trial| trial.cancel.cancel()).is_some()
    }

    /// A file that a trial made.
    #[must_use]
    pub fn artifact(&self, id: &str, name: &str) -> Option<Vec<u8>> {
        let listed = self.get(id)?.artifacts.iter().any(|artifact| artifact == name);
        if listed { self.folder.artifact(id, name).ok() } else { None }
    }

    async fn run(&self, id: &str, submission: Submission, cancel: CancellationToken) {
        let slot = tokio::select! {
            slot = self.slots.acquire() => slot.ok(),
            () = cancel.cancelled() => None,
        };
        let Some(_slot) = slot.filter(|_| !cancel.is_cancelled()) else {
            return self.end(Snapshot::new(id, self.cut_short()));
        };
        self.change(id, |now| now.state = State::Running);
        let Submission { program, reference, execution, views, measures } = submission;
        let workshop = Workshop { execution, views, measures, ..self.workshop.clone() };
        let note = |stage: Stage| {
            let name = match stage {
                Stage::Script => "script",
                Stage::Export => "export",
                Stage::Render => "render",
            };
            self.change(id, |now| now.stage = Some(name.to_owned()));
        };
        let evidence = workshop.evaluate(Some(program), reference.map(Arc::new), &note, cancel.clone()).await;
        let cancelled = cancel.is_cancelled() && matches!(&evidence.outcome, Outcome::Ours(_));
        let mut snapshot = Snapshot::new(id, if cancelled { self.cut_short() } else { State::Done });
        if let Err(error) = self.keep(&mut snapshot, evidence) {
            eprintln!("trial {id}: its files could not be kept: {error:#}");
        }
        self.end(snapshot);
    }

    /// How a trial ends that did not come to its end.
    fn cut_short(&self) -> State {
        if self.shutdown.is_cancelled() { State::Interrupted } else { State::Cancelled }
    }

    fn keep(&self, snapshot: &mut Snapshot, evidence: Evidence) -> Result<()> {
        let Evidence { outcome, mesh, views, log, measurements, seconds, .. } = evidence;
        snapshot.outcome = Some(outcome);
        snapshot.measurements = measurements;
        snapshot.seconds = seconds;
        let views = views.iter().map(|view| (format!("views/{:03}.png", view.azimuth_deg), view.png.as_slice()));
        let files = [("mesh.glb".to_owned(), mesh.as_deref()), ("log.txt".to_owned(), Some(log.as_slice()))];
        let files = files.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))).chain(views);
        for (name, bytes) in files {
            self.folder.add_artifact(&snapshot.id, &name, bytes)?;
            snapshot.artifacts.push(name);
        }
        Ok(())
    }

    fn end(&self, snapshot: Snapshot) {
        if let Err(error) = self.folder.end(&snapshot.id, &snapshot) {
            // After a restart it will be reported as interrupted.
            eprintln!("trial {}: its result could not be kept: {error:#}", snapshot.id);
        }
        let id = snapshot.id.clone();
        self.change(&id, |now| *now = snapshot);
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut Snapshot)) {
        if let Some(trial) = self.trials().get(id) {
            trial.now.send_modify(change);
        }
    }

    /// Ids begin with the time, so the first are the oldest.
    fn forget_oldest(&self, trials: &mut BTreeMap<String, Trial>) {
        while trials.len() > MAX_KEPT {
            let oldest = trials.iter().find(|(_, trial)| trial.now.borrow().state.is_end()).map(|(id, _)| id.clone());
            let Some(oldest) = oldest else { return };
            trials.remove(&oldest);
            if let Err(error) = self.folder.remove(&oldest) {
                eprintln!("trial {oldest}: it could not be removed: {error:#}");
            }
        }
    }
}

/// Of time and chance: ids sort by age, and nobody guesses that of another's trial.
fn fresh_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
