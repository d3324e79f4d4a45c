//! What the command line says about itself.

use std::process::Command;

use super::LABS;

#[test]
fn the_help_says_of_every_command_what_it_is_for() {
    let help = Command::new(LABS).arg("--help").output().unwrap();
    assert!(help.status.success());
    let help = String::from_utf8(help.stdout).unwrap();
    for command in ["serve", "check", "migrate", "staff", "client", "contract"] {
        let mut lines = help.lines().filter_map(|line| line.trim_start().split_once("  "));
        let purpose = lines.find_map(|(name, purpose)| (name == command).then_some(purpose));
        // A word or two would only say the name again.
        assert!(purpose.is_some_and(|purpose| purpose.split_whitespace().count() > 2), "{command} in {help}");
    }
}
