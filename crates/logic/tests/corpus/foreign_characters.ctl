x = 1
x == y
x != y
x < 1
a-b
{p}
p;
p,q
