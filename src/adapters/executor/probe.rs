//! Sites, asked over HTTPS at their own addresses.

use hyper::header::HeaderMap;

use crate::failover::{Answer, NoAnswer, ProbeRules, Request};
use crate::ports::{Cancelled, Prober};

use super::https::{Get, Place, Reply, Trust, TrustFault, get};
use super::together::together;
use crate::adapters::{Runtime, World};

/// The header in which an answer may say which site it comes from.
pub const SITE_HEADER: &str = "x-pointsman-site";

/// How much of that header is looked at; the name of a site is shorter.
const SITE_LENGTH: usize = 256;

/// The prober of this world.
#[derive(Debug)]
pub struct HttpsProber {
    runtime: Runtime,
    world: World,
    trust: Trust,
}

impl HttpsProber {
    /// A prober that trusts whom `world` trusts.
    ///
    /// # Errors
    /// When that is nobody.
    pub fn new(runtime: Runtime, world: World) -> Result<Self, TrustFault> {
        let trust = Trust::of(&world)?;
        Ok(Self {
            runtime,
            world,
            trust,
        })
    }
}

impl Prober for HttpsProber {
    fn ask(
        &mut self,
        requests: &[Request<'_>],
        rules: ProbeRules,
    ) -> Result<Vec<Answer>, Cancelled> {
        let asked = requests.iter().map(|request| {
            let host = request.host.dns();
            let place = match request.address {
                Some(address) => Place::pinned(&self.world, address),
                None => Place::named(&self.world, &host),
            };
            get(self.trust.clone(), place, Get::root(&host), rules.timeout)
        });
        let replies = self.runtime.run(together(asked))?;
        Ok(replies.into_iter().map(answer).collect())
    }
}

fn answer(reply: Option<Result<Reply, NoAnswer>>) -> Answer {
    match reply {
        Some(Ok(reply)) => Answer::Status {
            code: reply.status,
            site: site(&reply.headers),
        },
        Some(Err(why)) => Answer::None(why),
        None => Answer::None(NoAnswer::Other),
    }
}

/// The site that the headers name. Said more than once, it is all that was said, which is no site's name.
fn site(headers: &HeaderMap) -> Option<String> {
    let said: Vec<_> = headers.get_all(SITE_HEADER).iter().collect();
    let texts = said.iter().map(|value| {
        let text = String::from_utf8_lossy(value.as_bytes());
        text.trim().to_owned()
    });
    // It goes into messages and the journal, so it has an end.
    let all = texts.collect::<Vec<_>>().join(", ");
    (!said.is_empty()).then(|| all.chars().take(SITE_LENGTH).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    #[test]
    fn a_site_named_twice_is_no_site() {
        let mut headers = HeaderMap::new();
        assert_eq!(site(&headers), None);
        headers.append(SITE_HEADER, HeaderValue::from_static(" edge "));
        assert_eq!(site(&headers).as_deref(), Some("edge"));
        headers.append(SITE_HEADER, HeaderValue::from_static("hub"));
        assert_eq!(site(&headers).as_deref(), Some("edge, hub"));
        let endless = HeaderValue::from_str(&"x".repeat(10_000)).unwrap();
        headers.insert(SITE_HEADER, endless);
        assert_eq!(site(&headers).map(|named| named.len()), Some(SITE_LENGTH));
    }
}
