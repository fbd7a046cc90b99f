p xor
p xor xor q
p ^^ q
^ p
p xnor & q
A G (p xor q
AG xor p
"xor" xor "xnor" ^ xnor
E [ p xor q U r ] xnor A F (p ^ q)
