paritysol 5;
0 0;
1 0 8;
2 3;
