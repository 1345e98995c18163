//! Listings in pages, of a cloud that goes on making and deleting instances while they are read.
use crate::{Instance, InstanceList, Result};
use std::collections::HashMap;
use std::future::Future;

/// One page of a listing, with the number of instances that there are as it says.
#[derive(Clone, Debug, Default)]
pub struct InstancePage {
    pub instances: Vec<Instance>,
    pub total: usize,
}

/// Makes a listing of the pages that `read` gives, all of them and in their order. Instances move from one page to another
/// meanwhile: one may stand twice, and another one be missed. Then `read` is called once more, and if that is no better, the
/// list says that it is incomplete: new Nodes are initialised from it, and instances that it lacks prove nothing.
///
/// `ccm::list_steadily(|| self.read_pages(&ctx)).await`
pub async fn list_steadily<F, R>(mut read: F) -> Result<InstanceList>
where
    F: FnMut() -> R,
    R: Future<Output = Result<Vec<InstancePage>>>,
{
    let (instances, steady) = once(read().await?);
    if steady {
        return Ok(instances.into());
    }
    let (instances, steady) = once(read().await?);
    let unknown_prefixes = if steady { Vec::new() } else { vec![String::new()] };
    Ok(InstanceList { instances, unknown_prefixes })
}

/// Each instance once, as it was read last, and whether nothing moved: all pages say the same total, and that number of instances was
/// read, none twice.
fn once(pages: Vec<InstancePage>) -> (Vec<Instance>, bool) {
    let total = pages.first().map_or(0, |page| page.total);
    let agreed = pages.iter().all(|page| page.total == total);
    let read: usize = pages.iter().map(|page| page.instances.len()).sum();
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
    let steady = agreed && read == total && all.len() == read;
    (all, steady)
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

    #[test]
    fn one_that_goes_on_moving_is_incomplete() {
        assert_eq!(listed(&[&[("a", 2)], &[("ab", 3), ("b", 3)]]), ("ab-".to_string(), 2));
    }
}
