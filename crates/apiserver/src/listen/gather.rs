//! Batched writes for connections of HTTP/2, which carry many streams.
//!
//! An event wakes all watches of a connection. Without batching, the first watch that writes would wake the connection, which would send its few
//! bytes at once, and so on for each watch: a system call and a TLS record per event. Therefore a write is delayed until all tasks that are ready
//! have run.
//!
//! The connection flushes after each frame, and does not write the next one before the flush is done. So a flush only requests another turn of the
//! connection's task, and the buffer is sent when that task next polls for input, which it does in each of its turns.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The size of the buffer from which on it is sent at once.
const ENOUGH: usize = 64 * 1024;
/// The capacity above which an empty buffer is freed.
const KEPT: usize = 4 * 1024;

/// A socket whose flushed writes are sent in the reader's next turn. The caller must poll it for reading in every turn.
pub(super) struct Gather<S> {
    socket: S,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that were sent.
    sent: usize,
    /// True if the buffer is to be sent in this turn.
    is_due: bool,
}

impl<S> Gather<S> {
    pub(super) const fn new(socket: S) -> Self {
        Self { socket, buffer: Vec::new(), sent: 0, is_due: false }
    }
}

impl<S: AsyncWrite + Unpin> Gather<S> {
    /// Sends the whole buffer.
    fn poll_send_all(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(context))?;
        self.is_due = false;
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.sent < self.buffer.len() {
            match ready!(Pin::new(&mut self.socket).poll_write(context, &self.buffer[self.sent..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                sent => self.sent += sent,
            }
        }
        self.sent = 0;
        self.buffer.clear();
        if self.buffer.capacity() > KEPT {
            self.buffer = Vec::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Gather<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.is_due
            && let Poll::Ready(Err(error)) = self.poll_send_all(context)
        {
            return Poll::Ready(Err(error));
        }
        Pin::new(&mut self.socket).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gather<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.buffer.len() >= ENOUGH {
            ready!(self.poll_send(context))?;
        }
        self.buffer.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.buffer.len() >= ENOUGH {
            ready!(self.poll_send(context))?;
        }
        let before = self.buffer.len();
        for part in parts {
            self.buffer.extend_from_slice(part);
        }
        Poll::Ready(Ok(self.buffer.len() - before))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.buffer.is_empty() {
            return Pin::new(&mut self.socket).poll_flush(context);
        }
        if !self.is_due {
            self.is_due = true;
            context.waker().wake_by_ref();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(context))?;
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// A socket that counts writes and accepts a limited number of bytes at once. It has no input.
    struct Counted {
        writes: Arc<Mutex<Vec<usize>>>,
        at_once: usize,
    }

    impl AsyncRead for Counted {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    impl AsyncWrite for Counted {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let taken = bytes.len().min(self.at_once);
            self.writes.lock().push(taken);
            Poll::Ready(Ok(taken))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn counted(at_once: usize) -> (Gather<Counted>, Arc<Mutex<Vec<usize>>>) {
        let writes = Arc::default();
        (Gather::new(Counted { writes: Arc::clone(&writes), at_once }), writes)
    }

    // PRF-9
    #[tokio::test]
    async fn flushes_of_one_turn_are_sent_as_one_write_in_the_next_turn() {
        let (mut gather, writes) = counted(usize::MAX);
        for _ in 0..100 {
            gather.write_all(b"event").await.unwrap();
            gather.flush().await.unwrap();
        }
        assert!(writes.lock().is_empty());
        let _ = futures::poll!(std::pin::pin!(gather.read_u8()));
        assert_eq!(*writes.lock(), [500]);
    }

    // PRF-9, CON-3
    #[tokio::test]
    async fn a_flush_asks_for_another_turn() {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        let mut gather = Gather::new(ours);
        let mut tasks = tokio::task::JoinSet::new();
        // The task reads in each turn, and writes in the first one.
        tasks.spawn(async move {
            gather.write_all(b"event").await.unwrap();
            let mut flushed = false;
            std::future::poll_fn(move |context| {
                let mut bytes = [0; 1];
                let read = Pin::new(&mut gather).poll_read(context, &mut ReadBuf::new(&mut bytes));
                if !std::mem::replace(&mut flushed, true) {
                    let _ = Pin::new(&mut gather).poll_flush(context);
                }
                read
            })
            .await
        });
        let mut read = [0; 5];
        theirs.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"event");
        tasks.shutdown().await;
    }

    // CON-3
    #[tokio::test]
    async fn partial_socket_writes_lose_no_bytes() {
        let (mut gather, writes) = counted(7);
        gather.write_all(&[1; 100]).await.unwrap();
        gather.flush().await.unwrap();
        let _ = futures::poll!(std::pin::pin!(gather.read_u8()));
        assert_eq!((writes.lock().iter().sum::<usize>(), gather.buffer.len()), (100, 0));
        gather.write_all(&[1; 10]).await.unwrap();
        gather.shutdown().await.unwrap();
        assert_eq!(writes.lock().iter().sum::<usize>(), 110);
    }

    // CON-3
    #[tokio::test]
    async fn a_buffer_has_a_bound_and_is_given_back() {
        let (mut gather, writes) = counted(usize::MAX);
        for _ in 0..100 {
            gather.write_all(&[1; 16 * 1024]).await.unwrap();
            assert!(gather.buffer.len() < ENOUGH + 16 * 1024);
        }
        gather.shutdown().await.unwrap();
        assert_eq!((writes.lock().iter().sum::<usize>(), gather.buffer.capacity()), (100 * 16 * 1024, 0));
    }
}
