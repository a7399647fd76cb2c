//! The course of `dev` from start to end.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::SelectAll;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::clock::Clock;
use kubewright_runtime::operator::cli::{DevArgs, Interrupts, MakeOperator, OperatorSource};
use kubewright_runtime::operator::{Operator, RunningOperator};
use serde_json::Value;

use crate::DevError;
use crate::hints::hints;
use crate::keys::{KeyCommand, Keys};
use crate::kinds::{ShownKind, Tells, kinds};
use crate::replicas::{Replicas, prepared};
use crate::server::{DevServer, install};
use crate::view::{ComponentSnapshot, ObjectSnapshot, Screen};
use crate::watch::{ObservedChange, objects};

/// The time limit for the operator to work and the sample to be ready, with `--exit-when-ready`.
const PATIENCE: Duration = Duration::from_secs(120);
/// The interval at which the ages on the screen are updated.
const TICK: Duration = Duration::from_secs(1);

pub(crate) async fn run(source: OperatorSource, args: DevArgs) -> Result<(), DevError> {
    let clock = Clock::system();
    let mut interrupts = Interrupts::listen()?;
    let mut screen = Screen::stdout(args.plain);
    let (operator, again) = source.into_parts();
    let samples = samples(&operator, args.no_sample)?;
    let declarations = operator.declarations();

    let name = operator.name().to_owned();
    let server = DevServer::start(&name, args.port, args.kubeconfig).await?;
    let client = server.client();
    for crd in declarations.crds() {
        install(&client, crd).await?;
    }
    let kinds = kinds(&client, &declarations).await;
    let kubeconfig = server.kubeconfig().display().to_string();
    screen.say(&format!("{name} runs on an embedded API server at {} (KUBECONFIG={kubeconfig})\n", server.url()), clock.now())?;

    let count = NonZeroU32::new(args.replicas.into()).unwrap_or(NonZeroU32::MIN);
    let start = starter(operator, again, count, client.clone());
    let mut replicas = Replicas::start(&name, count.get() as usize, start)?;
    let mut keys = if count.get() > 1 && screen.is_live() {
        Keys::listen(count.get() as usize).map_err(DevError::Keys)?
    } else {
        Keys::none()
    };
    screen.tell_keys(keys.help());
    let following =
        SampleFollower { samples: &samples, kinds: &kinds, kubeconfig: &kubeconfig, exit_when_ready: args.exit_when_ready };
    let follow = following.follow(DevSession {
        client: &client,
        clock: &clock,
        replicas: &mut replicas,
        screen: &mut screen,
        interrupts: &mut interrupts,
        keys: &mut keys,
    });
    let outcome = if args.exit_when_ready {
        clock.limit(PATIENCE, follow).await.unwrap_or(Err(DevError::NotReady(PATIENCE)))
    } else {
        follow.await
    };
    let stopped = tokio::select! {
        stopped = replicas.stop() => stopped.map_err(DevError::Operator),
        signal = interrupts.next() => Err(DevError::Interrupted(signal)),
    };
    keys.end().await;
    server.stop().await;
    outcome.and(stopped)
}

/// Returns a function that starts replicas. The first one uses the given operator.
fn starter(
    operator: Operator,
    again: Option<MakeOperator>,
    replicas: NonZeroU32,
    client: kube::Client,
) -> impl FnMut(usize) -> Result<RunningOperator, DevError> + Send {
    let mut first = Some(operator);
    move |number| {
        let another = || again.as_ref().map(|make| make());
        let operator = first.take().or_else(another).ok_or(DevError::MadeOnce { replicas })?;
        let started = prepared(operator, number, replicas)?.start(client.clone());
        started.map_err(|error| DevError::Operator(std::sync::Arc::new(error)))
    }
}

fn samples(operator: &Operator, none: bool) -> Result<Vec<Value>, DevError> {
    let mut samples = Vec::new();
    for text in operator.samples().iter().filter(|_| !none) {
        samples.extend(kubewright_machinery::yaml::documents(text)?);
    }
    Ok(samples)
}

/// The server, the replicas on it, and the connection to the user.
struct DevSession<'a> {
    client: &'a kube::Client,
    clock: &'a Clock,
    replicas: &'a mut Replicas,
    screen: &'a mut Screen<std::io::Stdout>,
    interrupts: &'a mut Interrupts,
    keys: &'a mut Keys,
}

struct SampleFollower<'a> {
    samples: &'a [Value],
    kinds: &'a [ShownKind],
    kubeconfig: &'a str,
    exit_when_ready: bool,
}

impl SampleFollower<'_> {
    /// Waits until all replicas work or stand by, creates the samples, and shows their progress. Carries out the commands of keys.
    async fn follow(&self, session: DevSession<'_>) -> Result<(), DevError> {
        let DevSession { client, clock, replicas, screen, interrupts, keys } = session;
        let mut events = SelectAll::new();
        let samples: BTreeSet<String> = self.served_samples().map(|sample| self.title_of(sample)).collect();
        let mut missing = samples.clone();
        let mut are_installed = false;
        let mut has_told = false;
        screen.show_replicas(replicas.rows(), clock.now())?;
        loop {
            if !are_installed && replicas.have_started() {
                for sample in self.samples {
                    install(client, sample).await?;
                }
                are_installed = true;
                events = objects(client, self.kinds);
                if samples.is_empty() {
                    screen.say("There is no sample; create an object, then watch it here. Ctrl-C ends.\n", clock.now())?;
                }
            }
            if self.exit_when_ready && are_installed && missing.is_empty() {
                return Ok(());
            }
            tokio::select! {
                biased;
                _ = interrupts.next() => return Ok(()),
                command = keys.next() => match command {
                    KeyCommand::End => return Ok(()),
                    KeyCommand::Toggle(number) => {
                        replicas.toggle(number).await?;
                        screen.show_replicas(replicas.rows(), clock.now())?;
                    }
                },
                changed = replicas.changed() => {
                    changed?;
                    screen.show_replicas(replicas.rows(), clock.now())?;
                }
                Some(seen) = events.next() => match seen {
                    ObservedChange::Now(object) => {
                        let view = ObjectSnapshot::of(&object, self.tells(&object), self.title_of(&object));
                        if view.is_ready {
                            missing.remove(&view.title);
                        } else if samples.contains(&view.title) {
                            missing.insert(view.title.clone());
                        }
                        let is_sample = samples.contains(&view.title);
                        screen.show(view, clock.now())?;
                        if is_sample && missing.is_empty() && !has_told {
                            has_told = true;
                            let hints = hints(self.kubeconfig, self.plural(&object), &object);
                            screen.say(&format!("\n{hints}\n"), clock.now())?;
                        }
                    }
                    ObservedChange::Gone(object) => {
                        let title = self.title_of(&object);
                        if samples.contains(&title) {
                            missing.insert(title.clone());
                        }
                        screen.remove(&title, clock.now())?;
                    }
                },
                () = clock.sleep(TICK) => screen.show_replicas(replicas.rows(), clock.now())?,
            }
        }
    }

    /// Returns the samples that the operator processes; the sample file may contain other objects.
    fn served_samples(&self) -> impl Iterator<Item = &Value> {
        self.samples.iter().filter(|sample| self.kind_of(sample).is_some())
    }

    /// Returns kind, namespace and name, with the group of the kind if the operator processes another kind of the same name.
    fn title_of(&self, object: &Value) -> String {
        let namesakes = self.kinds.iter().filter(|kind| kind.resource.kind == object.kind());
        if namesakes.count() > 1 { ComponentSnapshot::full_title_of(object) } else { ComponentSnapshot::title_of(object) }
    }

    fn kind_of(&self, object: &Value) -> Option<&ShownKind> {
        self.kinds.iter().find(|kind| kind.is_of(object))
    }

    fn tells(&self, object: &Value) -> Tells {
        self.kind_of(object).map_or(Tells::Nothing, |kind| kind.tells)
    }

    fn plural(&self, object: &Value) -> &str {
        self.kind_of(object).map(|kind| kind.resource.plural.as_str()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // OPT-1a
    #[test]
    fn object_titles_distinguish_kinds_of_the_same_name_by_group() {
        let kind = |group: &str, kind: &str| ShownKind::of_crd(&json!({ "spec": { "group": group, "names": { "kind": kind } } }));
        let kinds = [kind("a.example.com", "Shop"), kind("b.example.com", "Shop"), kind("a.example.com", "Cart")];
        let follow = SampleFollower { samples: &[], kinds: &kinds, kubeconfig: "", exit_when_ready: false };
        let title = |group: &str, kind: &str| {
            follow.title_of(&json!({ "apiVersion": format!("{group}/v1"), "kind": kind, "metadata": { "name": "one" } }))
        };
        assert_eq!(title("a.example.com", "Shop"), "Shop.a.example.com default/one");
        assert_eq!(title("b.example.com", "Shop"), "Shop.b.example.com default/one");
        assert_eq!(title("a.example.com", "Cart"), "Cart default/one");
    }
}
