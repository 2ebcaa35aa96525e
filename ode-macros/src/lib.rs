//! ode-macros
