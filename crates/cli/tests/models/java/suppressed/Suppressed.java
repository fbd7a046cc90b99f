import java.util.function.IntSupplier;

class Suppressed {
    @SuppressWarnings("loris:dead-store")
    int method(int a) {
        int x = a * 2;
        x = a;
        return x;
    }

    int variable(int a) {
        @SuppressWarnings("loris")
        int x = a * 2;
        x = a;
        return x;
    }

    IntSupplier lambda(int a) {
        return () -> {
            @SuppressWarnings({"loris:leak", "loris:dead-store"})
            int x = a * 2;
            x = a;
            return x;
        };
    }

    int otherRule(int a) {
        @SuppressWarnings("loris:leak")
        int x = a * 2;
        x = a;
        return x;
    }

    @SuppressWarnings("unused")
    private int field;
}
