G F p
E F G p
A (F p & G q)
E !F p
p U q
E X p U q
A X (p & F q)
