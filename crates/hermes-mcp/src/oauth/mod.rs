//! Logging in to a server that asks for it.
