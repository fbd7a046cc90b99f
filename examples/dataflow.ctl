# Whenever i is defined, it can still be used: fails, the square computed in b is never read.
A G (def_i -> E F use_i)

# The first value of i is used, on every run.
A F use_i

# Nothing is used before it is defined.
A [!use_i W def_i]

# Once defined in b, i is not used again.
E F (def_i & A X A G !use_i)
