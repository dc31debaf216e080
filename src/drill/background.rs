//! A server on a thread of its own: it takes commands one after the other, and ends when it is dropped.

use std::future::Future;
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, JoinHandle};

use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A command, and where to say that it has been carried out.
#[derive(Debug)]
pub(super) struct Command<C> {
    /// What is wanted from now on.
    pub what: C,
    /// Told when it holds.
    pub done: Sender<()>,
}

/// The handle.
#[derive(Debug)]
pub(super) struct Background<C> {
    commands: Option<UnboundedSender<Command<C>>>,
    thread: Option<JoinHandle<()>>,
}

/// The runtime of a server; sockets are opened while it is entered.
pub(super) fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

impl<C: Send + 'static> Background<C> {
    /// Runs `serve` until its commands end.
    pub(super) fn start<F>(
        runtime: Runtime,
        name: &str,
        serve: impl FnOnce(UnboundedReceiver<Command<C>>) -> F + Send + 'static,
    ) -> io::Result<Self>
    where
        F: Future<Output = ()>,
    {
        let (commands, received) = unbounded_channel();
        let thread = Builder::new()
            .name(name.to_owned())
            .spawn(move || runtime.block_on(serve(received)))?;
        Ok(Self {
            commands: Some(commands),
            thread: Some(thread),
        })
    }

    /// Gives a command and waits until it holds.
    pub(super) fn tell(&self, what: C) {
        let (done, told) = channel();
        let sent = self
            .commands
            .as_ref()
            .map(|commands| commands.send(Command { what, done }));
        if let Some(Ok(())) = sent {
            // A server that has ended tells nothing, and needs no waiting.
            let _ended = told.recv();
        }
    }
}

impl<C> Drop for Background<C> {
    fn drop(&mut self) {
        drop(self.commands.take());
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}
