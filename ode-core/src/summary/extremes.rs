//! The least and the greatest value, with the trajectories that attain them.

/// A value and the index of the first trajectory that attains it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Extreme {
    #[cfg_attr(feature = "serde", serde(with = "super::stored::number"))]
    pub(super) value: f64,
    pub(super) index: u64,
}

impl PartialEq for Extreme {
    fn eq(&self, other: &Extreme) -> bool {
        (self.value.to_bits(), self.index) == (other.value.to_bits(), other.index)
    }
}

/// The extremes of some trajectories; `None` without values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Extremes {
    pub(super) minimum: Option<Extreme>,
    pub(super) maximum: Option<Extreme>,
}

impl Extremes {
    /// Adds the extremes of other trajectories. Of equal values the lower index counts.
    #[inline]
    pub(super) fn merge(&mut self, other: &Extremes) {
        take(&mut self.minimum, other.minimum, |new, old| new < old);
        take(&mut self.maximum, other.maximum, |new, old| new > old);
    }
}

/// Adds the values of trajectories from `first` to each of these extremes; NaN does not count.
pub(super) fn add_extremes<'a>(
    all: impl Iterator<Item = &'a mut Extremes>,
    first: u64,
    values: &[f64],
) {
    let mut all = all.peekable();
    if all.peek().is_none() {
        return;
    }
    let [mut least, mut greatest] = [f64::INFINITY, f64::NEG_INFINITY];
    for value in values {
        least = if *value < least { *value } else { least };
        greatest = if *value > greatest { *value } else { greatest };
    }
    // The first value that equals the bound; its zero may have another sign.
    let find = |bound: f64| {
        let found = values.iter().zip(first..).find(|(value, _)| **value == bound);
        found.map(|(value, index)| Extreme { value: *value, index })
    };
    for extremes in all {
        if extremes.minimum.is_none_or(|known| least <= known.value) {
            take(&mut extremes.minimum, find(least), |new, old| new < old);
        }
        if extremes.maximum.is_none_or(|known| greatest >= known.value) {
            take(&mut extremes.maximum, find(greatest), |new, old| new > old);
        }
    }
}

/// Replaces `old` if `new` is beyond it, or equal with a lower index.
#[inline]
fn take(old: &mut Option<Extreme>, new: Option<Extreme>, beyond: impl Fn(f64, f64) -> bool) {
    let Some(new) = new else { return };
    let better = |old: &Extreme| {
        beyond(new.value, old.value) || (new.value == old.value && new.index < old.index)
    };
    if old.as_ref().is_none_or(better) {
        *old = Some(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_indices_win_ties_in_any_order() {
        let values = [3.0, -0.0, 0.0, 7.5, 3.0, f64::INFINITY, 7.5, f64::INFINITY, 0.0];
        let order = [[0, 1, 2, 3, 4, 5, 6, 7, 8], [8, 7, 6, 5, 4, 3, 2, 1, 0]];
        for order in order {
            let mut all = Extremes::default();
            for i in order {
                add_extremes([&mut all].into_iter(), i as u64 + 100, &values[i..=i]);
            }
            let (least, greatest) = (all.minimum.unwrap(), all.maximum.unwrap());
            assert_eq!((least.value.to_bits(), least.index), ((-0.0_f64).to_bits(), 101));
            assert_eq!((greatest.value, greatest.index), (f64::INFINITY, 105));
        }
        let mut all = Extremes::default();
        add_extremes([&mut all].into_iter(), 0, &[f64::NAN; 3]);
        assert_eq!(all, Extremes::default());
        let both = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::INFINITY];
        add_extremes([&mut all].into_iter(), 7, &both);
        assert_eq!(all.minimum, Some(Extreme { value: f64::NEG_INFINITY, index: 9 }));
        assert_eq!(all.maximum, Some(Extreme { value: f64::INFINITY, index: 8 }));
    }
}
