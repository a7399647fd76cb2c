//! A cleanup is called past the loop, which alone knows that no other component depends on the component any more (CL-4, MUST-05).

use kubewright::contract::{ApplyContext, CleanupContext, ComponentController};

async fn clean_up<C: ComponentController>(cx: ApplyContext<C::Component>) {
    let _: CleanupContext<C::Component> = CleanupContext(cx.0);
}

fn main() {}
