# never both at work
[true*]!(<work1>tt & <work2>tt)
# either can always work again
[true*]<true*.work1>tt
[true*]<true*.work2>tt
