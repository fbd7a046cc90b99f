F
G & p
p U
U
A E X
AG
EU(p, q)
A[p U q
(p]
[p)
p)
()
[]
