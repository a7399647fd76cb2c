//! Conditions that the user's code changes without marks.

use super::{Condition, ConditionManager};

impl ConditionManager {
    /// Takes over the changes that the user's code made to a list itself: a list of another type, or one that replaced the
    /// [`Conditions`](super::Conditions) that hold the manager. `before` and `after` are that list at the start and at the end of the pass.
    ///
    /// A condition that differs in more than its time counts as marked, with the generation of the object unless it has got another one. A condition
    /// that is gone is cleared, unless the set declares it.
    pub fn adopt(&mut self, before: &[Condition], after: &[Condition]) {
        let find = |list: &[Condition], type_: &str| list.iter().find(|found| found.type_ == type_).cloned();
        for gone in before.iter().filter(|found| find(after, &found.type_).is_none()) {
            // Clearing fails for declared conditions, which stay as they were.
            let _ = self.clear(&gone.type_);
        }
        let (mut lowers, mut computes) = (false, false);
        for condition in after {
            let earlier = find(before, &condition.type_);
            let timed =
                earlier.as_ref().map(|found| Condition { last_transition_time: condition.last_transition_time, ..found.clone() });
            if timed.as_ref() == Some(condition) {
                continue;
            }
            let stale = earlier.and_then(|found| found.observed_generation);
            let observed_generation = condition.observed_generation.filter(|generation| Some(*generation) != stale);
            self.set(Condition { observed_generation, ..condition.clone() });
            if condition.type_ == self.set.top() {
                lowers = true;
            } else {
                computes |= self.set.is_dependent(&condition.type_);
            }
        }
        // The order of the changes is not known, so a change of the top-level condition itself is applied last.
        if lowers && self.is_happy() {
            self.lower();
        } else if computes && !lowers && !self.lower() {
            self.raise();
        }
    }
}
