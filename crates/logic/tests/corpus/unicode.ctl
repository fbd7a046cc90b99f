größe ☃
∃ ∀
□ p
p &
