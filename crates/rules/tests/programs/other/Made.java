/** What compilers of other languages make, written in Java: see tests/languages.rs. */
class Made {
    private final long limit;

    Made() {
        limit = System.nanoTime();
    }

    private long limit() {
        return 5L;
    }

    private long computed(long a) {
        return a * 5L;
    }

    int inlined(int a) {
        int $i$f$twice = a * 3;
        int x$1 = a * 5;
        return a;
    }

    int lambda(int a) {
        int it = a * 3;
        return a;
    }

    int named(int a) {
        int twice = a * 3;
        return a;
    }

    void nameless(int a) {
        if (a > 0) {
            int y = a * a;
        }
    }

    int invokeSuspend(int a) {
        int restored = a * 3;
        return a;
    }
}
