//! Our tools, as a server for other programs.
