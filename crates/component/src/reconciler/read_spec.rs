//! The spec of a component as its type, with its effective settings.

use kubewright_core::flow::{Confidential, Failure};

use super::begin::BegunPass;
use super::component_keeper::ComponentKeeper;
use super::end::{EnginePassEnd, Intervals, Step};
use super::finish::{PassFindings, PhaseResult};
use super::pass::{EnginePass, without_status};
use crate::erased::Instance;
use crate::settings::Effective;

/// A pass whose component has valid settings.
pub(super) struct SettledPass<'a> {
    pub(super) pass: EnginePass<'a>,
    pub(super) component: TypedComponent,
}

/// A component as its type, with its settings.
pub(super) struct TypedComponent {
    pub(super) instance: Box<dyn Instance>,
    pub(super) settings: Effective,
}

impl<'a> BegunPass<'a> {
    /// Reads the spec. A component whose deletion is finished, whose status or spec cannot be read, or that is suspended ends the pass here.
    pub(super) fn read_spec(self) -> PhaseResult<'a, SettledPass<'a>> {
        let Self { mut pass, unreadable } = self;
        let deleting = pass.is_deleting();
        if let ComponentKeeper::Own { own, .. } = pass.keeper
            && deleting
            && !own.finalizers.holds(&pass.object)
        {
            return Err(pass.end(EnginePassEnd::Gone, PassFindings::default()));
        }
        if let Some(error) = unreadable {
            pass.shared.events.warning(&pass.object, "StatusUnreadable", format!("Failed to {error}"));
            return Err(pass.end(EnginePassEnd::unrecorded(Failure::backoff(error).slow()), PassFindings::default()));
        }
        let component = match pass.read_spec() {
            Ok(component) => component,
            Err(end) => return Err(pass.end(*end, PassFindings::default())),
        };
        pass.object = without_status(std::mem::take(&mut pass.object));
        if component.settings.suspend && !deleting {
            return Err(pass.end(EnginePassEnd::suspended(), PassFindings::default()));
        }
        Ok(SettledPass { pass, component })
    }
}

impl TypedComponent {
    pub(super) fn intervals(&self) -> Intervals {
        Intervals::of(&self.settings)
    }
}

impl EnginePass<'_> {
    /// Returns the component as its type, with its settings.
    pub(super) fn read_spec(&self) -> Step<TypedComponent> {
        let instance = match self.keeper {
            ComponentKeeper::Host(host) => host.instance(),
            ComponentKeeper::Own { own, .. } => own.kind.decode(&self.object).map_err(|error| {
                // The error quotes values of the object.
                let error = error.to_string();
                let error = Confidential::of(&self.object, false).mask(&error).into_owned();
                Box::new(EnginePassEnd::invalid_spec(format!(
                    "the object does not fit its type: {error} (correct the object, or install the CRD of this operator)"
                )))
            })?,
        };
        let names = (self.key.namespace(), self.key.name());
        let settings = Effective::of(&instance.settings(), &self.shared.defaults, names)
            .map_err(|error| Box::new(EnginePassEnd::invalid_spec(error.to_string())))?;
        Ok(TypedComponent { instance, settings })
    }
}
