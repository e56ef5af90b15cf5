//! What sdk/go/testdata/walk does, in Rust.

use callgate::{abstain, call, settings, Iter, Kind, Verdict};

struct Sum(u32);

impl Sum {
    fn word(&mut self, text: &str) {
        for b in text.bytes() {
            self.0 = (self.0 ^ b as u32).wrapping_mul(16777619);
        }
        self.0 = (self.0 ^ 0xff).wrapping_mul(16777619);
    }
}

fn seen(light: bool, all: Iter) -> String {
    let (mut sum, mut n) = (Sum(2166136261), 0);
    for v in all {
        n += 1;
        sum.word(v.name());
        sum.word(v.text());
        if light {
            continue;
        }
        let kind = v.kind();
        sum.word(&v.pointer());
        sum.word(&(kind as u8).to_string());
        if (kind as u8) < Kind::String as u8 {
            sum.word(&v.json());
        }
        if let Some(i) = v.int() {
            sum.word(&i.to_string());
        }
    }
    format!("{} {}", n, sum.0)
}

fn judge() -> Verdict {
    let (arguments, light) = (call::arguments(), settings().get("light").bool());
    abstain().tag("all", &seen(light, arguments.all())).tag("open", &seen(light, arguments.get("m").open().all()))
}

callgate::plugin!(judge);
