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

    private int goodRead;
    private int goodCounted;
    protected int goodProtected;
    public int goodPublic;
    private static final int GOOD_CONSTANT = 42;
    private volatile int goodUpdated;
    @Deprecated private int badDeprecated;
    private static final AtomicIntegerFieldUpdater<UnusedField> goodUpdater =
            AtomicIntegerFieldUpdater.newUpdater(UnusedField.class, "goodUpdated");

    int use() {
        badWritten = 3;
        badCounted++;
        badInPackage = 4;
        goodUpdater.set(this, 3);
        return goodRead + goodCounted++ + GOOD_CONSTANT;
    }

    static class Stored implements Serializable {
        private static final long serialVersionUID = 1;
        private int goodOfOldVersion;
        private transient int badTransient;
    }
}
