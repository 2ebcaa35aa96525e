//! ode-codegen
