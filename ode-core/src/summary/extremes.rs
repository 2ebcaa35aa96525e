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
    /// Adds a value that is not NaN.
    #[inline]
    pub(super) fn add(&mut self, value: f64, index: u64) {
        self.merge(&Extremes::of(Extreme { value, index }));
    }

    fn of(one: Extreme) -> Self {
        Extremes { minimum: Some(one), maximum: Some(one) }
    }

    /// Adds the extremes of other trajectories. Of equal values the lower index counts.
    #[inline]
    pub(super) fn merge(&mut self, other: &Extremes) {
        take(&mut self.minimum, other.minimum, |new, old| new < old);
        take(&mut self.maximum, other.maximum, |new, old| new > old);
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
            order.iter().for_each(|&i| all.add(values[i], i as u64 + 100));
            let (least, greatest) = (all.minimum.unwrap(), all.maximum.unwrap());
            assert_eq!((least.value.to_bits(), least.index), ((-0.0_f64).to_bits(), 101));
            assert_eq!((greatest.value, greatest.index), (f64::INFINITY, 105));
        }
        assert!(Extremes::default().minimum.is_none());
    }
}
