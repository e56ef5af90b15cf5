mod arb_range;

pub use arb_range::ArbRange;
