//! A real server for scripts.

use kubewright_middleware::Seed;
use kubewright_testing::real::{ControlPlane, Options};

use super::target::{ScriptTarget, ScriptTargetError};

/// A real control plane that knows the tokens of scripts and is thrown away after them. Dropping it ends its processes.
#[derive(Debug)]
pub struct RealServer {
    target: ScriptTarget,
    // This field is last, so that the processes outlive the connections to them.
    _plane: ControlPlane,
}

impl RealServer {
    /// Starts a control plane from the binaries of `hack/kubernetes`.
    pub async fn start() -> Result<Self, ScriptTargetError> {
        // Tests of one process start servers at the same time.
        let tokens = std::env::temp_dir().join(format!("kubewright-tokens-{}.csv", Seed::from_os().uuid()));
        std::fs::write(&tokens, ScriptTarget::token_file()).map_err(ScriptTargetError::Tokens)?;
        let flags = vec![format!("--token-auth-file={}", tokens.display())];
        let plane = ControlPlane::start(Options { apiserver_flags: flags, ..Options::default() }).await;
        // The server reads the file when it starts.
        std::fs::remove_file(&tokens).map_err(ScriptTargetError::Tokens)?;
        let plane = plane?;
        let target = ScriptTarget::remote(plane.kubeconfig()).await?.thrown_away();
        Ok(Self { target, _plane: plane })
    }

    /// Returns the server as a target of scripts.
    pub fn target(&self) -> &ScriptTarget {
        &self.target
    }
}
