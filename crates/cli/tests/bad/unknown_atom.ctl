# one slip in each line
A G (def_i -> E F use_j)
A F nothing_like_it
E [ deff_i U use_i ]
