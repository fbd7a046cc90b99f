package programs;

import java.util.List;
import java.util.function.IntSupplier;

/** Methods whose names start with "bad" store a value that is never used. */
class DeadStore {
    int badOverwritten(int a) {
        int sum = a * 2;
        sum = a + 1;
        return sum;
    }

    void badLast(int a) {
        int sum = a;
        System.out.println(sum);
        sum = a * 3;
    }

    // the compiler keeps a result of the step in a variable of its own, which nothing reads
    Object[] goodBoxedStep(Integer offset) {
        if (offset > 0) {
            offset--;
        }
        return new Object[] {offset};
    }

    int badBoxedStep(Integer offset) {
        int before = offset;
        offset--;
        return before;
    }

    // compilers copy the text; the variables of that name beside it are others
    void goodFinalText(Object a) {
        try {
            a.hashCode();
        } catch (IllegalStateException e) {
            final String message = "illegal state";
            System.out.println(message + e);
        }
        if (a != null) {
            String message = a.toString();
            System.out.println(message);
        }
    }

    void badNotFinalText(Object a) {
        if (a != null) {
            String message = "nothing";
            message = a.toString();
            System.out.println(message);
        }
    }

    DeadStore tail;
    DeadStore head;

    void goodAnotherOne() {
        DeadStore old = head;
        head = head.tail;
        head.tail = null;
        old.tail = null;
    }

    void badTheSame(DeadStore other) {
        head = other;
        other.tail = null;
        other.tail = this;
    }

    int badOnAllPaths(boolean b, int a) {
        int x = a * a;
        if (b) {
            x = 1;
        } else {
            x = 2;
        }
        return x;
    }

    int badIncrementInReturn(int a) {
        return a++;
    }

    void badCounter(List<String> list) {
        int seen = 0;
        for (String element : list) {
            System.out.println(element);
            seen++;
        }
    }

    int badParameter(int a) {
        a = 7;
        return a;
    }

    void badNeverRead() {
        String greeting = "hello";
        System.out.println("something else");
    }

    void badInBlock(List<Object> list) {
        for (Object element : list) {
            String text = element.toString();
        }
    }

    IntSupplier badInLambda(int a) {
        return () -> {
            int x = a * 2;
            x = a * 3;
            return x;
        };
    }

    int goodDefault(boolean b) {
        int x = 0;
        if (b) {
            x = 1;
        } else {
            x = 2;
        }
        return x;
    }

    int goodUsedOnOnePath(boolean b, int a) {
        int x = a * a;
        if (b) {
            return 1;
        }
        return x;
    }

    int goodUsedByHandler() {
        int step = 1;
        try {
            step = 2;
            System.out.println();
            step = 3;
            System.out.println();
        } catch (RuntimeException e) {
            return step;
        }
        return 0;
    }

    int goodInLoop(int[] numbers) {
        int last = -1;
        int count = 0;
        for (int number : numbers) {
            if (number == last) {
                count++;
            }
            last = number;
        }
        return count;
    }

    int goodFinally(String text) {
        int result = 5;
        try {
            result = Integer.parseInt(text);
        } finally {
            result++;
            System.out.println(result);
        }
        return result;
    }

    void goodCatch(String text) {
        try {
            Integer.parseInt(text);
        } catch (NumberFormatException e) {
            System.out.println("no number");
        }
    }

    int goodCount(List<String> list) {
        int count = 0;
        for (String element : list) {
            count++;
        }
        return count;
    }

    int goodConstant() {
        final int limit = 1234;
        int sum = 0;
        while (sum < limit) {
            sum += 7;
        }
        return sum;
    }

    void goodReleased(Object large) {
        System.out.println(large);
        large = null;
        System.gc();
    }

    Runnable goodCaptured(int a) {
        int twice = a * 2;
        return () -> System.out.println(twice);
    }

    /** Values that no method uses that gets them. */
    interface Sink {
        void accept(int a);
    }

    static class Ignoring implements Sink {
        @Override
        public void accept(int a) {
        }
    }

    static class Overwriting implements Sink {
        @Override
        public void accept(int a) {
            a = 3;
            System.out.println(a);
        }
    }

    static class Using implements Sink {
        @Override
        public void accept(int a) {
            System.out.println(a);
        }
    }

    void badIgnored(int b) {
        int a = b * 2;
        Sink sink = new Ignoring();
        sink.accept(a);
    }

    void badOverwrittenThere(int b) {
        int a = b * 2;
        Sink sink = new Overwriting();
        sink.accept(a);
    }

    void goodUsedThere(int b) {
        int a = b * 2;
        Sink sink = new Using();
        sink.accept(a);
    }

    void goodPerhapsUsed(int b, Sink sink) {
        int a = b * 2;
        sink.accept(a);
    }

    private static long second(long a, long b) {
        return b;
    }

    long badFirstOfTwo(long b) {
        long a = b * 2;
        return second(a, b);
    }

    long goodSecondOfTwo(long b) {
        long a = b * 2;
        return second(b, a);
    }

    /** Subclasses may use it. */
    protected void hook(int a) {
    }

    void goodHook(int b) {
        int a = b * 2;
        hook(a);
    }

    /** Values to start with, where nothing is decided before the next one. */
    int badStart(int a) {
        int i = 0;
        System.out.println(a);
        i = a * 2;
        return i;
    }

    int goodStartOfLoop(java.io.InputStream in) throws java.io.IOException {
        int n = 0, sum = 0;
        while ((n = in.read()) >= 0) {
            sum += n;
        }
        return sum;
    }

    int first;
    int second;
    volatile int shared;

    int goodStartIsZero(int n) {
        final int start = 0;
        return n + start;
    }

    String goodTextOfTexts() {
        final String text = "a " + "b";
        System.out.println(text);
        return text;
    }

    void goodConstantInText() {
        final char separator = ',';
        final int number = 42;
        System.out.println("a" + separator + number);
    }

    void goodConstantInSum() {
        final long large = 1L << 40;
        System.out.println(large + 3);
    }

    void badConstantChar() {
        char separator = ',';
        System.out.println("a;b");
    }

    void badFieldTwice(int a) {
        first = a;
        first = a * 2;
    }

    void goodTwoFields(int a) {
        first = a;
        second = a;
        shared = 1;
        shared = 2;
    }

    void goodFieldRead(int a) {
        first = a;
        second = first;
        first = 3;
    }

    void goodFieldOfOther(int a, DeadStore other) {
        first = a;
        other.first = 3;
    }

    void goodFieldSeen(int a) {
        first = a;
        System.out.println(this);
        first = 3;
    }

    void goodNullInPassing(Object a) {
        pass(a, a = null);
    }

    int badInPassing(int a) {
        int b;
        int c = pass(b = a + 1);
        b = 3;
        return c + b;
    }

    private static void pass(Object a, Object b) {
        System.out.println(a + " " + b);
    }

    private static int pass(int a) {
        return a;
    }

    /** Says that a parameter is for somebody else. */
    @interface Bound {
    }

    @interface Nullable {
    }

    private static int marked(@Bound int a, int b) {
        return b;
    }

    private static int notNull(@Nullable Object a, int b) {
        return b;
    }

    int goodMarked(int b) {
        int a = b * 2;
        return marked(a, b);
    }

    int badMarkedOtherwise(int b) {
        Object a = List.of(b);
        return notNull(a, b);
    }

    /** What is behind a switch that is off is not in the class file. */
    static final class Traced {
        private static final boolean TRACE = false;

        static void trace(String what, long start) {
            if (TRACE) {
                System.out.println(what + (System.nanoTime() - start));
            }
        }
    }

    static final class Forgetful {
        static void trace(String what, long start) {
            System.out.println(what);
        }
    }

    void goodTraced(String what) {
        long start = System.nanoTime();
        Traced.trace(what, start);
    }

    void badTraced(String what) {
        long start = System.nanoTime();
        Forgetful.trace(what, start);
    }
}
