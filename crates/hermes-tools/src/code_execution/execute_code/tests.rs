//! The functions, the module and the description.
