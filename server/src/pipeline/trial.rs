//! One trial: the program that is found in an answer, its run, and what is measured on the result.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use anyhow::Result;
use meshmark_core::{
    answer::{Answer, AnswerContent, Tokens},
    bundle::format::{AnswerFiles, Attempt, Item, Measurement, Ours, Outcome, Reference, Timing, View},
    id::{AttemptId, SourceId},
    outcome::{FailureClass, MeshOutcome, OfficialStatus, Status},
    program::Program,
    reply,
    task::Task,
};
use tokio_util::sync::CancellationToken;

use super::measure;
use crate::{
    answers::python,
    runner::{Execution, Picture, Ran, Request, Runner, Stage, Views},
    store::{AttemptRecord, ReferenceRecord, RunFolder, folder_of},
};

/// The name under which a reference's times stand.
const REFERENCE: &str = "reference";

/// How trials are done.
#[derive(Clone)]
pub struct Workshop {
    /// Runs programs.
    pub runner: Arc<dyn Runner>,
    /// How.
    pub execution: Execution,
    /// Which pictures.
    pub views: Views,
    /// Which measures, by protocol id.
    pub measures: Vec<String>,
    /// Kind of machine, for the record of times.
    pub machine: String,
}

/// A program that ran, and what was measured on its mesh; not yet kept.
#[derive(Debug)]
pub struct Evidence {
    /// How it ended.
    pub outcome: Outcome,
    /// The GLB.
    pub mesh: Option<Vec<u8>>,
    /// The pictures.
    pub views: Vec<Picture>,
    /// The program's output.
    pub log: Vec<u8>,
    /// The measurements; empty without a reference.
    pub measurements: Vec<Measurement>,
    /// Seconds by stage.
    pub seconds: BTreeMap<String, f64>,
    /// The largest memory seen.
    pub peak_memory_bytes: Option<u64>,
}

/// An answer, and the program found in it.
#[derive(Debug)]
pub struct Found {
    /// Whose answer to what.
    pub id: AttemptId,
    /// Tokens used, when known.
    pub tokens: Option<Tokens>,
    /// US dollars, when known.
    pub cost_usd: Option<f64>,
    /// The raw reply, when it was one.
    pub reply: Option<String>,
    /// The program; none when the reply holds none.
    pub program: Option<Program>,
    /// See [`AnswerFiles`].
    pub trimmed_head: u32,
    /// See [`AnswerFiles`].
    pub trimmed_tail: u32,
}

impl Workshop {
    /// Finds the program in an answer: under the official protocol as the official code does.
    #[must_use]
    pub fn find(&self, answer: Answer) -> Found {
        let Answer { id, content, tokens, cost_usd } = answer;
        let nothing = Found { id, tokens, cost_usd, reply: None, program: None, trimmed_head: 0, trimmed_tail: 0 };
        let reply = match content {
            AnswerContent::Program(program) => return Found { program: Some(program), ..nothing },
            AnswerContent::Response(reply) => reply,
        };
        let found = match self.execution {
            Execution::Meshmark => reply::program(&reply, &python::parses),
            Execution::Official => reply::official(&reply, &python::parses),
        };
        let reply = Some(reply);
        match found {
            None => Found { reply, ..nothing },
            Some(reply::Found { text, trimmed_head, trimmed_tail }) => {
                let program = Some(Program::single("code.py", &text));
                Found { reply, program, trimmed_head, trimmed_tail, ..nothing }
            }
        }
    }

    /// Runs a program and measures its mesh against a reference's.
    pub async fn evaluate(
        &self,
        program: Option<Program>,
        reference: Option<Arc<Vec<u8>>>,
        note: &(dyn Fn(Stage) + Send + Sync),
        cancel: CancellationToken,
    ) -> Evidence {
        let begun = Instant::now();
        let mut evidence = match program {
            None => no_program(self.execution),
            Some(program) => {
                let request = Request { program, execution: self.execution, views: self.views };
                Evidence::from(self.runner.run(&request, note, cancel).await)
            }
        };
        if let (Some(reference), Outcome::Mesh(_)) = (reference, &evidence.outcome) {
            let measuring = Instant::now();
            evidence = self.measured(evidence, reference).await;
            evidence.seconds.insert("measure".to_owned(), measuring.elapsed().as_secs_f64());
        }
        evidence.seconds.insert("total".to_owned(), begun.elapsed().as_secs_f64());
        evidence
    }

    async fn measured(&self, mut evidence: Evidence, reference: Arc<Vec<u8>>) -> Evidence {
        let (measures, mesh) = (self.measures.clone(), evidence.mesh.take());
        let measuring = tokio::task::spawn_blocking(move || {
            let measure = |protocol: &String| measure::shape(&reference, mesh.as_deref(), protocol);
            (measures.iter().map(measure).collect(), mesh)
        });
        match measuring.await {
            Ok((measurements, mesh)) => Evidence { measurements, mesh, ..evidence },
            Err(error) => {
                let message = format!("measuring failed: {error}; please report this with the mesh");
                Evidence { outcome: Outcome::Ours(Ours { stage: "measure".to_owned(), message }), ..evidence }
            }
        }
    }

    /// One attempt from its answer on, kept in the run's folder but not yet noted there.
    ///
    /// # Errors
    /// When it can't be kept, for a full disk say.
    pub fn keep_attempt(&self, run: &RunFolder, found: Found, evidence: Evidence) -> Result<AttemptRecord> {
        let folder = folder_of(&found.id);
        let response = match &found.reply {
            Some(reply) => {
                let path = format!("{folder}/response.txt");
                run.add_file(&path, reply.as_bytes())?;
                Some(path)
            }
            None => None,
        };
        let program =
            found.program.as_ref().map(|program| run.add_program(&format!("{folder}/program"), program)).transpose()?;
        let log = if evidence.log.is_empty() {
            None
        } else {
            let path = format!("{folder}/log.txt");
            run.add_file(&path, &evidence.log)?;
            Some(path)
        };
        let Found { id, tokens, cost_usd, trimmed_head, trimmed_tail, .. } = found;
        let answer = AnswerFiles { response, program, trimmed_head, trimmed_tail };
        let timing = self.timing(id.clone(), &evidence);
        let (mesh, views) = self.keep_blobs(run, &evidence)?;
        let Evidence { outcome, measurements, .. } = evidence;
        let attempt = Attempt { id, answer, outcome, mesh, views, log, tokens, cost_usd, measurements };
        Ok(AttemptRecord { attempt, timing })
    }

    /// A reference, kept in the run's folder but not yet noted there. `evidence` is none when the task has no program.
    ///
    /// # Errors
    /// When it can't be kept, for a full disk say.
    pub fn keep_reference(
        &self,
        run: &RunFolder,
        task: &Task,
        prompt: &str,
        evidence: Option<Evidence>,
    ) -> Result<ReferenceRecord> {
        let id = AttemptId { item: task.id.clone(), source: SourceId::new(REFERENCE)?, sample: 0, turn: 0 };
        let mut reference = Reference { outcome: None, mesh: None, views: Vec::new(), program: None };
        if let Some(program) = &task.reference {
            reference.program = Some(run.add_program(&format!("{REFERENCE}/{}", task.id), program)?);
        }
        let mut timing =
            Timing { id: id.clone(), seconds: BTreeMap::new(), peak_memory_bytes: None, machine: self.machine.clone() };
        if let Some(evidence) = evidence {
            timing = self.timing(id, &evidence);
            (reference.mesh, reference.views) = self.keep_blobs(run, &evidence)?;
            reference.outcome = Some(evidence.outcome);
        }
        let item = Item {
            id: task.id.clone(),
            category: task.category.clone(),
            taxonomy: Vec::new(),
            prompt: prompt.to_owned(),
            reference,
        };
        Ok(ReferenceRecord { item, timing })
    }

    fn keep_blobs(&self, run: &RunFolder, evidence: &Evidence) -> Result<(Option<String>, Vec<View>)> {
        let mesh = evidence.mesh.as_ref().map(|mesh| run.add_blob(mesh, "glb")).transpose()?;
        let mut views = Vec::new();
        for picture in &evidence.views {
            let protocol = self.views.id().unwrap_or_default().to_owned();
            views.push(View {
                azimuth_deg: picture.azimuth_deg,
                protocol,
                picture: run.add_blob(&picture.png, "png")?,
            });
        }
        Ok((mesh, views))
    }

    fn timing(&self, id: AttemptId, evidence: &Evidence) -> Timing {
        Timing {
            id,
            seconds: evidence.seconds.clone(),
            peak_memory_bytes: evidence.peak_memory_bytes,
            machine: self.machine.clone(),
        }
    }
}

impl From<Ran> for Evidence {
    fn from(ran: Ran) -> Self {
        let Ran { outcome, mesh, views, log, seconds, peak_memory_bytes } = ran;
        let peak_memory_bytes = Some(peak_memory_bytes);
        Self { outcome, mesh, views, log, measurements: Vec::new(), seconds, peak_memory_bytes }
    }
}

/// What comes of a reply without a program.
fn no_program(execution: Execution) -> Evidence {
    let message = "the reply holds no program".to_owned();
    let outcome = MeshOutcome {
        status: Status::ErrParse,
        official_status: None::<OfficialStatus>,
        exception: None,
        failure_class: Some(FailureClass::Other),
        fingerprint: Some(message.clone()),
        message,
        n_meshes: 0,
        triangles: 0,
        warnings: Vec::new(),
        protocol: execution.id().to_owned(),
    };
    Evidence {
        outcome: Outcome::Mesh(outcome),
        mesh: None,
        views: Vec::new(),
        log: Vec::new(),
        measurements: Vec::new(),
        seconds: BTreeMap::new(),
        peak_memory_bytes: None,
    }
}

/// Kind of machine, such as `x86_64, 2 cores`.
#[must_use]
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{}, {cores} cores", std::env::consts::ARCH)
}
