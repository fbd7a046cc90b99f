import java.util.concurrent.locks.*;

/** Locks. `bad__RULE__…` breaks the rule, `ok__RULE__…` does not. */
class Locks {
    private final Lock lock = new ReentrantLock();
    private final ReadWriteLock both = new ReentrantReadWriteLock();
    private static final Lock SHARED = new ReentrantLock();
    private int count;

    void bad__lock_not_released__earlyReturn(boolean b) {
        lock.lock();
        if (b) return;
        count++;
        lock.unlock();
    }

    void ok__lock_not_released__finally() {
        lock.lock();
        try {
            work();
        } finally {
            lock.unlock();
        }
    }

    void bad__lock_not_released_on_exception__call() {
        lock.lock();
        work();
        lock.unlock();
    }

    void ok__lock_not_released_on_exception__noCall() {
        lock.lock();
        count++;
        lock.unlock();
    }

    void bad__lock_not_released__readLock(boolean b) {
        both.readLock().lock();
        if (b) return;
        both.readLock().unlock();
    }

    void ok__lock_not_released__readLock() {
        both.readLock().lock();
        try {
            work();
        } finally {
            both.readLock().unlock();
        }
    }

    static void bad__lock_not_released__tryLock(boolean b) {
        if (SHARED.tryLock()) {
            if (b) SHARED.unlock();
        }
    }

    static void ok__lock_not_released__tryLock() {
        if (!SHARED.tryLock()) return;
        try {
            work();
        } finally {
            SHARED.unlock();
        }
    }

    void ok__lock_not_released__helper() {
        lock.lock();
        try {
            work();
        } finally {
            release();
        }
    }

    private void release() {
        lock.unlock();
    }

    void bad__double_unlock__twice() {
        lock.lock();
        lock.unlock();
        lock.unlock();
    }

    void ok__double_unlock__again() {
        lock.lock();
        lock.unlock();
        lock.lock();
        lock.unlock();
    }

    void bad__double_lock__twice() {
        lock.lock();
        lock.lock();
        lock.unlock();
    }

    void bad__lock_not_released__again(boolean more) {
        lock.lock();
        try {
            if (more) lock.lock();
            count++;
        } finally {
            lock.unlock();
        }
    }

    void ok__lock_not_released__counted() {
        lock.lock();
        try {
            lock.lock();
            try {
                count++;
            } finally {
                lock.unlock();
            }
        } finally {
            lock.unlock();
        }
    }

    void ok__lock_not_released__inLoop(int n) {
        for (int i = 0; i < n; i++) {
            lock.lock();
            try {
                count++;
            } finally {
                lock.unlock();
            }
        }
    }

    void ok__double_lock__callee() {
        lock.lock();
        try {
            ok__lock_not_released__counted();
        } finally {
            lock.unlock();
        }
    }

    static void bad__unlock_without_lock__fresh() {
        Lock own = new ReentrantLock();
        own.unlock();
    }

    static void ok__unlock_without_lock__fresh() {
        Lock own = new ReentrantLock();
        own.lock();
        own.unlock();
    }

    void bad__unlock_without_lock__branch(boolean b) {
        try {
            if (b) lock.lock();
            count++;
        } finally {
            lock.unlock();
        }
    }

    void ok__unlock_without_lock__release() {
        lock.unlock();
    }

    static void work() {
        if (System.out.checkError()) throw new Calm.Malformed();
        System.out.println("work");
    }

    static class Other {
        private final ReadWriteLock both = new ReentrantReadWriteLock();

        void bad__lock_not_released__wrongLock() {
            both.readLock().lock();
            both.writeLock().unlock();
        }
    }

    private volatile boolean stopped;

    boolean ok__lock_not_released__toldByResult() {
        pair.lock();
        if (stopped) {
            pair.unlock();
            return false;
        }
        return true;
    }

    void after() {
        pair.unlock();
    }

    private final java.util.concurrent.locks.ReentrantLock pair = new java.util.concurrent.locks.ReentrantLock();

    void ok__lock_not_released__givenBack() {
        pair.unlock();
        try {
            System.out.println();
        } finally {
            pair.lock();
        }
    }

    AutoCloseable ok__lock_not_released__handedOver() {
        pair.lock();
        return pair::unlock;
    }

    void bad__lock_not_released__onOnePath() {
        pair.lock();
        if (stopped) {
            return;
        }
        pair.unlock();
    }

    /** Two locks in fields. */
    static class Fields {
        private final ReadWriteLock both = new ReentrantReadWriteLock();
        private final Lock reading = both.readLock();
        private final Lock writing = both.writeLock();
        private int count;

        void bad__lock_not_released__theOtherField() {
            reading.lock();
            try {
                count++;
            } finally {
                writing.unlock();
            }
        }

        void ok__lock_not_released__theSameField() {
            writing.lock();
            try {
                count++;
            } finally {
                writing.unlock();
            }
        }
    }

    private final ReentrantLock tried = new ReentrantLock();

    void bad__unlock_not_acquired__resultIgnored() {
        tried.tryLock();
        try {
            work();
        } finally {
            tried.unlock();
        }
    }

    void bad__unlock_not_acquired__releasedAnyway() {
        try {
            if (tried.tryLock()) work();
        } finally {
            tried.unlock();
        }
    }

    void ok__unlock_not_acquired__tested() {
        boolean has = tried.tryLock();
        try {
            if (has) work();
        } finally {
            if (has) tried.unlock();
        }
    }

    void ok__unlock_not_acquired__waitsThen() {
        if (!tried.tryLock()) tried.lock();
        try {
            work();
        } finally {
            tried.unlock();
        }
    }

    void ok__unlock_not_acquired__asked() {
        tried.tryLock();
        try {
            work();
        } finally {
            if (tried.isHeldByCurrentThread()) tried.unlock();
        }
    }

    void bad__unlock_not_acquired__interrupted() throws InterruptedException {
        try {
            tried.lockInterruptibly();
            work();
        } finally {
            tried.unlock();
        }
    }

    void ok__unlock_not_acquired__interrupted() throws InterruptedException {
        tried.lockInterruptibly();
        try {
            work();
        } finally {
            tried.unlock();
        }
    }

    void ok__unlock_not_acquired__timed() throws InterruptedException {
        boolean has = false;
        try {
            has = tried.tryLock(3, java.util.concurrent.TimeUnit.SECONDS);
            work();
        } finally {
            if (has) tried.unlock();
        }
    }

    /** Acquired by one method, released by another one. */
    static class Guarded {
        private final ReentrantLock lock = new ReentrantLock();
        private boolean open;

        void ok__lock_not_released__unlessItFails() throws InterruptedException {
            lock.lockInterruptibly();
            boolean done = false;
            try {
                while (!open) Thread.sleep(4);
                done = true;
            } finally {
                if (!done) leave();
            }
        }

        void leave() {
            lock.unlock();
        }
    }

    static void ok__lock_not_released__allOfMany(Lock[] locks) {
        for (Lock lock : locks) lock.lock();
        try {
            work();
        } finally {
            for (Lock lock : locks) lock.unlock();
        }
    }

    static void bad__lock_not_released__oneOfMany(Lock[] locks, boolean b) {
        Lock lock = locks[0];
        lock.lock();
        if (b) return;
        lock.unlock();
    }

    static void bad__lock_not_released__dropped(int n) {
        Lock lock = new ReentrantLock();
        for (int i = 0; i < n; i++) {
            lock.lock();
            lock = new ReentrantLock();
        }
    }

    void ok__lock_not_released__theSameLock(Lock other) {
        try {
            if (other == tried) other.lock();
            work();
        } finally {
            tried.unlock();
        }
    }

    /** Stamps. */
    static class Stamped {
        private final StampedLock lock = new StampedLock();
        private int count;

        int bad__lock_not_released__stamp(boolean b) {
            long stamp = lock.writeLock();
            if (b) return 0;
            count++;
            lock.unlockWrite(stamp);
            return count;
        }

        int ok__lock_not_released__stamp() {
            long stamp = lock.tryOptimisticRead();
            int seen = count;
            if (!lock.validate(stamp)) {
                stamp = lock.readLock();
                try {
                    seen = count;
                } finally {
                    lock.unlockRead(stamp);
                }
            }
            return seen;
        }
    }

    /** Permits. */
    static class Permits {
        private final java.util.concurrent.Semaphore permits = new java.util.concurrent.Semaphore(2);
        private int count;

        void bad__semaphore_not_released__earlyReturn(boolean b) throws InterruptedException {
            permits.acquire();
            if (b) return;
            count++;
            permits.release();
        }

        void ok__semaphore_not_released__finally(boolean b) throws InterruptedException {
            permits.acquire();
            try {
                if (b) return;
                count++;
            } finally {
                permits.release();
            }
        }

        void ok__semaphore_not_released__signal() throws InterruptedException {
            permits.acquire();
            count++;
        }
    }

    /** Locks that nobody acquires, and others. */
    static class Never {
        private final ReentrantLock never = new ReentrantLock();
        private final ReentrantLock once = new ReentrantLock();
        private final Lock shared;
        private final ReentrantLock given = new ReentrantLock();
        private int count;

        Never(Lock shared) {
            this.shared = shared;
        }

        void bad__lock_never_acquired__field() {
            try {
                count++;
            } finally {
                never.unlock();
            }
        }

        void ok__lock_never_acquired__elsewhere() {
            once.unlock();
        }

        void acquire() {
            once.lock();
        }

        void ok__lock_never_acquired__madeElsewhere() {
            shared.unlock();
        }

        void ok__lock_never_acquired__givenAway() {
            given.unlock();
        }

        Lock given() {
            return given;
        }
    }

    /** Locks that are acquired in both orders, and in one. */
    static class Orders {
        private final Object one = new Object();
        private final Object two = new Object();
        private final Object gate = new Object();
        private final Object inner = new Object();
        private final Object outer = new Object();
        private static final ReentrantLock FIRST = new ReentrantLock();
        private static final ReentrantLock SECOND = new ReentrantLock();
        private int count;

        void ok__lock_order__reportedAtTheOther() {
            synchronized (one) {
                synchronized (two) {
                    count++;
                }
            }
        }

        void bad__lock_order__monitors() {
            synchronized (two) {
                synchronized (one) {
                    count--;
                }
            }
        }

        void ok__lock_order__locks() {
            FIRST.lock();
            try {
                SECOND.lock();
                try {
                    count++;
                } finally {
                    SECOND.unlock();
                }
            } finally {
                FIRST.unlock();
            }
        }

        void bad__lock_order__byCall() {
            SECOND.lock();
            try {
                first();
            } finally {
                SECOND.unlock();
            }
        }

        private void first() {
            FIRST.lock();
            try {
                count++;
            } finally {
                FIRST.unlock();
            }
        }

        void ok__lock_order__behindOneGate() {
            synchronized (gate) {
                synchronized (inner) {
                    synchronized (outer) {
                        count++;
                    }
                }
            }
        }

        void ok__lock_order__behindTheSameGate() {
            synchronized (gate) {
                synchronized (outer) {
                    synchronized (inner) {
                        count++;
                    }
                }
            }
        }

        void ok__lock_order__oneAfterTheOther() {
            synchronized (two) {
                count++;
            }
            synchronized (gate) {
                count++;
            }
        }
    }

    /** Calls that hardly throw, and one that does. */
    static class Calm {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private static final java.util.logging.Logger LOG = java.util.logging.Logger.getLogger("calm");
        private int count;

        int getCount() {
            return count;
        }

        void setCount(int count) {
            this.count = count;
        }

        static class Malformed extends RuntimeException {}

        static int parsed(String text) {
            if (text.isEmpty()) throw new Malformed();
            return text.length();
        }

        void ok__lock_not_released_on_exception__gettersAndSignals() {
            lock.lock();
            setCount(getCount() * 2 + 1);
            LOG.fine("changed");
            changed.signalAll();
            lock.unlock();
        }

        void bad__lock_not_released_on_exception__parsed(String text) {
            lock.lock();
            setCount(parsed(text));
            changed.signalAll();
            lock.unlock();
        }
    }

    /** Two locks that are acquired together, or neither. */
    static class Both {
        private final Lock lock = new ReentrantLock();
        private int count;

        void ok__lock_not_released__both(Both other) {
            while (true) {
                lock.lock();
                if (other.lock.tryLock()) return;
                lock.unlock();
            }
        }

        void leave(Both other) {
            lock.unlock();
            other.lock.unlock();
        }

        void bad__lock_not_released__once(Both other) {
            lock.lock();
            if (other.lock.tryLock()) return;
            lock.unlock();
        }
    }

    /** A condition that is a field which changes elsewhere, and its negation. */
    static class Optional {
        private final Lock lock = new ReentrantLock();
        private boolean shared;
        private int count;

        void share(int mode) {
            shared = mode > 1;
        }

        void ok__lock_not_released__sameCondition() {
            if (shared) lock.lock();
            try {
                count++;
            } finally {
                if (shared) lock.unlock();
            }
        }

        void bad__lock_not_released__anotherCondition(boolean other) {
            if (shared) lock.lock();
            try {
                count++;
            } finally {
                if (other) lock.unlock();
            }
        }
    }

    /** Private methods that are called with a lock. */
    static class Inside {
        private final Object queue = new Object();
        private int count;

        Inside() {
            init();
        }

        private void init() {
            find();
        }

        void ok__lock_order__caller() {
            synchronized (queue) {
                find();
            }
        }

        private synchronized void find() {
            synchronized (queue) {
                count++;
            }
        }
    }

    /** The same, but for a call without it. */
    static class Outside {
        private final Object queue = new Object();
        private int count;

        void caller() {
            synchronized (queue) {
                bad__lock_order__find();
            }
        }

        void another() {
            bad__lock_order__find();
        }

        private synchronized void bad__lock_order__find() {
            synchronized (queue) {
                count++;
            }
        }
    }

    /** Locks for readers and writers. */
    static class Parts {
        private final ReentrantReadWriteLock parts = new ReentrantReadWriteLock();
        private int count;

        void ok__lock_not_released__theOtherPartIsTaken() {
            parts.writeLock().lock();
            count++;
        }

        void downgrade() {
            parts.readLock().lock();
            parts.writeLock().unlock();
            parts.readLock().unlock();
        }

        void ok__lock_not_released__asksTheWhole() throws InterruptedException {
            try {
                parts.readLock().lockInterruptibly();
                count++;
            } finally {
                if (parts.getReadHoldCount() > 0) parts.readLock().unlock();
            }
        }

        void bad__lock_not_released__asksNobody(boolean b) throws InterruptedException {
            try {
                parts.readLock().lockInterruptibly();
                count++;
            } finally {
                if (b) parts.readLock().unlock();
            }
        }

        void ok__double_unlock__asksTheWhole() {
            int readers = parts.getReadHoldCount();
            for (int i = 0; i < readers; i++) parts.readLock().unlock();
            count++;
            for (int i = 0; i < readers; i++) parts.readLock().lock();
        }
    }

    /** A lock behind a getter. */
    static class Behind {
        private final ReentrantLock hidden = new ReentrantLock();

        ReentrantLock getLock() {
            return hidden;
        }

        void ok__lock_not_released_on_exception__getter() {
            getLock().lock();
            try {
                work();
            } finally {
                getLock().unlock();
            }
        }

        void bad__lock_not_released__getter(boolean b) {
            getLock().lock();
            if (b) return;
            hidden.unlock();
        }
    }

    /** Two locks: one is kept by contract, the other one is forgotten. */
    static class Kept {
        private final ReentrantLock state = new ReentrantLock();
        private final ReentrantLock table = new ReentrantLock();
        private boolean stopped;
        private int count;

        void ok__lock_not_released__orAnException() {
            state.lock();
            if (stopped) {
                state.unlock();
                throw new IllegalStateException();
            }
        }

        void end() {
            state.unlock();
        }

        int bad__lock_not_released__theOtherOneIsKept() {
            table.lock();
            if (stopped) return 0;
            count++;
            table.unlock();
            return count;
        }
    }

    /** A lock of somebody else, who can release it, and one of its own. */
    static class Handed {
        private final Lock given;
        private final Lock own = new ReentrantLock();
        final Lock open = new ReentrantLock();
        private boolean done;

        Handed(Lock given) {
            this.given = given;
        }

        boolean ok__lock_not_released__known() {
            if (!done) done = given.tryLock();
            return done;
        }

        boolean ok__lock_not_released__notPrivate() {
            if (!done) done = open.tryLock();
            return done;
        }

        boolean bad__lock_not_released__own() {
            if (!done) done = own.tryLock();
            return done;
        }
    }

    /** Who waits for a condition holds its lock before and after. */
    abstract static class Waiting implements Condition {
        private final ReentrantLock own = new ReentrantLock();

        abstract void park() throws InterruptedException;

        @Override
        public void await() throws InterruptedException {
            try {
                park();
            } finally {
                own.lock();
            }
        }
    }

    void ok__double_unlock__asked(boolean b) {
        tried.lock();
        try {
            if (b) tried.unlock();
        } finally {
            if (tried.isHeldByCurrentThread()) tried.unlock();
        }
    }

    void bad__double_unlock__inFinally(boolean b) {
        tried.lock();
        try {
            if (b) tried.unlock();
        } finally {
            tried.unlock();
        }
    }

    void ok__unlock_without_lock__givenBack(boolean b) {
        if (b) {
            tried.unlock();
            try {
                work();
            } finally {
                tried.lock();
            }
        }
    }

    void bad__unlock_without_lock__notGivenBack(boolean b) {
        tried.unlock();
        work();
        if (b) tried.lock();
    }

    /** Two objects that lock each other. */
    static class Bowing {
        private static final Bowing ONE = new Bowing();
        private static final Bowing TWO = new Bowing();
        private static final Object GUARD = new Object();
        private static Bowing chosen = new Bowing();
        private int count;

        synchronized void back() {
            count--;
        }

        synchronized void bad__lock_order__bothWays(Bowing other) {
            count++;
            other.back();
        }

        synchronized void ok__lock_order__oneWay(Bowing other) {
            count++;
            other.back();
        }

        void ok__lock_order__afterwards(Bowing other) {
            synchronized (this) {
                count++;
            }
            other.back();
        }

        void bad__lock_order__monitors(int n, Bowing other) {
            synchronized (this) {
                synchronized (other) {
                    count += n;
                }
            }
        }

        synchronized void ok__lock_order__guarded(Bowing other) {
            other.back();
        }

        synchronized void ok__lock_order__reassigned(Bowing other) {
            other.back();
        }

        synchronized void bad__lock_order__threads(Bowing other) {
            other.back();
        }

        synchronized void bad__lock_order__functions(Bowing other) {
            other.back();
        }

        synchronized void ok__lock_order__oneThread(Bowing other) {
            other.back();
        }

        synchronized void ok__lock_order__otherVariables(Bowing other) {
            other.back();
        }

        static void choose(Bowing one) {
            chosen = one;
        }

        static void calls(boolean b) {
            if (b) ONE.bad__lock_order__bothWays(TWO);
            else TWO.bad__lock_order__bothWays(ONE);
            ONE.ok__lock_order__oneWay(TWO);
            ONE.ok__lock_order__oneWay(TWO);
            if (b) ONE.ok__lock_order__afterwards(TWO);
            else TWO.ok__lock_order__afterwards(ONE);
            if (b) ONE.bad__lock_order__monitors(1, TWO);
            else TWO.bad__lock_order__monitors(2, ONE);
            synchronized (GUARD) {
                ONE.ok__lock_order__guarded(TWO);
            }
            synchronized (GUARD) {
                TWO.ok__lock_order__guarded(ONE);
            }
            ONE.ok__lock_order__reassigned(chosen);
            chosen.ok__lock_order__reassigned(ONE);
        }

        static void threads() {
            final Bowing a = new Bowing();
            final Bowing b = new Bowing();
            new Thread(new Runnable() {
                @Override
                public void run() {
                    a.bad__lock_order__threads(b);
                }
            }).start();
            new Thread(new Runnable() {
                @Override
                public void run() {
                    b.bad__lock_order__threads(a);
                }
            }).start();
            new Thread(() -> a.bad__lock_order__functions(b)).start();
            new Thread(() -> b.bad__lock_order__functions(a)).start();
            new Thread(() -> {
                a.ok__lock_order__oneThread(b);
                b.ok__lock_order__oneThread(a);
            }).start();
            new Thread(new Runnable() {
                @Override
                public void run() {
                    a.ok__lock_order__otherVariables(b);
                }
            }).start();
        }

        static void others() {
            final Bowing a = new Bowing();
            final Bowing b = new Bowing();
            new Thread(new Runnable() {
                @Override
                public void run() {
                    b.ok__lock_order__otherVariables(a);
                }
            }).start();
        }
    }
}
