//! ode-gpu
