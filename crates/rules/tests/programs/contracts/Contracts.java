// Annotations that say who closes an object, or which lock is held. The annotations are made here,
// as only their simple names count; those of libraries are kept in class files, too.

import java.io.*;
import java.lang.annotation.*;
import java.util.concurrent.locks.*;

class Contracts {
    @Retention(RetentionPolicy.CLASS) @interface MustBeClosed {}
    @Retention(RetentionPolicy.RUNTIME) @interface WillClose {}
    @Retention(RetentionPolicy.CLASS) @interface WillNotClose {}
    @Retention(RetentionPolicy.CLASS) @interface WillCloseWhenClosed {}
    @Retention(RetentionPolicy.RUNTIME) @interface Owning {}
    @Retention(RetentionPolicy.RUNTIME) @interface NotOwning {}
    @Retention(RetentionPolicy.CLASS) @interface CleanupObligation {}
    @Retention(RetentionPolicy.CLASS) @interface DischargesObligation {}
    @Retention(RetentionPolicy.RUNTIME) @interface Holding { String[] value(); }
    @Retention(RetentionPolicy.CLASS) @interface GuardedBy { String value(); }

    // not AutoCloseable
    static class Handle {
        private int held;
        @MustBeClosed Handle(int held) { this.held = held; }
        Handle() {}
        int read() { return held; }
        void release() { held = 0; }
    }

    interface Pool {
        @MustBeClosed Handle handle();
        @NotOwning InputStream openShared() throws IOException;
        InputStream openOwn() throws IOException;
        void taken(@WillClose InputStream in);
        void kept(InputStream in);
        void read(int first, long second, @WillNotClose InputStream in);
        Closeable wrapped(@WillCloseWhenClosed InputStream in);
    }

    void bad__leak__mustBeClosed(Pool pool) {
        pool.handle().read();
    }

    void ok__leak__mustBeClosed(Pool pool) {
        Handle handle = pool.handle();
        try {
            handle.read();
        } finally {
            handle.release();
        }
    }

    int bad__leak__madeToBeClosed() {
        Handle handle = new Handle(3);
        return handle.read();
    }

    int ok__leak__madeToBeClosed() {
        Handle handle = new Handle(3);
        int read = handle.read();
        handle.release();
        return read;
    }

    int ok__leak__anotherConstructor() {
        return new Handle().read();
    }

    @MustBeClosed Handle ok__leak__passedOn(Pool pool) {
        return pool.handle();
    }

    // an implementation inherits the contract
    static abstract class Shelf implements Pool {
        public Handle handle() { return new Handle(); }
    }

    int bad__leak__inheritedContract(Shelf shelf) {
        return shelf.handle().read();
    }

    int ok__leak__inheritedContract(Shelf shelf) {
        Handle handle = shelf.handle();
        int read = handle.read();
        handle.release();
        return read;
    }

    void bad__leak__borrowed(Pool pool, File file) throws IOException {
        InputStream in = new FileInputStream(file);
        pool.read(1, 2, in);
    }

    void ok__leak__taken(Pool pool, File file) throws IOException {
        InputStream in = new FileInputStream(file);
        pool.taken(in);
    }

    void ok__leak__kept(Pool pool, File file) throws IOException {
        InputStream in = new FileInputStream(file);
        pool.kept(in);
    }

    // with code that does not close it: the contract counts
    static int later(@Owning InputStream in) { return in.hashCode(); }
    static int never(@NotOwning InputStream in) { return in.hashCode(); }
    static int unsaid(InputStream in) { return in.hashCode(); }

    int ok__leak__owning(File file) throws IOException {
        return later(new FileInputStream(file));
    }

    int bad__leak__notOwning(File file) throws IOException {
        return never(new FileInputStream(file));
    }

    int bad__leak__unsaid(File file) throws IOException {
        return unsaid(new FileInputStream(file));
    }

    int bad__leak__ownResult(Pool pool) throws IOException {
        return pool.openOwn().read();
    }

    int ok__leak__sharedResult(Pool pool) throws IOException {
        return pool.openShared().read();
    }

    @NotOwning InputStream given(File file) throws IOException {
        return new FileInputStream(file);
    }

    @Owning InputStream made(File file) throws IOException {
        return new FileInputStream(file);
    }

    int ok__leak__givenByCode(File file) throws IOException {
        return given(file).read();
    }

    int bad__leak__madeByCode(File file) throws IOException {
        return made(file).read();
    }

    void ok__leak__closedWithWrapper(Pool pool, File file) throws IOException {
        Closeable wrapper = pool.wrapped(new FileInputStream(file));
        wrapper.close();
    }

    void bad__leak__wrapperLeftOpen(Pool pool, File file) throws IOException {
        Closeable wrapper = pool.wrapped(new FileInputStream(file));
        System.out.println(wrapper);
    }

    static class Reading implements Closeable {
        private final @NotOwning InputStream in;
        private final Socketed own = new Socketed();
        Reading(InputStream in) { this.in = in; }
        int read() throws IOException { return in.read(); }
        @Override public void close() throws IOException { own.stop(); }
    }

    static class Keeping implements Closeable {
        private final InputStream in;
        Keeping(InputStream in) { this.in = in; }
        int read() throws IOException { return in.read(); }
        @Override public void close() throws IOException { in.close(); }
    }

    int bad__leak__borrowingWrapper(File file) throws IOException {
        try (Reading reading = new Reading(new FileInputStream(file))) {
            return reading.read();
        }
    }

    int ok__leak__owningWrapper(File file) throws IOException {
        try (Keeping keeping = new Keeping(new FileInputStream(file))) {
            return keeping.read();
        }
    }

    @CleanupObligation static class Socketed {
        private boolean open = true;
        int ask() { return open ? 1 : 0; }
        @DischargesObligation void stop() { open = false; }
    }

    static class Plain {
        private boolean open = true;
        int ask() { return open ? 1 : 0; }
    }

    int bad__leak__obligation() {
        return new Socketed().ask();
    }

    int ok__leak__discharged() {
        Socketed socketed = new Socketed();
        int asked = socketed.ask();
        socketed.stop();
        return asked;
    }

    int ok__leak__noObligation() {
        return new Plain().ask();
    }

    // an inner class: its constructor has a parameter that the source does not have
    class Inner {
        final int read;
        Inner(@WillClose InputStream in) { read = in.hashCode(); }
    }

    class Borrowing {
        final int read;
        Borrowing(@WillNotClose InputStream in) { read = in.hashCode(); }
    }

    int ok__leak__takenByInner(File file) throws IOException {
        return new Inner(new FileInputStream(file)).read;
    }

    int bad__leak__borrowedByInner(File file) throws IOException {
        return new Borrowing(new FileInputStream(file)).read;
    }

    private final Lock lock = new ReentrantLock();
    private final ReadWriteLock both = new ReentrantReadWriteLock();
    private int count;

    @Holding("lock") void ok__lock_not_released__relock(boolean more) {
        lock.unlock();
        count++;
        lock.lock();
        if (more) {
            count++;
        }
    }

    @Holding("both") void bad__lock_not_released__anotherLock(boolean more) {
        lock.lock();
        count++;
        if (more) {
            lock.unlock();
        }
    }

    @GuardedBy("this.lock") void ok__lock_not_released__guarded() {
        lock.lock();
        count++;
    }

    void bad__lock_not_released__unguarded() {
        lock.lock();
        count++;
    }

    @Holding("both.writeLock()") void ok__lock_not_released__accessor() {
        both.writeLock().lock();
        count++;
    }

    void bad__lock_not_released__accessor() {
        both.writeLock().lock();
        count++;
    }

    static class Released {
        private final Lock lock = new ReentrantLock();
        private int count;

        @Holding("lock") void ok__unlock_without_lock__guarded(boolean more) {
            lock.unlock();
            count++;
            if (more) {
                lock.lock();
            }
        }

        void bad__unlock_without_lock__unguarded(boolean more) {
            lock.unlock();
            count++;
            if (more) {
                lock.lock();
            }
        }

        @Holding("lock") void ok__double_unlock__guarded() {
            lock.unlock();
            count++;
            lock.unlock();
        }

        void bad__double_unlock__unguarded() {
            lock.unlock();
            count++;
            lock.unlock();
        }
    }

    static class Promises {
        static void ok__promised_close__closed(@WillClose InputStream in) throws IOException {
            in.read();
            in.close();
        }

        static void bad__promised_close__earlyReturn(int n, @WillClose InputStream in) throws IOException {
            if (in.read() < n) return;
            in.close();
        }

        void ok__promised_close__unlessNull(@WillClose Reader in) throws IOException {
            if (in != null) {
                in.close();
            }
        }

        void bad__promised_close__onlyUsed(long n, @WillClose Reader in) throws IOException {
            in.skip(n);
        }

        void ok__promised_close__noPromise(Reader in) throws IOException {
            in.read();
        }

        static void ok__promised_close__passedOn(@WillClose InputStream in) throws IOException {
            ok__promised_close__closed(in);
        }
    }

    static class Counter {
        private final Lock lock = new ReentrantLock();
        private final ReadWriteLock both = new ReentrantReadWriteLock();
        @GuardedBy("this") private int byThis;
        @GuardedBy("lock") private int byLock;
        @GuardedBy("this.both") private long byBoth;
        @GuardedBy("Counter.class") private static int byClass;
        @GuardedBy("itself") private final StringBuilder text = new StringBuilder();

        Counter() {
            byThis = 1;
            ok__guarded_field__calledByTheConstructor();
        }

        private void ok__guarded_field__calledByTheConstructor() {
            byLock = 1;
        }

        synchronized void ok__guarded_field__method() {
            byThis++;
        }

        void ok__guarded_field__block() {
            synchronized (this) {
                byThis++;
            }
        }

        void bad__guarded_field__behindTheBlock() {
            synchronized (this) {
                byThis++;
            }
            byThis--;
        }

        void bad__guarded_field__anotherObject(Counter other) {
            synchronized (this) {
                other.byThis++;
            }
        }

        void ok__guarded_field__theOtherObject(Counter other) {
            synchronized (other) {
                other.byThis++;
            }
        }

        void ok__guarded_field__lock() {
            lock.lock();
            try {
                byLock++;
            } finally {
                lock.unlock();
            }
        }

        synchronized void bad__guarded_field__anotherLock() {
            byLock++;
        }

        void bad__guarded_field__released() {
            lock.lock();
            lock.unlock();
            byLock++;
        }

        long ok__guarded_field__reader() {
            both.readLock().lock();
            try {
                return byBoth;
            } finally {
                both.readLock().unlock();
            }
        }

        long bad__guarded_field__noReader() {
            return byBoth;
        }

        static synchronized void ok__guarded_field__ofTheClass() {
            byClass++;
        }

        static void ok__guarded_field__onTheClass() {
            synchronized (Counter.class) {
                byClass++;
            }
        }

        static void bad__guarded_field__static() {
            byClass++;
        }

        void ok__guarded_field__itself() {
            synchronized (text) {
                text.append('x');
            }
        }

        @GuardedBy("this") private volatile int seen;
        @GuardedBy("named") private final StringBuilder named = new StringBuilder();

        int ok__guarded_field__readsVolatile() {
            return seen;
        }

        void bad__guarded_field__assignsVolatile() {
            seen = 1;
        }

        void ok__guarded_field__namesItself() {
            synchronized (named) {
                named.append('x');
            }
        }

        void bad__guarded_field__notItself() {
            text.append('x');
        }

        @Holding("lock") void ok__guarded_field__promised() {
            byLock++;
        }

        @Holding("both") void bad__guarded_field__promisedAnother() {
            byLock++;
        }

        private void ok__guarded_field__calledWithIt() {
            byLock += 2;
        }

        void calls() {
            lock.lock();
            try {
                ok__guarded_field__calledWithIt();
            } finally {
                lock.unlock();
            }
            bad__guarded_field__calledWithout();
        }

        private void bad__guarded_field__calledWithout() {
            byLock += 2;
        }

        static Counter ok__guarded_field__new() {
            Counter made = new Counter();
            made.byThis = 5;
            return made;
        }
    }
}
