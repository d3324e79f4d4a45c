//! Documents are embedded by a macro that does not see a new file: this makes cargo look.

fn main() {
    println!("cargo::rerun-if-changed=documents");
}
