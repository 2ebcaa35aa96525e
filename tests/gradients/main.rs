//! Gradients: known answers, differences, bits, and what is refused.

#![allow(missing_docs)]

mod known;
mod learning;
mod replay;
