# header
A G (p -> 

E F q
  p &&& q # three
