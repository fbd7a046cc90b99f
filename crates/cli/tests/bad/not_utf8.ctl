# café is Latin-1
E F ÿ
