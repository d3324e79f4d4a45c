//! Tests of the board: proposals and votes of partners, and moderation by staff.

mod attribution;
mod board;
mod comments;
mod game;
mod headers_game;
mod mail;
mod merging;
mod moderation;
mod notifications;
mod overview;
mod privacy;
mod proposals;
mod reports;
mod roadmap;
mod similar;
mod size;
mod topics;
mod votes;
mod votes_steps;
