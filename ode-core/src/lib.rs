//! ode-core
