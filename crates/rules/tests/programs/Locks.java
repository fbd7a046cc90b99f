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
}
