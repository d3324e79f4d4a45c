//! Stories of the board: what partners propose and vote for, and what staff make of it.

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
mod topics;
mod votes;
mod votes_steps;
