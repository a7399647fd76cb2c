//! The ConfigMap `config-timing`.

use std::collections::BTreeMap;
use std::time::Duration;

use kubewright_machinery::quantity::GoDuration;

use super::{Class, Delay, Policy, Timing};
use crate::child::HotLoopLimits;
use crate::config::{ConfigErrors, ConfigValue, Field, FromConfigMap, Parsed, Parser, Reader, Unreadable, ValueError};

/// A delay is written as a duration above zero.
impl ConfigValue for Delay {
    fn parse(text: &str) -> Result<Self, ValueError> {
        let duration = Duration::parse(text)?;
        Self::try_from(duration).map_err(|_| ValueError::new(format_args!("must be a duration above zero, but is {text:?}")))
    }
}

/// A class is written as `backoff`, `conflict`, `terminal`, or the duration after which a failed pass is repeated.
impl ConfigValue for Class {
    fn parse(text: &str) -> Result<Self, ValueError> {
        match text {
            "backoff" => Ok(Self::Backoff),
            "conflict" => Ok(Self::Conflict),
            "terminal" => Ok(Self::Terminal),
            _ => Delay::parse(text).map(Self::After).map_err(|_| {
                ValueError::new(format_args!(
                    "must be one of backoff, conflict, terminal, or a duration above zero, but is {text:?}"
                ))
            }),
        }
    }
}

/// A reader of keys whose defaults are the texts of a timing.
struct TimingKeyReader<'a> {
    reader: Reader<'a>,
    texts: BTreeMap<&'static str, String>,
}

impl TimingKeyReader<'_> {
    fn read<T: ConfigValue>(&mut self, key: &'static str) -> Result<T, Unreadable> {
        let default = self.texts.get(key).map_or("", String::as_str);
        self.reader.read(&Field::parsed_by(key, Parser::new(T::parse, || None)).default(default))
    }

    fn within<T: ConfigValue + PartialOrd>(&mut self, key: &'static str, range: &str) -> Result<T, Unreadable> {
        let default = self.texts.get(key).map_or("", String::as_str);
        self.reader.read(&Field::parsed_by(key, Parser::new(T::parse, || None)).default(default).range(range))
    }

    fn policy(&mut self, [first, cap, multiplier, jitter]: [&'static str; 4]) -> Result<Policy, Unreadable> {
        let least = self.read::<Delay>(first);
        let most = self.read::<Delay>(cap);
        let factor = self.within::<f64>(multiplier, "1.01..=100");
        let jitter = self.within::<f64>(jitter, "0..1");
        let (least, most, factor, jitter) = (least?, most?, factor?, jitter?);
        if most < least {
            let problem = format_args!("must be at least {first}, which is {least}, but is {most}").to_string();
            return Err(self.reader.fail(cap, ValueError::new(problem)));
        }
        Ok(Policy::new(least.into(), most.into()).multiplier(factor).jitter(jitter))
    }
}

const FAILURES: [&str; 4] = ["failures-first", "failures-cap", "failures-multiplier", "failures-jitter"];
const REFUSED: [&str; 4] = ["refused-first", "refused-cap", "refused-multiplier", "refused-jitter"];
const WAITS: [&str; 4] = ["waits-first", "waits-cap", "waits-multiplier", "waits-jitter"];

impl Timing {
    /// Returns the keys of the ConfigMap, each with the text of its value in this timing.
    pub fn texts(&self) -> Vec<(&'static str, String)> {
        let time = |duration: Duration| GoDuration::from(duration).to_string();
        let policies = [(FAILURES, self.failures), (REFUSED, self.refused), (WAITS, self.waits)];
        let mut texts: Vec<(&'static str, String)> = Vec::new();
        for (keys, policy) in policies {
            let values = [time(policy.first()), time(policy.cap()), policy.factor().to_string(), policy.spread().to_string()];
            texts.extend(keys.into_iter().zip(values));
        }
        texts.extend([
            ("conflict", time(self.conflict.into())),
            ("conflict-retries-in-place", self.conflict_retries_in_place.to_string()),
            ("quiet-conflicts", self.quiet_conflicts.to_string()),
            ("safety-net", time(self.safety_net.into())),
            ("safety-net-jitter", self.safety_net_jitter.to_string()),
            ("retry-interval", time(self.retry_interval)),
            ("retry-burst", self.retry_burst.to_string()),
            ("unclassified", text_of(self.unclassified)),
            ("hot-loop-updates", self.hot_loop.updates.to_string()),
            ("hot-loop-window", time(self.hot_loop.window)),
            ("hot-loop-quiet", time(self.hot_loop.quiet)),
            ("unwatched", time(self.unwatched.into())),
            ("dangling", time(self.dangling.into())),
        ]);
        texts
    }

    /// Reads the data of the ConfigMap. Keys that are absent keep the value of this timing.
    pub fn updated(&self, data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
        let mut keys = TimingKeyReader { reader: Reader::new(data), texts: self.texts().into_iter().collect() };
        let failures = keys.policy(FAILURES);
        let refused = keys.policy(REFUSED);
        let waits = keys.policy(WAITS);
        let conflict = keys.read("conflict");
        let conflict_retries_in_place = keys.within("conflict-retries-in-place", "1..");
        let quiet_conflicts = keys.read("quiet-conflicts");
        let safety_net = keys.read("safety-net");
        let safety_net_jitter = keys.within("safety-net-jitter", "0..1");
        let retry_interval = keys.read("retry-interval");
        let retry_burst = keys.within("retry-burst", "1..");
        let unclassified = keys.read("unclassified");
        let updates = keys.within("hot-loop-updates", "1..");
        let window = keys.read::<Delay>("hot-loop-window");
        let quiet = keys.read("hot-loop-quiet");
        let unwatched = keys.read("unwatched");
        let dangling = keys.read("dangling");
        keys.reader.finish(|| {
            Ok(Self {
                failures: failures?,
                refused: refused?,
                waits: waits?,
                conflict: conflict?,
                quiet_conflicts: quiet_conflicts?,
                conflict_retries_in_place: conflict_retries_in_place?,
                safety_net: safety_net?,
                safety_net_jitter: safety_net_jitter?,
                retry_interval: retry_interval?,
                retry_burst: retry_burst?,
                unclassified: unclassified?,
                hot_loop: HotLoopLimits { updates: updates?, window: window?.into(), quiet: quiet? },
                unwatched: unwatched?,
                dangling: dangling?,
            })
        })
    }
}

fn text_of(class: Class) -> String {
    match class {
        Class::Backoff => "backoff".to_owned(),
        Class::Conflict => "conflict".to_owned(),
        Class::Terminal => "terminal".to_owned(),
        Class::After(delay) => GoDuration::from(delay.as_duration()).to_string(),
    }
}

/// All keys are optional, so that the ConfigMap need not exist.
impl FromConfigMap for Timing {
    const NAME: &'static str = "config-timing";
    const REQUIRED: bool = false;
    const EXAMPLE_CHECKSUM: bool = true;

    fn from_data(data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
        Self::default().updated(data)
    }
}
