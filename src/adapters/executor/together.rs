//! Work that waits for the network, all of it at once. Each piece is a task of its own: an answer without end must not
//! keep the others from being heard.

use std::future::Future;

use tokio::task::JoinSet;

/// Results in the order of the work; `None` where a piece broke off. Dropped early, it breaks off what still runs.
pub(super) async fn together<T: Send + 'static>(
    work: impl IntoIterator<Item = impl Future<Output = T> + Send + 'static>,
) -> Vec<Option<T>> {
    let mut tasks = JoinSet::new();
    let mut results = Vec::new();
    for (index, piece) in work.into_iter().enumerate() {
        tasks.spawn(async move { (index, piece.await) });
        results.push(None);
    }
    while let Some(ended) = tasks.join_next().await {
        if let Ok((index, result)) = ended
            && let Some(slot) = results.get_mut(index)
        {
            *slot = Some(result);
        }
    }
    results
}
