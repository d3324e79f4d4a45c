//! A small proxy that distributes connections over the replicas and skips a replica that does not respond.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Starts a proxy in front of these replicas and returns its address. It ends with the test's runtime.
pub(crate) async fn before(replicas: Vec<SocketAddr>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (replicas, turn) = (Arc::new(replicas), Arc::new(AtomicUsize::new(0)));
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let (replicas, first) = (Arc::clone(&replicas), turn.fetch_add(1, Ordering::Relaxed));
            tokio::spawn(async move {
                for step in 0..replicas.len() {
                    if let Ok(mut far) = TcpStream::connect(replicas[(first + step) % replicas.len()]).await {
                        // Either side may close it.
                        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                        return;
                    }
                }
            });
        }
    });
    address
}

/// A connection to a server that can be paused without closing any connection. It ends with the test's runtime.
pub(crate) struct StallableProxy {
    /// Address of its near end.
    pub(crate) address: SocketAddr,
    stands: watch::Sender<bool>,
}

impl StallableProxy {
    /// Opens one to this address.
    pub(crate) async fn to(far_end: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, (stands, told)) = (listener.local_addr().unwrap(), watch::channel(false));
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let Ok(far) = TcpStream::connect(far_end).await else { continue };
                let ((near_reads, near_writes), (far_reads, far_writes)) = (near.into_split(), far.into_split());
                tokio::spawn(carry(near_reads, far_writes, told.clone()));
                tokio::spawn(carry(far_reads, near_writes, told.clone()));
            }
        });
        Self { address, stands }
    }

    /// Pauses or resumes all traffic.
    pub(crate) fn stand(&self, stands: bool) {
        self.stands.send(stands).unwrap();
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut stands: watch::Receiver<bool>) {
    let mut bytes = vec![0; 65_536];
    while let Ok(count) = from.read(&mut bytes).await {
        if count == 0
            || stands.wait_for(|stands| !stands).await.is_err()
            || to.write_all(&bytes[..count]).await.is_err()
        {
            return;
        }
    }
}
