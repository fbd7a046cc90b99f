package programs;

import java.util.concurrent.locks.Condition;

/** Methods whose names start with "bad" use wait and notify as they must not be used. */
class WaitNotify {
    private final Object lock = new Object();
    private final Object other = new Object();
    private boolean ready;

    synchronized void badNoLoop() throws InterruptedException {
        if (!ready) {
            wait();
        }
    }

    void badNoMonitor() throws InterruptedException {
        while (!ready) {
            lock.wait();
        }
    }

    synchronized void badOtherMonitor() {
        ready = true;
        lock.notifyAll();
    }

    void badTwoMonitors() throws InterruptedException {
        synchronized (lock) {
            synchronized (other) {
                while (!ready) {
                    other.wait();
                }
            }
        }
    }

    void badAwait(Condition condition) throws InterruptedException {
        if (!ready) {
            condition.await();
        }
    }

    void badConditionWait(Condition condition) throws InterruptedException {
        synchronized (condition) {
            while (!ready) {
                condition.wait();
            }
        }
    }

    synchronized void goodLoop() throws InterruptedException {
        while (!ready) {
            wait();
        }
    }

    void goodBlock() throws InterruptedException {
        synchronized (lock) {
            while (!ready) {
                lock.wait(1000);
            }
        }
    }

    void goodNotify() {
        synchronized (lock) {
            ready = true;
            lock.notifyAll();
        }
    }

    synchronized void goodRepeats() throws InterruptedException {
        while (!ready) {
            goodCalledAgain();
        }
    }

    private synchronized void goodCalledAgain() throws InterruptedException {
        wait(1000);
    }

    synchronized void callsOnce() throws InterruptedException {
        if (!ready) {
            badCalledOnce();
        }
    }

    private synchronized void badCalledOnce() throws InterruptedException {
        wait(1000);
    }

    synchronized void goodCaller() throws InterruptedException {
        goodCalledWithMonitor();
    }

    private void goodCalledWithMonitor() throws InterruptedException {
        while (!ready) {
            wait();
        }
    }

    void goodAwait(Condition condition) throws InterruptedException {
        while (!ready) {
            condition.await();
        }
    }

    void goodAlias() {
        Object same = lock;
        synchronized (same) {
            ready = true;
            lock.notify();
        }
    }
}
