//! The tools over HTTP.
