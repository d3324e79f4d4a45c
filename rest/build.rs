//! A macro embeds the documents and does not see a new file: this build script makes cargo check the folder.

fn main() {
    println!("cargo::rerun-if-changed=documents");
}
