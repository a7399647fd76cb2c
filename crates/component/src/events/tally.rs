use kubewright_core::dependents::RequestPurpose;

/// The numbers of dependents that a pass created, updated and deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    created: usize,
    updated: usize,
    deleted: usize,
}

impl Tally {
    /// Counts a write that changed something.
    pub(crate) fn count(&mut self, purpose: RequestPurpose) {
        match purpose {
            RequestPurpose::Create => self.created += 1,
            RequestPurpose::Update | RequestPurpose::Orphan => self.updated += 1,
            RequestPurpose::Delete | RequestPurpose::Recreate => self.deleted += 1,
            // Writes of owner marks, finalizers and namespaces are not reported as changes of dependents.
            _ => {}
        }
    }

    /// Returns the text of the event, or `None` if nothing was written.
    pub(crate) fn text(self) -> Option<String> {
        let parts = [("created", self.created), ("updated", self.updated), ("deleted", self.deleted)];
        let parts: Vec<String> =
            parts.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what} {count}")).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // EVT-3
    #[test]
    fn zero_parts_are_left_out() {
        let mut tally = Tally::default();
        assert_eq!(tally.text(), None);
        tally.count(RequestPurpose::Create);
        tally.count(RequestPurpose::Create);
        tally.count(RequestPurpose::Delete);
        tally.count(RequestPurpose::ReadLive);
        assert_eq!(tally.text().as_deref(), Some("created 2, deleted 1"));
    }
}
