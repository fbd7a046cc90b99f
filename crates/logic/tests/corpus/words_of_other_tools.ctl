p until q
p implies q
p iff q
p xor q
p q
p E F q
p ! q
