//! Names, resolved as the system does it.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::thread::Builder;

use tokio::sync::oneshot;

/// The addresses of a name, each with `port`. The system cannot be told to give up, so it is asked on a thread that
/// nobody waits for: a run that ends is not kept by it.
///
/// # Errors
/// When the name has none, or nobody says.
pub(super) async fn resolve(name: String, port: u16) -> io::Result<Vec<SocketAddr>> {
    let (tell, told) = oneshot::channel();
    Builder::new().name("resolve".to_owned()).spawn(move || {
        let found = (name.as_str(), port).to_socket_addrs();
        let _nobody_waits = tell.send(found.map(Iterator::collect));
    })?;
    told.await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::Runtime;

    #[test]
    fn an_address_is_its_own_name_and_no_name_has_no_address() {
        let runtime = Runtime::new().unwrap();
        let resolved = |name: &str| runtime.run(resolve(name.to_owned(), 53)).unwrap();
        let expected: SocketAddr = "127.0.0.1:53".parse().unwrap();
        assert_eq!(resolved("127.0.0.1").unwrap(), [expected]);
        assert!(resolved("").is_err());
    }
}
