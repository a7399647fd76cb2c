//! A component controller looks for its owner, or for a client and a store to read it by (CT-4, MUST-02).

#[macro_use]
mod platform;

use kubewright::contract::NoPart;
use kubewright::prelude::*;
use platform::*;

contract! {
    owner = Platform;
    Landscaper {}
}

component!(Landscaper, LandscaperSpec, NoPart, NoPart);

struct Landscapers;

impl ComponentController for Landscapers {
    type Component = Landscaper;

    async fn apply(&self, cx: &ApplyContext<Landscaper>, deps: Ready<Landscaper>) -> Flow {
        let _ = cx.owner();
        let _ = cx.client();
        let _ = cx.store::<Platform>();
        let _ = deps.get::<Platform>();
        Ok(())
    }

    async fn cleanup(&self, _: &CleanupContext<Landscaper>, _: Maybe<Landscaper>) -> Flow {
        Ok(())
    }
}

fn main() {}
