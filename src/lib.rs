//! odes
