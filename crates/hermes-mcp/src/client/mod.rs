//! Other people's servers, whose tools become ours.
