//! A port that stays a site's own while it is closed: a second socket holds it and never listens.

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr};
use std::os::fd::OwnedFd;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// The port, open or closed.
pub(super) struct Door {
    pub socket: SocketAddr,
    listener: Option<TcpListener>,
    _holder: TcpSocket,
}

impl Door {
    pub(super) fn open() -> io::Result<Self> {
        let holder = shared_socket(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let socket = holder.local_addr()?;
        let mut door = Self {
            socket,
            listener: None,
            _holder: holder,
        };
        door.set(true)?;
        Ok(door)
    }

    pub(super) fn set(&mut self, open: bool) -> io::Result<()> {
        if !open {
            self.listener.take().map_or(Ok(()), close)?;
        } else if self.listener.is_none() {
            self.listener = Some(shared_socket(self.socket)?.listen(128)?);
        }
        Ok(())
    }

    pub(super) async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        match &self.listener {
            Some(listener) => listener.accept().await,
            None => std::future::pending().await,
        }
    }
}

/// Ends the listening itself. A process that is just being started has a copy of every socket, which would otherwise go
/// on listening until it runs.
fn close(listener: TcpListener) -> io::Result<()> {
    let socket = OwnedFd::from(listener.into_std()?);
    std::net::TcpStream::from(socket).shutdown(Shutdown::Both)
}

fn shared_socket(at: SocketAddr) -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    socket.bind(at)?;
    Ok(socket)
}
