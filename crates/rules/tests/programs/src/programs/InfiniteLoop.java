package programs;

import java.util.Iterator;

/** Methods whose names start with "bad" have a loop that never ends. */
class InfiniteLoop {
    private boolean done;
    private volatile boolean stopped;
    private int count;

    int badUnchanged(int n) {
        int sum = 0;
        for (int i = 0; i < n;) {
            sum += n;
        }
        return sum;
    }

    void badFlag() {
        boolean go = true;
        do {
            System.out.println("on");
        } while (go);
    }

    void badField() {
        while (!done) {
            count++;
        }
    }

    void badAway() {
        for (int i = 0; i < 10; i--) {
            System.out.println(i);
        }
    }

    void badEmpty() {
        while (true) {
            count++;
        }
    }

    void badRemainder() {
        int i = 0;
        while (i >= 0) {
            System.out.println(i);
            i = (i + 1) % 16;
        }
    }

    int badInner(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; sum++) {
                sum += j;
            }
        }
        return sum;
    }

    int goodCounter(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }

    void goodVolatile() {
        while (!stopped) {
            count++;
        }
    }

    void goodCall() {
        while (!done) {
            work();
        }
    }

    void goodServer(java.util.concurrent.BlockingQueue<String> queue) throws InterruptedException {
        while (true) {
            System.out.println(queue.take());
        }
    }

    void goodBreak() {
        while (true) {
            if (count++ > 10) {
                break;
            }
        }
    }

    void goodIterator(Iterator<String> iterator) {
        while (iterator.hasNext()) {
            System.out.println(iterator.next());
        }
    }

    void goodNever() {
        boolean go = false;
        while (go) {
            System.out.println("never");
        }
    }

    int goodThrows(int[] numbers) {
        int i = 0;
        while (true) {
            if (numbers[i] < 0) {
                throw new IllegalStateException();
            }
            i++;
        }
    }

    void badCountsForEver() {
        int i = 0;
        for (;;) {
            System.out.println("at " + i);
            i++;
        }
    }

    private void work() {
        done = count++ > 3;
    }
}
