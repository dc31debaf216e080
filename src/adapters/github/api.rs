//! One question to the API, and what its answer means: there, not there, or a reason why nothing is known.
//!
//! Sources: GitHub REST API documentation, "Rate limits for the REST API" (403 or 429; `x-ratelimit-remaining`,
//! `x-ratelimit-reset` in seconds since 1970, `retry-after` in seconds), "Using pagination" (`link`, `rel="next"`),
//! "Best practices" (redirects).

use std::fmt;
use std::time::Duration;

use hyper::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, LINK, LOCATION};
use serde_json::Value;

use crate::adapters::executor::https::{Get, Reply, Trust, get, get_in_the_clear};
use crate::adapters::{Runtime, World};
use crate::model::calendar::Day;

use super::place::Base;

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// The most of an answer that is read: a comparison may carry the changes of 300 files.
const MOST: usize = 16 * 1024 * 1024;
/// So many redirects are followed, and so many pages of 100.
const HOPS: usize = 3;
const PAGES: usize = 200;

/// GitHub's REST API at one address. The token is never shown.
pub struct GitHubApi {
    runtime: Runtime,
    base: Base,
    headers: Vec<(HeaderName, HeaderValue)>,
    with_token: bool,
}

impl fmt::Debug for GitHubApi {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("GitHubApi")
            .field("base", &self.base)
            .field("with_token", &self.with_token)
            .finish_non_exhaustive()
    }
}

/// What an answer says.
pub(super) enum Answer {
    /// It is there.
    Found(Value),
    /// There is no such thing, or none that may be seen.
    Missing,
}

impl GitHubApi {
    /// The API at `url`; public repositories can be asked for without a token, 60 times in an hour.
    ///
    /// # Errors
    /// When `url` or the token cannot be used, or the system gives no event queue.
    pub fn new(url: &str, token: Option<&str>) -> Result<Self, String> {
        let mut headers = vec![
            (
                ACCEPT,
                HeaderValue::from_static("application/vnd.github+json"),
            ),
            (
                HeaderName::from_static("x-github-api-version"),
                HeaderValue::from_static("2022-11-28"),
            ),
        ];
        let token = token.map(str::trim).filter(|token| !token.is_empty());
        if let Some(token) = token {
            let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
            let mut bearer =
                bearer.map_err(|_unsendable| "the token cannot stand in a header".to_owned())?;
            bearer.set_sensitive(true);
            headers.push((AUTHORIZATION, bearer));
        }
        Ok(Self {
            runtime: Runtime::new().map_err(|error| format!("no event queue: {error}"))?,
            base: Base::read(url)?,
            headers,
            with_token: token.is_some(),
        })
    }

    /// Asks for one thing; redirects on the same server are followed.
    pub(super) fn ask(&self, path: &str) -> Result<Answer, String> {
        let mut path = path.to_owned();
        for _ in 0..=HOPS {
            let reply = self.fetch(&path)?;
            match reply.status {
                200 => return body(&reply, &path).map(Answer::Found),
                301 | 302 | 307 | 308 => path = self.next_of_redirect(&reply, &path)?,
                // 409 is a repository without a commit; 422 an id of something else.
                404 | 409 | 410 | 422 | 451 => return Ok(Answer::Missing),
                _ => return Err(self.refusal(&reply, &path)),
            }
        }
        Err(format!("GitHub redirects `{path}` more than {HOPS} times"))
    }

    /// All items of a list, page after page.
    pub(super) fn pages(&self, path: &str) -> Result<Vec<Value>, String> {
        let mut next = Some(path.to_owned());
        let mut items = Vec::new();
        let mut asked = 0;
        while let Some(path) = next {
            asked += 1;
            if asked > PAGES {
                return Err(format!("`{path}` has more than {PAGES} pages"));
            }
            let reply = self.fetch(&path)?;
            match reply.status {
                200 => {}
                301 | 302 | 307 | 308 => {
                    next = Some(self.next_of_redirect(&reply, &path)?);
                    continue;
                }
                404 | 409 | 410 | 451 => return Ok(items),
                _ => return Err(self.refusal(&reply, &path)),
            }
            let Value::Array(page) = body(&reply, &path)? else {
                return Err(format!(
                    "GitHub answers `{path}` with something else than a list"
                ));
            };
            items.extend(page);
            next = match next_page(&reply.headers) {
                None => None,
                Some(url) => Some(self.base.followed(&url).ok_or_else(|| {
                    format!("the next page of `{path}` lies on another server, `{url}`")
                })?),
            };
        }
        Ok(items)
    }

    fn next_of_redirect(&self, reply: &Reply, path: &str) -> Result<String, String> {
        let to = reply.headers.get(LOCATION).and_then(|to| to.to_str().ok());
        to.and_then(|to| self.base.followed(to)).ok_or_else(|| {
            format!("GitHub redirects `{path}` to another server or nowhere; the token is not for others")
        })
    }

    fn fetch(&self, path: &str) -> Result<Reply, String> {
        let (place, clear) = self.base.place();
        let get_it = Get {
            authority: self.base.authority.clone(),
            path: self.base.below(path),
            headers: self.headers.clone(),
            keep: MOST,
            ..Get::root(&self.base.host)
        };
        let replied = if clear {
            self.runtime.run(get_in_the_clear(place, get_it, PATIENCE))
        } else {
            let trust = Trust::of(&World::default()).map_err(|fault| fault.to_string())?;
            self.runtime.run(get(trust, place, get_it, PATIENCE))
        };
        let replied = replied.map_err(|_cancelled| "it was cancelled".to_owned())?;
        replied.map_err(|why| {
            let word = why.word().replace('_', " ");
            format!("no answer from `{}`: {word}", self.base.authority)
        })
    }

    /// Why an answer says nothing.
    fn refusal(&self, reply: &Reply, path: &str) -> String {
        let number = |name: &str| {
            let value = reply.headers.get(name)?.to_str().ok()?;
            value.trim().parse::<u64>().ok()
        };
        let status = reply.status;
        let is_limit = matches!(status, 403 | 429)
            && (number("x-ratelimit-remaining") == Some(0)
                || status == 429
                || number("retry-after").is_some());
        if is_limit {
            let until = match (number("retry-after"), number("x-ratelimit-reset")) {
                (Some(seconds), _) => format!("ask again in {seconds} seconds"),
                (None, Some(reset)) => format!("it begins anew at {}", moment(reset)),
                (None, None) => "ask again in an hour".to_owned(),
            };
            let token = if self.with_token {
                ""
            } else {
                "; without a token in GITHUB_TOKEN, 60 requests in an hour are all"
            };
            return format!("GitHub's rate limit is used up; {until}{token}");
        }
        match status {
            401 => "GitHub does not accept the token in GITHUB_TOKEN (401)".to_owned(),
            _ => {
                let told: Option<Value> = serde_json::from_slice(&reply.body).ok();
                let message = told.as_ref().and_then(|told| told.get("message")?.as_str());
                let message: String = message
                    .unwrap_or("no reason given")
                    .chars()
                    .take(200)
                    .collect();
                format!(
                    "GitHub answers `{path}` with {status}: {}",
                    message.escape_debug()
                )
            }
        }
    }
}

fn body(reply: &Reply, path: &str) -> Result<Value, String> {
    let read = serde_json::from_slice(&reply.body);
    read.map_err(|_malformed| {
        format!("GitHub answers `{path}` with no JSON, or with more than can be read")
    })
}

/// The URL with `rel="next"` (RFC 8288).
fn next_page(headers: &HeaderMap) -> Option<String> {
    let links = headers.get(LINK)?.to_str().ok()?;
    links.split(',').find_map(|link| {
        let (url, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
        let is_next = parameters
            .split(';')
            .any(|parameter| matches!(parameter.trim(), r#"rel="next""# | "rel=next"));
        is_next.then(|| url.to_owned())
    })
}

/// Seconds since 1970 as a time of day.
fn moment(seconds: u64) -> String {
    let days = i64::try_from(seconds / 86_400).unwrap_or(0).min(2_900_000);
    let rest = seconds % 86_400;
    let (hours, minutes) = (rest / 3_600, rest % 3_600 / 60);
    format!("{} {hours:02}:{minutes:02} UTC", Day(days))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_that_of_its_own_link() {
        let headers =
            |link: &'static str| HeaderMap::from_iter([(LINK, HeaderValue::from_static(link))]);
        let two = headers(r#"<https://a/x?page=1>; rel="prev", <https://a/x?page=3>; rel="next""#);
        assert_eq!(next_page(&two).as_deref(), Some("https://a/x?page=3"));
        assert_eq!(
            next_page(&headers(r#"<https://a/x?page=1>; rel="last""#)),
            None
        );
        assert_eq!(next_page(&headers("<;rel=next")), None);
    }

    #[test]
    fn a_reset_is_told_as_a_time_and_the_token_is_not_shown() {
        assert_eq!(moment(1_796_068_800), "2026-11-30 20:00 UTC");
        assert!(!moment(u64::MAX).is_empty());
        let api = GitHubApi::new("http://127.0.0.1:1", Some("secret")).unwrap();
        assert!(!format!("{api:?}").contains("secret"));
        assert!(GitHubApi::new("http://127.0.0.1:1", Some("a\nb")).is_err());
    }
}
