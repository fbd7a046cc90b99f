import java.io.*;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.*;

/** Methods whose callers have to care: begin and end, open and close. */
class Helpers {
    static class Pair {
        private final Lock lock = new ReentrantLock();
        private int count;

        void begin() {
            lock.lock();
        }

        void end() {
            lock.unlock();
        }

        void bad__lock_not_released__oneShort(boolean c) {
            begin();
            if (c) return;
            count++;
            end();
        }

        void ok__lock_not_released__onAllPaths(boolean c) {
            begin();
            if (c) {
                end();
                return;
            }
            count++;
            end();
        }

        void ok__lock_not_released_on_exception__finally(Runnable job) {
            begin();
            try {
                job.run();
            } finally {
                end();
            }
        }

        void bad__lock_not_released_on_exception__inBetween(Runnable job) {
            begin();
            job.run();
            end();
        }

        // it is held when it is left, as it was before
        void ok__lock_not_released__inverted(boolean c) {
            end();
            if (c) count++;
            begin();
        }

        void ok__lock_not_released__mayEnd(boolean c) {
            end();
            count++;
            begin();
            if (c) return;
            end();
        }

        // nobody ends it here
        void ok__lock_not_released__started() {
            begin();
            count++;
        }

        void ok__lock_not_released__rounds(int n) {
            for (int i = 0; i < n; i++) {
                begin();
                count++;
                end();
            }
        }

        void bad__lock_not_released__round(int n) {
            for (int i = 0; i < n; i++) {
                begin();
                if (i == count) break;
                end();
            }
        }

        void deeper() {
            count = 0;
            begin();
        }

        void bad__lock_not_released__twoCallsAway(boolean c) {
            deeper();
            if (!c) end();
        }

        void ok__lock_not_released__twoCallsAway(boolean c) {
            deeper();
            if (!c) count++;
            end();
        }
    }

    /** The result says whether it is held. */
    static class Told {
        private final Lock lock = new ReentrantLock();
        private boolean closed;

        void begin() {
            lock.lock();
        }

        void end() {
            lock.unlock();
        }

        boolean ok__lock_not_released__tells() {
            begin();
            if (closed) {
                end();
                return false;
            }
            return true;
        }

        void ok__lock_not_released__told() {
            if (ok__lock_not_released__tells()) end();
        }
    }

    /** The result says something else: nobody else could end it. */
    static class Counted {
        private final Lock lock = new ReentrantLock();
        private int count;

        private void begin() {
            lock.lock();
        }

        private void end() {
            lock.unlock();
        }

        int bad__lock_not_released__result(int n) {
            begin();
            if (n < 0) return -1;
            count += n;
            end();
            return count;
        }

        int ok__lock_not_released__result(int n) {
            begin();
            try {
                return n < 0 ? -1 : count++;
            } finally {
                end();
            }
        }
    }

    /** Helpers of another object. */
    static class User {
        private final Pair pair = new Pair();

        void bad__lock_not_released__ofAField(boolean c) {
            pair.begin();
            if (c) return;
            pair.end();
        }

        void ok__lock_not_released__ofAField(boolean c) {
            pair.begin();
            try {
                if (c) return;
            } finally {
                pair.end();
            }
        }

        static void bad__lock_not_released__ofAParameter(Pair pair, boolean c) {
            pair.begin();
            if (c) pair.end();
        }

        static void ok__lock_not_released__ofAnother(Pair one, Pair other) {
            one.begin();
            other.begin();
            other.end();
            one.end();
        }

        static void bad__lock_not_released__theWrongOne(Pair one, Pair other, boolean c) {
            one.begin();
            if (c) one.end();
            else other.end();
        }
    }

    static class Arguments {
        private final Lock lock = new ReentrantLock();

        static void acquire(Lock lock) {
            lock.lock();
        }

        static void release(Lock lock) {
            lock.unlock();
        }

        void bad__lock_not_released__argument(boolean c) {
            acquire(lock);
            if (c) release(lock);
        }

        void ok__lock_not_released__argument() {
            acquire(lock);
            release(lock);
        }
    }

    static class Permits {
        private final Semaphore permits = new Semaphore(2);
        private int count;

        void begin() throws InterruptedException {
            permits.acquire();
        }

        void end() {
            permits.release();
        }

        void bad__semaphore_not_released__oneShort(boolean c) throws InterruptedException {
            begin();
            if (c) return;
            count++;
            end();
        }

        void ok__semaphore_not_released__finally(boolean c) throws InterruptedException {
            begin();
            try {
                if (c) return;
                count++;
            } finally {
                end();
            }
        }

        // another thread gives it back
        void ok__semaphore_not_released__signal() throws InterruptedException {
            begin();
            count++;
        }
    }

    /** Reopened by a helper. */
    static class Source implements Closeable {
        private InputStream in;

        void open(File f) throws IOException {
            in = new FileInputStream(f);
        }

        public void close() throws IOException {
            in.close();
        }

        void bad__leak__openedTwice(File f, File g) throws IOException {
            open(f);
            in.read();
            open(g);
        }

        void ok__leak__closedBetween(File f, File g) throws IOException {
            open(f);
            in.read();
            close();
            open(g);
        }

        void bad__leak__openedInALoop(File[] files) throws IOException {
            for (File f : files) {
                open(f);
                in.read();
            }
        }

        void ok__leak__closedInALoop(File[] files) throws IOException {
            for (File f : files) {
                open(f);
                in.read();
                in.close();
            }
        }

        void ok__leak__openedOnce(File f) throws IOException {
            open(f);
            in.read();
        }

        void ok__leak__otherName(File f, File g) throws IOException {
            open(f);
            InputStream before = in;
            open(g);
            before.close();
        }

        void bad__leak__dropped(File f) throws IOException {
            open(f);
            in = null;
        }
    }

    /** The helper closes the old one first. */
    static class Careful implements Closeable {
        private InputStream in;

        void open(File f) throws IOException {
            if (in != null) in.close();
            in = new FileInputStream(f);
        }

        public void close() throws IOException {
            in.close();
        }

        void ok__leak__closesTheOldOne(File f, File g) throws IOException {
            open(f);
            in.read();
            open(g);
        }
    }

    /** Only one of two is opened. */
    static class Lazy implements Closeable {
        private InputStream in;

        void open(File f) throws IOException {
            if (in == null) in = new FileInputStream(f);
        }

        public void close() throws IOException {
            in.close();
        }

        void ok__leak__openedOnce(File f, File g) throws IOException {
            open(f);
            open(g);
        }
    }

    /** A wrapper in another field closes it. */
    static class Wrapped implements Closeable {
        private InputStream in;
        private Reader reader;

        void open(File f) throws IOException {
            in = new FileInputStream(f);
            reader = new InputStreamReader(in);
        }

        public void close() throws IOException {
            reader.close();
        }

        void ok__leak__byTheWrapper(File f, File g) throws IOException {
            open(f);
            reader.close();
            open(g);
        }

        void bad__leak__withTheWrapper(File f, File g) throws IOException {
            open(f);
            open(g);
        }
    }

    /** Ends in a `finally`, after something that may fail. */
    static class Signalling {
        private final ReentrantLock lock = new ReentrantLock();
        private Runnable waiting;

        void begin() {
            lock.lock();
        }

        void end() {
            try {
                waiting.run();
            } finally {
                lock.unlock();
            }
        }

        void badEnd() {
            waiting.run();
            lock.unlock();
        }

        void ok__lock_not_released_on_exception__endsAnyway(Runnable job) {
            begin();
            try {
                job.run();
            } finally {
                end();
            }
        }

        void bad__lock_not_released_on_exception__mayNotEnd(Runnable job) {
            begin();
            try {
                job.run();
            } finally {
                badEnd();
            }
        }
    }

    /** Ends what was begun, whichever of two it was. */
    static class Either {
        private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        private int count;

        void beginWriting() {
            lock.writeLock().lock();
        }

        void end() {
            if (lock.isWriteLockedByCurrentThread()) lock.writeLock().unlock();
            else lock.readLock().unlock();
        }

        void ok__lock_not_released__asksHowItIsHeld() {
            beginWriting();
            try {
                count++;
            } finally {
                end();
            }
        }
    }
}
