//! Trials over HTTP.

use std::{collections::BTreeMap, convert::Infallible, sync::Arc};

use axum::{
    Json,
    extract::{Path, State, rejection::JsonRejection},
    http::{StatusCode, header},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use base64::{Engine, engine::general_purpose::STANDARD};
use futures_util::{Stream, stream};
use meshmark_core::{
    id::ItemId,
    program::Program,
    protocol::{CHAMFER_UPRIGHT, EXEC_MESHMARK},
};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;

use super::{App, problem::Problem, runs::media_type};
use crate::pipeline::{
    self, measure,
    trials::{Refused, Snapshot, State as TrialState, Submission, Trials},
};

/// The body of `POST /trials`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    program: AskedProgram,
    /// A task of a loaded run: its reference is measured against.
    task: Option<AskedTask>,
    /// A reference of one's own: a GLB in base 64.
    reference: Option<String>,
    #[serde(default = "quick")]
    views: String,
    #[serde(default = "meshmark")]
    protocol: String,
    measures: Option<Vec<String>>,
}

/// Files by path, or a single one as text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum AskedProgram {
    Text(String),
    Files { entry: String, files: BTreeMap<String, String> },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedTask {
    run: String,
    item: ItemId,
}

fn quick() -> String {
    "quick".to_owned()
}

fn meshmark() -> String {
    EXEC_MESHMARK.to_owned()
}

fn queue(app: &App) -> Result<&Arc<Trials>, Problem> {
    app.trials.as_ref().ok_or_else(|| Problem::new(StatusCode::FORBIDDEN, app.why_not.clone()))
}

fn wrong(detail: impl Into<String>) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
}

/// `POST /trials`.
pub(super) async fn submit(
    State(app): State<Arc<App>>,
    body: Result<Json<Asked>, JsonRejection>,
) -> Result<Response, Problem> {
    queue(&app)?;
    let Json(asked) = body.map_err(|rejection| Problem::new(rejection.status(), rejection.body_text()))?;
    let reading = tokio::task::spawn_blocking(move || {
        let submission = submission(&app, asked)?;
        Ok::<_, Problem>((app, submission))
    });
    let (app, submission) = reading.await.map_err(|error| Problem::ours(&error))??;
    let id = queue(&app)?.submit(submission).map_err(|refused| match &refused {
        Refused::Full { .. } => Problem::new(StatusCode::TOO_MANY_REQUESTS, refused.to_string()).retry_after(5),
        Refused::Ours(error) => Problem::ours(error),
    })?;
    let (place, events) = (format!("api/v1/trials/{id}"), format!("api/v1/trials/{id}/events"));
    let accepted = Json(json!({ "id": id, "events": events }));
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, format!("/{place}"))], accepted).into_response())
}

fn submission(app: &App, asked: Asked) -> Result<Submission, Problem> {
    let program = match asked.program {
        AskedProgram::Text(text) => Program::single("main.py", &text),
        AskedProgram::Files { entry, files } => Program { entry, files },
    };
    if !program.files.contains_key(&program.entry) {
        return Err(wrong(format!("the program has no file {:?}, which `entry` names", program.entry)));
    }
    let reference = match (asked.task, asked.reference) {
        (Some(_), Some(_)) => return Err(wrong("give either `task` or `reference`")),
        (Some(task), None) => {
            let found = app.bundles.reference(&task.run, &task.item).map_err(|error| Problem::ours(&error))?;
            Some(found.ok_or_else(|| {
                wrong(format!("no run {} with a reference for {} is loaded here", task.run, task.item))
            })?)
        }
        (None, Some(base64)) => {
            Some(STANDARD.decode(base64).map_err(|error| wrong(format!("`reference` is no base 64: {error}")))?)
        }
        (None, None) => None,
    };
    let (execution, views) = pipeline::execution_and_views(&asked.protocol, &asked.views).map_err(wrong)?;
    // What pages ask to be measured again may be more than is measured here.
    let measures = asked.measures.unwrap_or_else(|| vec![CHAMFER_UPRIGHT.to_owned()]);
    if let Some(unknown) = measures.iter().find(|id| !measure::ALL.contains(&id.as_str())) {
        return Err(wrong(format!("{unknown:?} is not measured here; there are {}", measure::ALL.join(" and "))));
    }
    Ok(Submission { program, reference, execution, views, measures })
}

/// `GET /trials/{id}`.
pub(super) async fn show(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Json<Snapshot>, Problem> {
    queue(&app)?.get(&id).map(Json).ok_or_else(|| Problem::missing("such trial"))
}

/// `DELETE /trials/{id}`.
pub(super) async fn cancel(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<Response, Problem> {
    let trials = queue(&app)?;
    if !trials.cancel(&id) {
        return Err(Problem::missing("such trial"));
    }
    Ok((StatusCode::ACCEPTED, Json(trials.get(&id))).into_response())
}

/// `GET /trials/{id}/events`: what is now, then each change, until the end.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let following = queue(&app)?.follow(&id).ok_or_else(|| Problem::missing("such trial"))?;
    let events = stream::unfold(Some((following, true)), |state: Option<(watch::Receiver<Snapshot>, bool)>| async {
        let (mut following, first) = state?;
        // A trial that is forgotten while it is followed has ended.
        if !first && following.changed().await.is_err() {
            return None;
        }
        let now = following.borrow_and_update().clone();
        let (name, end) = match (now.state, &now.stage) {
            (TrialState::Queued, _) => ("queued", false),
            (TrialState::Running, None) => ("running", false),
            (TrialState::Running, Some(_)) => ("stage", false),
            _ => ("done", true),
        };
        let data = json!({ "id": now.id, "state": now.state, "stage": now.stage }).to_string();
        Some((Ok(Event::default().event(name).data(data)), (!end).then_some((following, false))))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// `GET /trials/{id}/artifacts/{name}`.
pub(super) async fn artifact(
    State(app): State<Arc<App>>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let (trials, kind) = (queue(&app)?.clone(), media_type(&name));
    let reading = tokio::task::spawn_blocking(move || trials.artifact(&id, &name));
    let bytes = reading.await.map_err(|error| Problem::ours(&error))?;
    let bytes = bytes.ok_or_else(|| Problem::missing("such artifact of such a trial"))?;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}
