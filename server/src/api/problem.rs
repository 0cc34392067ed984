//! A refusal that helps: problem+json, RFC 9457.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

/// What went wrong, in a sentence.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    detail: String,
    retry_after_s: Option<u32>,
}

impl Problem {
    /// A status and a sentence.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), retry_after_s: None }
    }

    /// With the time after which another try may succeed.
    #[must_use]
    pub fn retry_after(self, seconds: u32) -> Self {
        Self { retry_after_s: Some(seconds), ..self }
    }

    /// Nothing there.
    pub fn missing(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("there is no {what} here; it may have been removed"))
    }

    /// Our failure. What happened goes to our log and not to strangers.
    pub fn ours(error: &dyn std::fmt::Display) -> Self {
        eprintln!("a request failed: {error}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "this server failed; its log says why")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let title = self.status.canonical_reason().unwrap_or("Refused");
        let body =
            json!({ "type": "about:blank", "title": title, "status": self.status.as_u16(), "detail": self.detail });
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}
