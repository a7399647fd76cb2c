//! Hooks of the operator's author at fixed points of a pass.

use kubewright_runtime::cluster::Cluster;

use super::end::{EnginePassEnd, Step};
use super::pass::EnginePass;
use super::resolve_references::ResolvedInputs;
use crate::hooks::{HookInputs, Point};

impl EnginePass<'_> {
    /// Runs the hooks of a point. Their changes of the status are kept even if they halt. Abandoned dependents have no target.
    pub(super) async fn run_hooks(&mut self, point: Point, inputs: &ResolvedInputs, target: Option<&Cluster>) -> Step {
        let instance = &*inputs.component.instance;
        if !instance.has_hooks(point) {
            return Ok(());
        }
        let settings = &inputs.component.settings;
        let hook_inputs = HookInputs {
            namespace: settings.namespace.clone(),
            name: settings.name.clone(),
            digest: inputs.digest.clone(),
            revision: self.draft.component.revision,
            references: inputs.contents.clone(),
            target: target.cloned(),
            reporter: self.shared.events.reporter(&self.object),
        };
        let mut status = self.draft.to_map();
        self.memory.inside = Some(point.hooks());
        let outcome = instance.run_hooks(point, hook_inputs, &mut status).await;
        self.memory.inside = None;
        self.draft.adopt(status);
        outcome.map_err(|halt| {
            self.note_halt(&halt);
            Box::new(EnginePassEnd::halted(halt, inputs.intervals()))
        })
    }
}
