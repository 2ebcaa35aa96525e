//! Features.

use super::part::Inputs;
use super::{Elaborator, Featured};
use crate::ast::Purpose;

impl<'a> Elaborator<'a, '_> {
    /// Evaluates all features, by kind and then in the order of their functions.
    pub(super) fn features(&mut self, inputs: &Inputs<'a>) -> Vec<Featured> {
        let system = self.system;
        let mut all = Vec::new();
        for feature in &system.features {
            let Some(part) = self.named(Purpose::Feature, feature.name) else { continue };
            let numbers = self.numbers(Purpose::Feature, part, inputs);
            let [number] = &numbers[..] else {
                if !self.ctxt.has_errors() {
                    let message = "a feature is of one number: return one `f64`, and write a \
                                   function for each number";
                    self.error(0, &part.result.syntax, message);
                }
                continue;
            };
            let featured = |&kind| Featured { name: number.name.clone(), kind, value: number.id };
            all.extend(feature.kinds.iter().map(featured));
        }
        all.sort_by_key(|featured| featured.kind);
        all
    }
}
