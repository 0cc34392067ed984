//! The bundles on offer.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, Request, State},
    http::{StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{App, problem::Problem};
use crate::store::Listed;

async fn listed(app: Arc<App>) -> Result<Vec<Listed>, Problem> {
    let listing = tokio::task::spawn_blocking(move || app.bundles.list());
    listing.await.map_err(|error| Problem::ours(&error))?.map_err(|error| Problem::ours(&error))
}

fn entry_of(run: Listed) -> Value {
    let Listed { root, name, file, benchmark, items, attempts } = run;
    json!({ "root": root, "name": name, "url": format!("runs/{file}"), "benchmark": benchmark, "items": items, "attempts": attempts })
}

/// `runs.json`, as the pages read it from any host; here with the API beside it.
pub(super) async fn site(State(app): State<Arc<App>>) -> Result<Json<Value>, Problem> {
    let api = app.trials.is_some().then_some("api/v1/");
    let runs: Vec<_> = listed(app).await?.into_iter().map(entry_of).collect();
    Ok(Json(json!({ "runs": runs, "api": api })))
}

/// `GET /runs`.
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Json<Value>, Problem> {
    let runs: Vec<_> = listed(app).await?.into_iter().map(entry_of).collect();
    Ok(Json(json!({ "runs": runs })))
}

/// `GET /runs/{root}/{path}`: one entry of a bundle.
pub(super) async fn entry(
    State(app): State<Arc<App>>,
    Path((root, path)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let name = path.clone();
    let reading = tokio::task::spawn_blocking(move || {
        let Some(mut bundle) = app.bundles.open(&root)? else { return Ok(None) };
        if !bundle.entries().contains_key(&path) {
            return Ok(None);
        }
        bundle.entry(&path).map(Some).map_err(|fault| std::io::Error::other(fault.message))
    });
    let bytes: Result<Option<Vec<u8>>, std::io::Error> = reading.await.map_err(|error| Problem::ours(&error))?;
    let bytes =
        bytes.map_err(|error| Problem::ours(&error))?.ok_or_else(|| Problem::missing("such entry of such a run"))?;
    Ok(([(header::CONTENT_TYPE, media_type(&name))], bytes).into_response())
}

/// Everything else in the folder of runs is nobody's business.
pub(super) async fn bundles_only(request: Request, next: Next) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    if path.ends_with(".run.zip") && !path.contains('/') && !path.starts_with('.') {
        next.run(request).await
    } else {
        Problem::new(StatusCode::NOT_FOUND, "there is no such bundle here").into_response()
    }
}

/// What a file of a stranger's is called; never a type that a browser would run.
pub(super) fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("json") => "application/json",
        Some("glb") => "model/gltf-binary",
        Some("png") => "image/png",
        Some("txt" | "py" | "jsonl") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
