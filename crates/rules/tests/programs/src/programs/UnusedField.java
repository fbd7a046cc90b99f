package programs;

import java.io.Serializable;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/** Fields whose names start with "bad" are never read. */
class UnusedField {
    private int badNever;
    private int badWritten;
    private int badCounted;
    int badInPackage;
    private static String badStatic = new String("x");

    // old compilers do not mark their fields
    private Object val$goodCaptured = new Object();
    private int goodRead;
    private int goodCounted;
    protected int goodProtected;
    public int goodPublic;
    private static final int GOOD_CONSTANT = 42;
    private volatile int goodUpdated;
    @Deprecated private int goodDeprecated;
    private int goodReadToBeWritten;
    private static final String badText = "nobody says this";
    private static final String goodText = "somebody says this";
    private static final String goodPart = "joined";
    private static final AtomicIntegerFieldUpdater<UnusedField> goodUpdater =
            AtomicIntegerFieldUpdater.newUpdater(UnusedField.class, "goodUpdated");

    int use() {
        badWritten = 3;
        goodReadToBeWritten = goodReadToBeWritten + 2;
        System.out.println(goodText);
        System.out.println(goodPart + " with something");
        badCounted++;
        badInPackage = 4;
        goodUpdater.set(this, 3);
        return goodRead + goodCounted++ + GOOD_CONSTANT;
    }

    /** Nobody outside sees a private class. */
    private static class Inner {
        public int badPublic = 1;
        public int goodPublic = 2;
    }

    int useInner() {
        return new Inner().goodPublic;
    }

    /** Long fields that keep others apart. */
    static class Padded {
        long goodPad1, goodPad2, goodPad3, goodPad4, goodPad5, goodPad6;
        volatile long goodValue;
        long badAlone1;

        long use() {
            return goodValue;
        }
    }

    static class Stored implements Serializable {
        private static final long serialVersionUID = 1;
        private int goodOfOldVersion;
        private transient int badTransient;
    }

    static class PaddedInHex {
        private long p8, p9, pa, pb, pc, pd;
        private volatile long goodPadded;
        private int badPadded;

        long next() {
            return goodPadded++;
        }
    }
}
