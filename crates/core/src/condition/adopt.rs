//! Conditions that the user's code changes without marks.

use super::{Condition, ConditionManager};

impl ConditionManager {
    /// Takes over what became of a list that the user's code changed itself: a list of another type, or one that was put in the place of
    /// the [`Conditions`](super::Conditions) that hold the manager. `before` and `after` are that list at the start and the end of the
    /// pass.
    ///
    /// A condition that differs in more than its time counts as marked, with the generation of the object unless it has got another one.
    /// A condition that is gone is cleared, if the set does not declare it.
    pub fn adopt(&mut self, before: &[Condition], after: &[Condition]) {
        let find = |list: &[Condition], type_: &str| list.iter().find(|found| found.type_ == type_).cloned();
        for gone in before.iter().filter(|found| find(after, &found.type_).is_none()) {
            // What is declared stays as it was.
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
        // The order of the changes is not known: what was done to the top-level condition itself comes last.
        if lowers && self.is_happy() {
            self.lower();
        } else if computes && !lowers && !self.lower() {
            self.raise();
        }
    }
}
