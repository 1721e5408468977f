//! Servers behind certificates: theirs, ours, and what is said when one does not fit.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::serve::Listener;
use hermes_mcp::client::status::ServerState;
use hermes_store::atomic::{self, WriteOptions};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::double::Double;
use crate::host::Host;

/// A server that lets nobody in without a certificate, and the files a client needs.
struct Guarded {
    double: Double,
    folder: tempfile::TempDir,
}

impl Guarded {
    async fn start() -> Self {
        let mut about = CertificateParams::new(Vec::new()).unwrap();
        about.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(about, KeyPair::generate().unwrap()).unwrap();
        let issue = |name: &str| {
            let key = KeyPair::generate().unwrap();
            let about = CertificateParams::new(vec![name.to_owned()]).unwrap();
            (about.signed_by(&key, &authority).unwrap(), key)
        };
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: String| {
            let file = folder.path().join(name);
            atomic::write(&file, text.as_bytes(), WriteOptions::default()).unwrap();
        };
        let (cert, key) = issue("client");
        write("ca.pem", authority.pem());
        write("cert.pem", cert.pem());
        write("key.pem", key.serialize_pem());
        write("both.pem", cert.pem() + &key.serialize_pem());

        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone()).unwrap();
        let guard =
            WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider));
        let (cert, key) = issue("localhost");
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(guard.build().unwrap())
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listener = Tls { tcp, acceptor: TlsAcceptor::from(Arc::new(config)) };
        Self { double: Double::start_on(listener).await, folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// A host with this server and these settings.
    async fn host(&self, more: &Value) -> Host {
        let url = format!("https://localhost:{}/mcp", self.double.address.port());
        let mut entry = json!({"url": url, "ssl_verify": self.path("ca.pem")});
        for (key, value) in more.as_object().unwrap() {
            entry[key] = value.clone();
        }
        Host::started(&json!({"web": entry})).await
    }
}

struct Tls {
    tcp: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, from) = self.tcp.accept().await.unwrap();
            // Who does not fit is left standing.
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, from);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.tcp.local_addr()
    }
}

#[tokio::test]
async fn a_certificate_opens_the_door_in_each_way_it_may_be_written() {
    let guarded = Guarded::start().await;
    let [cert, key, both] = ["cert.pem", "key.pem", "both.pem"].map(|name| guarded.path(name));
    for way in [
        json!({"client_cert": [cert, key]}),
        json!({"client_cert": cert, "client_key": key}),
        json!({"client_cert": both}),
        json!({"client_cert": both, "ssl_verify": false}),
    ] {
        let host = guarded.host(&way).await;
        let status = host.status("web");
        assert_eq!(status.state, ServerState::Connected, "{way} {status:?}");
        assert_eq!(host.text("mcp__web__echo", json!({"text": "hi"})).await, "hi");
        host.servers.stop().await;
    }
}

#[tokio::test]
async fn without_the_right_certificates_nobody_is_connected() {
    let guarded = Guarded::start().await;
    let both = guarded.path("both.pem");
    for (way, hint) in [
        (json!({}), "`client_cert`"),
        (json!({"client_cert": both, "ssl_verify": true}), "`ssl_verify`"),
    ] {
        let host = guarded.host(&way).await;
        let status = host.status("web");
        assert_ne!(status.state, ServerState::Connected, "{way}");
        let error = status.error.unwrap_or_default();
        assert!(error.contains(hint), "{way}: {error}");
    }
    assert!(guarded.double.seen().is_empty());
}

#[tokio::test]
async fn a_missing_or_useless_file_is_named_with_its_key() {
    let guarded = Guarded::start().await;
    let ca = guarded.path("ca.pem");
    let lost = Path::new("/nonexistent/cert.pem").display().to_string();
    for (way, words) in [
        (json!({"client_cert": lost}), ["'web'", "client_cert", lost.as_str()]),
        (json!({"ssl_verify": lost}), ["'web'", "ssl_verify", lost.as_str()]),
        (json!({"client_cert": ca}), ["'web'", "client_cert", ca.as_str()]),
    ] {
        let host = guarded.host(&way).await;
        let error = host.status("web").error.unwrap_or_default();
        assert!(words.iter().all(|word| error.contains(word)), "{way}: {error}");
    }
}
