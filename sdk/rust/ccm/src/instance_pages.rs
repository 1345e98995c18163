//! Listings in pages, of a cloud that goes on making and deleting instances while they are read.
use crate::{Instance, InstanceList, Result};
use std::collections::{HashMap, HashSet};
use std::future::Future;

/// One page of a listing, with the number of instances that there are as it says; 0 where the cloud does not tell.
#[derive(Clone, Debug, Default)]
pub struct InstancePage {
    pub instances: Vec<Instance>,
    pub total: usize,
}

/// Makes a listing of the pages that `read` gives, all of them and in their order. Instances move from one page to another
/// meanwhile: one may stand twice, and another one be missed. Then `read` is called once more. Where the cloud tells no total,
/// more than one page is read until two readings in a row have the same instances, three times at most. If that is no better,
/// the list says that it is incomplete: new Nodes are initialised from it, and instances that it lacks prove nothing.
///
/// `ccm::list_steadily(|| self.read_pages(&ctx)).await`
pub async fn list_steadily<F, R>(mut read: F) -> Result<InstanceList>
where
    F: FnMut() -> R,
    R: Future<Output = Result<Vec<InstancePage>>>,
{
    let mut reading = Reading::of(read().await?);
    let mut steady = reading.held_still;
    let more = if reading.has_total { 1 } else { 2 };
    for _ in 0..more {
        if steady {
            break;
        }
        let next = Reading::of(read().await?);
        steady = next.held_still || next.repeats(&reading);
        reading = next;
    }
    let unknown_prefixes = if steady { Vec::new() } else { vec![String::new()] };
    Ok(InstanceList { instances: reading.instances, unknown_prefixes })
}

/// All pages, read once.
struct Reading {
    /// Each instance once, as it was read last.
    instances: Vec<Instance>,
    /// Some page says how many there are.
    has_total: bool,
    /// No instance stands on two pages.
    distinct: bool,
    /// Nothing moved: all pages say the same total, and that number of instances was read, none twice. Without a total a
    /// single page proves it, and more of them prove nothing.
    held_still: bool,
}

impl Reading {
    fn of(pages: Vec<InstancePage>) -> Reading {
        let total = pages.first().map_or(0, |page| page.total);
        let agreed = pages.iter().all(|page| page.total == total);
        let has_total = pages.iter().any(|page| page.total != 0);
        let read: usize = pages.iter().map(|page| page.instances.len()).sum();
        let all_read = if has_total { read == total } else { pages.len() <= 1 || read == 0 };
        let instances = once(pages, read);
        let distinct = instances.len() == read;
        Reading { has_total, distinct, held_still: agreed && all_read && distinct, instances }
    }

    /// Whether nothing moved between two readings of a cloud that tells no total.
    fn repeats(&self, earlier: &Reading) -> bool {
        let ids = |of: &Reading| of.instances.iter().map(|each| each.provider_id.clone()).collect::<HashSet<_>>();
        !self.has_total && !earlier.has_total && self.distinct && ids(self) == ids(earlier)
    }
}

fn once(pages: Vec<InstancePage>, read: usize) -> Vec<Instance> {
    let mut all: Vec<Instance> = Vec::with_capacity(read);
    let mut places = HashMap::new();
    for instance in pages.into_iter().flat_map(|page| page.instances) {
        match places.get(&instance.provider_id) {
            Some(place) => {
                let known: &mut Instance = &mut all[*place];
                *known = instance;
            }
            None => {
                places.insert(instance.provider_id.clone(), all.len());
                all.push(instance);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake};

    struct Nobody;
    impl Wake for Nobody {
        fn wake(self: Arc<Nobody>) {}
    }

    /// A reading by the letters of its pages, whose instances are named by them, and the total that each states.
    fn pages(letters: &[(&str, usize)]) -> Vec<InstancePage> {
        let instance = |letter: char| Instance { provider_id: letter.to_string(), ..Instance::default() };
        let page = |(text, total): &(&str, usize)| InstancePage { instances: text.chars().map(instance).collect(), total: *total };
        letters.iter().map(page).collect()
    }

    /// The listing as letters, with a dash when it is incomplete, and how often it was read.
    fn listed(readings: &[&[(&str, usize)]]) -> (String, usize) {
        let mut count = 0;
        let read = || {
            count += 1;
            let made = pages(readings[count - 1]);
            async move { Ok(made) }
        };
        let mut future = Box::pin(list_steadily(read));
        let outcome = future.as_mut().poll(&mut Context::from_waker(&Arc::new(Nobody).into()));
        drop(future);
        let list = match outcome {
            Poll::Ready(Ok(list)) => list,
            _ => panic!("no listing"),
        };
        let mut text: String = list.instances.into_iter().map(|instance| instance.provider_id).collect();
        text += if list.unknown_prefixes == [""] { "-" } else { "" };
        (text, count)
    }

    #[test]
    fn a_steady_listing_is_read_once() {
        assert_eq!(listed(&[&[("ab", 3), ("c", 3)]]), ("abc".to_string(), 1));
        assert_eq!(listed(&[&[]]), ("".to_string(), 1));
    }

    #[test]
    fn one_that_moved_is_read_again() {
        assert_eq!(listed(&[&[("ab", 3), ("b", 3)], &[("ab", 3), ("c", 3)]]), ("abc".to_string(), 2));
        assert_eq!(listed(&[&[("ab", 3), ("c", 2)], &[("ab", 2)]]), ("ab".to_string(), 2));
    }

    /// a cloud that tells no total is listed whole when it is quiet.
    #[test]
    fn without_a_total_two_readings_with_the_same_instances_are_steady() {
        assert_eq!(listed(&[&[("ab", 0)]]), ("ab".to_string(), 1));
        assert_eq!(listed(&[&[("ab", 0), ("c", 0)], &[("ab", 0), ("c", 0)]]), ("abc".to_string(), 2));
        assert_eq!(listed(&[&[("a", 0), ("c", 0)], &[("ab", 0), ("c", 0)], &[("ab", 0), ("c", 0)]]), ("abc".to_string(), 3));
        assert_eq!(listed(&[&[("a", 0), ("b", 0)], &[("a", 0), ("c", 0)], &[("a", 0), ("d", 0)]]), ("ad-".to_string(), 3));
        assert_eq!(listed(&[&[("a", 0), ("a", 0)], &[("a", 0), ("a", 0)], &[("a", 0), ("a", 0)]]), ("a-".to_string(), 3));
    }

    #[test]
    fn one_that_goes_on_moving_is_incomplete() {
        assert_eq!(listed(&[&[("a", 2)], &[("ab", 3), ("b", 3)]]), ("ab-".to_string(), 2));
    }
}
