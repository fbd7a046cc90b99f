package programs;

/** Methods whose names start with "bad" notify of nothing. */
class NotifyWithoutChange {
    private int count;

    synchronized void badNothing() {
        notifyAll();
    }

    void badOnlyRead() {
        synchronized (this) {
            int seen = count;
            System.identityHashCode(seen > 3 ? "a" : "b");
        }
        synchronized (this) {
            notify();
        }
    }

    synchronized void goodChanged() {
        count++;
        notifyAll();
    }

    void goodCall() {
        synchronized (this) {
            goodChanged();
            notifyAll();
        }
    }
}
