//! The two players.

/// A player of a parity game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Player {
    /// Player 0, who wins when the largest priority seen infinitely often is even: the verifier.
    Even,
    /// Player 1, who wins when it is odd: the refuter.
    Odd,
}

impl Player {
    /// Both players.
    pub const BOTH: [Player; 2] = [Player::Even, Player::Odd];

    /// The player with this number, taken modulo 2; also the player whom a priority favours.
    #[inline]
    pub fn of(number: u32) -> Player {
        if number & 1 == 0 { Player::Even } else { Player::Odd }
    }

    /// 0 or 1.
    #[inline]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The other player.
    #[inline]
    #[must_use]
    pub fn opponent(self) -> Player {
        if self == Player::Even { Player::Odd } else { Player::Even }
    }
}
