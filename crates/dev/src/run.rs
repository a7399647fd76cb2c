//! `dev` from start to end.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt as _;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::clock::Clock;
use kubewright_runtime::operator::cli::{DevArgs, Interrupts};
use kubewright_runtime::operator::{Operator, RunningOperator};
use serde_json::Value;

use crate::DevError;
use crate::hints::hints;
use crate::server::{DevServer, install};
use crate::view::{ComponentView, Screen};
use crate::watch::{Seen, components};

/// With `--exit-when-ready`, the operator must work and the sample be ready within this time.
const PATIENCE: Duration = Duration::from_secs(120);
/// Ages on the screen go on.
const TICK: Duration = Duration::from_secs(1);

pub(crate) async fn run(operator: Operator, args: DevArgs) -> Result<(), DevError> {
    let clock = Clock::system();
    let mut interrupts = Interrupts::listen()?;
    let mut screen = Screen::stdout(args.plain);
    let samples = samples(&operator, args.no_sample)?;
    let crds: Vec<Value> = operator.declarations().crds().cloned().collect();

    let name = operator.name().to_owned();
    let server = DevServer::start(&name, args.port, args.kubeconfig).await?;
    let client = server.client();
    for crd in &crds {
        install(&client, crd).await?;
    }
    let kubeconfig = server.kubeconfig().display().to_string();
    screen.say(&format!("{name} runs on an embedded API server at {} (KUBECONFIG={kubeconfig})\n", server.url()), clock.now())?;

    let operator = operator.options(|options| {
        options.admin = None;
        options.system_namespace.get_or_insert_with(|| "default".to_owned());
    });
    let operator = operator.start(client.clone());
    let operator = operator.map_err(|error| DevError::Operator(std::sync::Arc::new(error)))?;
    let following = Follow { samples: &samples, crds: &crds, kubeconfig: &kubeconfig, exit_when_ready: args.exit_when_ready };
    let follow = following.start_and_follow(&client, &operator, &mut screen, &mut interrupts, &clock);
    let outcome = if args.exit_when_ready {
        clock.limit(PATIENCE, follow).await.unwrap_or(Err(DevError::NotReady(PATIENCE)))
    } else {
        follow.await
    };
    let stopped = tokio::select! {
        stopped = operator.stop() => stopped.map_err(DevError::Operator),
        signal = interrupts.next() => Err(DevError::Interrupted(signal)),
    };
    server.stop().await;
    outcome.and(stopped)
}

fn samples(operator: &Operator, none: bool) -> Result<Vec<Value>, DevError> {
    let mut samples = Vec::new();
    for text in operator.samples().iter().filter(|_| !none) {
        samples.extend(kubewright_machinery::yaml::documents(text)?);
    }
    Ok(samples)
}

struct Follow<'a> {
    samples: &'a [Value],
    crds: &'a [Value],
    kubeconfig: &'a str,
    exit_when_ready: bool,
}

impl Follow<'_> {
    /// Waits until the operator works, creates the samples, and shows what becomes of them.
    async fn start_and_follow(
        &self,
        client: &kube::Client,
        operator: &RunningOperator,
        screen: &mut Screen<std::io::Stdout>,
        interrupts: &mut Interrupts,
        clock: &Clock,
    ) -> Result<(), DevError> {
        tokio::select! {
            biased;
            _ = interrupts.next() => return Ok(()),
            started = operator.working() => started.map_err(DevError::Operator)?,
        }
        for sample in self.samples {
            install(client, sample).await?;
        }
        self.follow(client, operator, screen, interrupts, clock).await
    }

    async fn follow(
        &self,
        client: &kube::Client,
        operator: &RunningOperator,
        screen: &mut Screen<std::io::Stdout>,
        interrupts: &mut Interrupts,
        clock: &Clock,
    ) -> Result<(), DevError> {
        let mut events = components(client, self.crds);
        let mut missing: BTreeSet<String> = self.sample_components().map(|sample| self.title_of(sample)).collect();
        if missing.is_empty() {
            screen.say("There is no sample; create a component, then watch it here. Ctrl-C ends.\n", clock.now())?;
        }
        let nothing_to_wait_for = missing.is_empty();
        loop {
            if self.exit_when_ready && nothing_to_wait_for {
                return Ok(());
            }
            tokio::select! {
                biased;
                _ = interrupts.next() => return Ok(()),
                ended = operator.wait() => return ended.map_err(DevError::Operator),
                Some(seen) = events.next() => match seen {
                    Seen::Now(component) => {
                        let view = ComponentView { title: self.title_of(&component), ..ComponentView::of(&component) };
                        let done = view.ready && missing.remove(&view.title) && missing.is_empty();
                        screen.show(view, clock.now())?;
                        if done {
                            screen.say(&format!("\n{}\n", hints(self.kubeconfig, self.plural(&component), &component)), clock.now())?;
                            if self.exit_when_ready {
                                return Ok(());
                            }
                        }
                    }
                    Seen::Gone(component) => screen.remove(&self.title_of(&component), clock.now())?,
                },
                () = clock.sleep(TICK) => screen.redraw(clock.now())?,
            }
        }
    }

    /// The samples that the operator serves; others may lie beside them.
    fn sample_components(&self) -> impl Iterator<Item = &Value> {
        self.samples.iter().filter(|sample| self.crds.iter().any(|crd| serves(crd, sample)))
    }

    /// Kind, namespace and name; the group of the kind, too, where the operator serves another kind of this name.
    fn title_of(&self, component: &Value) -> String {
        let namesakes =
            self.crds.iter().filter(|crd| crd.pointer("/spec/names/kind").and_then(Value::as_str) == Some(component.kind()));
        if namesakes.count() > 1 { ComponentView::full_title_of(component) } else { ComponentView::title_of(component) }
    }

    fn plural(&self, component: &Value) -> &str {
        let crd = self.crds.iter().find(|crd| serves(crd, component));
        crd.and_then(|crd| crd.pointer("/spec/names/plural")).and_then(Value::as_str).unwrap_or_default()
    }
}

fn serves(crd: &Value, object: &Value) -> bool {
    crd.pointer("/spec/names/kind").and_then(Value::as_str) == Some(object.kind())
        && crd.pointer("/spec/group").and_then(Value::as_str) == object.gvk().as_ref().map(|gvk| gvk.group.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // OPT-1a
    #[test]
    fn components_of_two_kinds_of_one_name_are_told_apart_by_group() {
        let crd = |group: &str, kind: &str| json!({ "spec": { "group": group, "names": { "kind": kind } } });
        let crds = [crd("a.example.com", "Shop"), crd("b.example.com", "Shop"), crd("a.example.com", "Cart")];
        let follow = Follow { samples: &[], crds: &crds, kubeconfig: "", exit_when_ready: false };
        let title = |group: &str, kind: &str| {
            follow.title_of(&json!({ "apiVersion": format!("{group}/v1"), "kind": kind, "metadata": { "name": "one" } }))
        };
        assert_eq!(title("a.example.com", "Shop"), "Shop.a.example.com default/one");
        assert_eq!(title("b.example.com", "Shop"), "Shop.b.example.com default/one");
        assert_eq!(title("a.example.com", "Cart"), "Cart default/one");
    }
}
