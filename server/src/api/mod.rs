//! HTTP: the pages, the bundles, and trials for pages and scripts.
//!
//! - [`router`]: every route, and the headers and bounds that hold for all
//! - `trials`: submit, follow, cancel; `runs`: what is on offer; `problem`: refusals as problem+json
//! - `guard`: who may submit

mod guard;
mod problem;
mod runs;
mod trials;

use std::{path::PathBuf, sync::Arc};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    middleware,
    routing::{get, post},
};
use serde_json::{Value, json};
use tower_http::{services::ServeDir, set_header::SetResponseHeaderLayer};

pub use guard::Guard;
use problem::Problem;

use crate::{pipeline::trials::Trials, store::Bundles};

/// The largest body of a request, bytes.
pub const MAX_BODY_BYTES: usize = 64 << 20;

/// What every handler sees.
pub struct App {
    /// The queue; none where execution is off.
    pub trials: Option<Arc<Trials>>,
    /// Why execution is off.
    pub why_not: String,
    /// The bundles on offer.
    pub bundles: Bundles,
    /// Their folder.
    pub runs: PathBuf,
    /// The built pages.
    pub pages: PathBuf,
    /// Who may submit.
    pub guard: Guard,
}

/// Every route.
pub fn router(app: App) -> Router {
    let (pages, runs) = (ServeDir::new(&app.pages), ServeDir::new(&app.runs));
    let app = Arc::new(app);
    let api = Router::new()
        .route("/health", get(health))
        .route("/runs", get(runs::list))
        .route("/runs/{root}/{*path}", get(runs::entry))
        .route("/trials", post(trials::submit))
        .route("/trials/{id}", get(trials::show).delete(trials::cancel))
        .route("/trials/{id}/events", get(trials::events))
        .route("/trials/{id}/artifacts/{*name}", get(trials::artifact))
        .route("/embeddings", post(embeddings))
        .fallback(async || Problem::new(StatusCode::NOT_FOUND, "there is no such address in this API"))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(middleware::from_fn_with_state(app.clone(), guard::check));
    // Of the folder of runs nothing but bundles is given out.
    let bundles = Router::new().fallback_service(runs).layer(middleware::from_fn(runs::bundles_only));
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    Router::new()
        .nest("/api/v1", api)
        .route("/runs.json", get(runs::site))
        .nest_service("/runs", bundles)
        .fallback_service(pages)
        .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(header(header::REFERRER_POLICY, "no-referrer"))
        .layer(header(header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"))
        .with_state(app)
}

async fn health(State(app): State<Arc<App>>) -> Json<Value> {
    let waiting = app.trials.as_ref().map(|trials| trials.waiting());
    Json(
        json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "execution": waiting.is_some(), "waiting": waiting }),
    )
}

async fn embeddings() -> Problem {
    Problem::new(StatusCode::NOT_IMPLEMENTED, "this server has no encoders; scores from stored vectors need none")
}
