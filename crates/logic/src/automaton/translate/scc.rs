//! Strongly connected components of a small graph, with a stack of its own (Tarjan 1972). Linear.

/// Bytes of a state while components are found: numbers, and a place on the walk.
pub(super) const COMPONENT: usize = 80;

/// The component of each state; a component has a smaller number than those that lead to it.
pub(super) fn components<I>(states: usize, successors: impl Fn(u32) -> I) -> (Vec<u32>, usize)
where
    I: Iterator<Item = u32>,
{
    const NONE: u32 = u32::MAX;
    let mut order = vec![NONE; states];
    let mut low = vec![0; states];
    let mut component = vec![NONE; states];
    let (mut visited, mut components) = (0, 0);
    let mut open = Vec::new();
    for root in 0..states as u32 {
        let mut walk = Vec::new();
        if order[root as usize] == NONE {
            walk.push((root, None));
        }
        while let Some((state, rest)) = walk.last_mut() {
            let i = *state as usize;
            let rest = rest.get_or_insert_with(|| {
                (order[i], low[i]) = (visited, visited);
                visited += 1;
                open.push(i);
                successors(i as u32)
            });
            match rest.next() {
                Some(next) if order[next as usize] == NONE => walk.push((next, None)),
                Some(next) if component[next as usize] == NONE => low[i] = low[i].min(order[next as usize]),
                Some(_) => {}
                None => {
                    walk.pop();
                    if let Some((parent, _)) = walk.last() {
                        low[*parent as usize] = low[*parent as usize].min(low[i]);
                    }
                    if low[i] == order[i] {
                        while let Some(member) = open.pop() {
                            component[member] = components;
                            if member == i {
                                break;
                            }
                        }
                        components += 1;
                    }
                }
            }
        }
    }
    (component, components as usize)
}

#[cfg(test)]
mod tests {
    use super::components;

    fn check(edges: &[&[u32]], expected: &[u32]) {
        let (component, _) = components(edges.len(), |state| edges[state as usize].iter().copied());
        assert_eq!(component, expected);
    }

    #[test]
    fn small_graphs() {
        check(&[], &[]);
        check(&[&[0]], &[0]);
        check(&[&[1], &[0, 2], &[2]], &[1, 1, 0]);
        check(&[&[1, 2], &[], &[1, 3], &[2]], &[2, 0, 1, 1]);
        check(&[&[1], &[2], &[3], &[1], &[3]], &[1, 0, 0, 0, 2]);
    }
}
