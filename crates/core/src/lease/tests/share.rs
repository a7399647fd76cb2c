use super::super::*;

/// Returns the messages to the electors after these states were recorded.
fn told(share: &mut Share, states: &[(usize, LeaseState)]) -> Vec<(usize, bool)> {
    for (bucket, state) in states {
        share.note(*bucket, *state);
    }
    std::iter::from_fn(|| share.tell_next()).collect()
}

// LDR-35
#[test]
fn replicas_take_equal_shares_rounded_up() {
    for (buckets, replicas, share) in [(4, 2, 2), (3, 2, 2), (10, 3, 4), (1, 3, 1), (3, 0, 3)] {
        assert_eq!(fair_share(buckets, replicas), share);
    }
}

// LDR-35
#[test]
fn all_electors_are_notified_once_when_the_share_becomes_full_and_when_it_has_room_again() {
    let mut share = Share::new(3, Some(2));
    assert_eq!(told(&mut share, &[(0, LeaseState::Acquiring)]), []);
    assert_eq!(told(&mut share, &[(0, LeaseState::Leading)]), []);
    assert_eq!(told(&mut share, &[(2, LeaseState::Acquiring)]), [(0, false), (1, false), (2, false)]);
    assert_eq!((share.held(), share.tell_next()), (2, None));
    // A lost term counts until its hooks have ended.
    assert_eq!(told(&mut share, &[(0, LeaseState::Losing)]), []);
    assert_eq!(told(&mut share, &[(0, LeaseState::Waiting)]), [(0, true), (1, true), (2, true)]);
    assert_eq!(told(&mut share, &[(2, LeaseState::Released)]), []);
    assert_eq!(share.held(), 0);
}

// LDR-35: each of two electors would take the bucket that becomes free
#[test]
fn an_elector_that_takes_the_room_leaves_none_to_the_next_one() {
    let mut share = Share::new(3, Some(3));
    assert_eq!(told(&mut share, &[(2, LeaseState::Leading)]).len(), 3);
    share.note(2, LeaseState::Waiting);
    assert_eq!(share.tell_next(), Some((0, true)));
    share.note(0, LeaseState::Acquiring);
    assert_eq!(std::iter::from_fn(|| share.tell_next()).collect::<Vec<_>>(), [(0, false)]);
}

// LDR-35: off by default
#[test]
fn a_replica_takes_all_buckets_without_a_number_of_replicas() {
    let mut share = Share::new(3, None);
    assert_eq!(told(&mut share, &[(0, LeaseState::Leading), (1, LeaseState::Leading)]), []);
    assert_eq!(told(&mut share, &[(3, LeaseState::Leading)]), []);
    assert_eq!(share.held(), 2);
}
