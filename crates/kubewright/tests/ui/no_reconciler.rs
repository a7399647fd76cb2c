use kubewright::prelude::*;

struct Maps;

impl Maps {
    fn new() -> Self {
        Self
    }
}

fn main() {
    let _ = Operator::new("maps").controller(Maps::new);
}
