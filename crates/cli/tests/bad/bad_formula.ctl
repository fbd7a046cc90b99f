A G (def_i -> )
E F use_i
A X X def_i
	E [ def_i use_i ]
def_i &
