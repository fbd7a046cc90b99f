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

    private void goodNamed() {
    }

    @interface Source {
        String value();
    }

    @Source("UnusedMethod#goodNamed")
    static class Cases {
    }

    @Source("badNamedElsewhere")
    static class Sibling {
    }

    static class Other {
        private void badNamedElsewhere() {
        }
    }

    interface Shape {
        int goodOfShape();
    }

    /** Nobody outside sees a private class, but for what it inherits or passes on. */
    private static class Inner {
        public void badPublic() {
        }

        public int goodOfShape() {
            return 1;
        }

        public int goodInherited() {
            return 2;
        }

        @Override
        public String toString() {
            return "good";
        }
    }

    private static class Square extends Inner implements Shape {
    }

    public static class Visible extends Square2 {
    }

    private static class Square2 {
        public int goodPassedOn() {
            return 3;
        }
    }

    static Object useInner() {
        return "" + new Square().goodInherited() + new Square2();
    }

    /** The language makes some methods itself. */
    private enum Kind {
        ONE("x");

        Kind(String goodCalled) {
        }
    }

    private static void goodDebugOutput() {
    }

    static Object useKind() {
        return Kind.ONE;
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
