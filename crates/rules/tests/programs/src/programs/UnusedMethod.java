package programs;

import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.function.Supplier;

/** Methods whose names start with "bad" are never called. */
class UnusedMethod implements Serializable {
    private void badNever() {
    }

    private void badOnlyByItself(int a) {
        badOnlyByItself(a - 1);
    }

    private void badCalledByUnused() {
    }

    private void badCallsUnused() {
        badCalledByUnused();
    }

    private static int badStatic() {
        return 1;
    }

    private int goodCalled() {
        return 2;
    }

    private int goodReferred() {
        return 3;
    }

    private int goodInLambda() {
        return 4;
    }

    private int goodFromInner() {
        return 5;
    }

    private void readObject(ObjectInputStream in) {
    }

    void goodInPackage() {
    }

    Object use() {
        Supplier<Integer> a = this::goodReferred;
        Supplier<Integer> b = () -> goodInLambda();
        return new Object() {
            public String toString() {
                return "" + a + b + goodCalled() + goodFromInner();
            }
        };
    }
}
