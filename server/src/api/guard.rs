//! Who may do what. Programs of strangers run here, so: without a token only from this machine, and not by a page of
//! another site in a browser on it.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};

use super::{App, problem::Problem};

/// What protects the API.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// The token that changing requests must carry.
    pub token: Option<String>,
}

impl Guard {
    fn refusal(&self, method: &Method, headers: &HeaderMap) -> Option<Problem> {
        if let Some(token) = &self.token {
            let carried = text(headers, header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
            let right = carried.is_some_and(|carried| same(carried, token));
            let needed = *method != Method::GET && *method != Method::HEAD;
            return (needed && !right)
                .then(|| Problem::new(StatusCode::UNAUTHORIZED, "send the server's token: `Authorization: Bearer …`"));
        }
        // A page elsewhere whose name was made to mean this machine still sends its own name.
        let host = text(headers, header::HOST).unwrap_or_default();
        if !is_local(host) {
            return Some(Problem::new(
                StatusCode::FORBIDDEN,
                format!(
                    "this server answers to localhost and 127.0.0.1, not to {host:?}; set a token to open it to others"
                ),
            ));
        }
        let origin = text(headers, header::ORIGIN).and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
        let foreign = origin.is_some_and(|origin| origin != host);
        foreign.then(|| Problem::new(StatusCode::FORBIDDEN, "pages of other sites may not use this server"))
    }
}

/// Lets a request through, or says why not.
pub(super) async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match app.guard.refusal(request.method(), request.headers()) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn is_local(host: &str) -> bool {
    let name = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
        .map_or(host, |(name, _)| name);
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

/// Compared by hash, so that the time it takes tells nothing.
fn same(a: &str, b: &str) -> bool {
    Sha256::digest(a) == Sha256::digest(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_or_a_token() {
        let refused = |token: Option<&str>, method: Method, headers: &[(header::HeaderName, &str)]| {
            let guard = Guard { token: token.map(str::to_owned) };
            let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
            guard.refusal(&method, &headers).is_some()
        };
        let host = |host| (header::HOST, host);
        for (name, local) in
            [("localhost:8317", true), ("127.0.0.1", true), ("[::1]:80", true), ("evil.example", false), ("", false)]
        {
            assert_eq!(refused(None, Method::POST, &[host(name)]), !local, "{name}");
        }
        let local = host("127.0.0.1:8317");
        assert!(refused(None, Method::POST, &[local.clone(), (header::ORIGIN, "https://evil.example")]));
        assert!(!refused(None, Method::POST, &[local.clone(), (header::ORIGIN, "http://127.0.0.1:8317")]));
        assert!(refused(Some("secret"), Method::POST, std::slice::from_ref(&local)));
        assert!(refused(Some("secret"), Method::DELETE, &[(header::AUTHORIZATION, "Bearer other")]));
        assert!(!refused(Some("secret"), Method::POST, &[(header::AUTHORIZATION, "Bearer secret")]));
        assert!(!refused(Some("secret"), Method::GET, &[host("bench.example")]));
    }
}
