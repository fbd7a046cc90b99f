package programs;

/** Methods whose names start with "bad" call themselves on every path. */
class InfiniteRecursion {
    private boolean flag;

    static class Named extends InfiniteRecursion {
        @Override
        Object goodCast() {
            return "named";
        }
    }

    static class Same extends InfiniteRecursion {
    }

    Object goodCast() {
        return ((Named) this).goodCast();
    }

    Object badCast() {
        return ((Same) this).badCast();
    }

    int badPlain(int a) {
        return badPlain(a + 1);
    }

    int badBothBranches(boolean b) {
        if (b) {
            return badBothBranches(false);
        }
        return 1 + badBothBranches(true);
    }

    static void badPing(int a) {
        System.out.println(a);
        badPong(a);
    }

    static void badPong(int a) {
        badPing(a);
    }

    void badUnchanged(int a) {
        if (flag) {
            badUnchanged(a);
        }
    }

    int goodBase(int a) {
        return a == 0 ? 0 : goodBase(a - 1);
    }

    void goodChanged(int a) {
        if (flag) {
            flag = false;
            goodChanged(a);
        }
    }

    int goodThrows(int a) {
        if (a < 0) {
            throw new IllegalArgumentException();
        }
        return goodThrows(a - 1);
    }

    void goodOther(InfiniteRecursion other) {
        if (other != null) {
            other.goodOther(null);
        }
    }

    Runnable goodLambda() {
        return () -> goodLambda();
    }

    void goodOverload(String s) {
        goodOverload((Object) s);
    }

    void goodOverload(Object o) {
        System.out.println(o);
    }

    /** What a method calls on its own object is known for the class that inherits it. */
    static class Template {
        void run() {
            goodStep();
        }

        void goodStep() {
        }

        void step() {
        }

        void runBad() {
            step();
        }

        void goodOverridden() {
            goodOverridden2();
        }

        void goodOverridden2() {
        }
    }

    static final class Filled extends Template {
        @Override
        void run() {
        }

        @Override
        void goodStep() {
            run();
        }

        @Override
        void goodOverridden() {
        }

        @Override
        void goodOverridden2() {
            goodOverridden();
        }
    }

    static final class Looped extends Template {
        @Override
        void step() {
            badAround();
        }

        void badAround() {
            runBad();
        }
    }

    static boolean goodOtherArgument(int[] first, int[] second) {
        if (second.length < first.length) {
            return !goodOtherArgument(first, first);
        }
        return second.length > 3;
    }

    static int badSameWide(long wide, int[] same) {
        if (same.length < 2) {
            return 1 + badSameWide(wide, same);
        }
        return 0;
    }

    static int goodChangedInLoop(int[] digits) {
        if (digits[0] < 0) {
            for (int i = 0; i < digits.length; i++) {
                digits[i] = -digits[i];
            }
            return 1 - goodChangedInLoop(digits);
        }
        return digits[0];
    }
}
