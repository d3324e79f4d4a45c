//! Pictures that partners upload: checked, made anew, kept.
