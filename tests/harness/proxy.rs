//! A small proxy: connections go to the replicas in turn, and past one that does not answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::{TcpListener, TcpStream};

/// Starts one before these replicas; its address. It ends with the runtime of the test.
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
                        // Either side may end it.
                        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                        return;
                    }
                }
            });
        }
    });
    address
}
