package p;

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.Callable;

/** Exceptions that leave methods, or do not. */
public class Exceptions {
    static class Own extends Exception {
    }

    static class Special extends Own {
    }

    static Own kept;

    static int fresh(int number) throws Own {
        if (number > 0) {
            throw new Special();
        }
        return number;
    }

    static int declared(String name) throws IOException {
        return new FileInputStream(name).read();
    }

    static int caught(int number) {
        try {
            return fresh(number);
        } catch (Own own) {
            return 0;
        }
    }

    static int narrowed(Own own) throws Own {
        try {
            throw own;
        } catch (Special special) {
            return 1;
        }
    }

    static int again(int number) throws Own {
        try {
            return fresh(number);
        } catch (Throwable all) {
            System.out.println(number);
            throw all;
        }
    }

    static int last(int number) throws Own {
        try {
            return fresh(number);
        } finally {
            System.out.println(number);
        }
    }

    static int wrapped(String name) {
        try {
            return declared(name);
        } catch (IOException problem) {
            throw new IllegalStateException(problem);
        }
    }

    static int twice(String name) throws IOException {
        try {
            return declared(name);
        } catch (FileNotFoundException missing) {
            return 0;
        }
    }

    static void resource(Closeable given) throws IOException {
        try (Closeable closed = given) {
            System.out.println(closed);
        }
    }

    static void field() throws Own {
        throw kept;
    }

    static Own make() {
        return new Special();
    }

    static void chosen(boolean first) throws Exception {
        Exception thrown = first ? make() : new IOException();
        throw thrown;
    }

    static void looped(int number) throws Own {
        while (number > 0) {
            number = fresh(number);
            looped(number - 1);
        }
    }

    static synchronized int divided(int[] numbers, int place) {
        synchronized (numbers) {
            return numbers[place] / numbers[0];
        }
    }

    static int computed(int[] numbers) {
        try {
            return divided(numbers, 1);
        } catch (ArithmeticException zero) {
            return 0;
        }
    }

    interface Task {
        void act() throws Exception;
    }

    static void run(Task task) throws Exception {
        task.act();
    }

    static void given(Callable<String> task) throws Exception {
        task.call();
    }

    public static void main(String[] arguments) throws Exception {
        run(() -> fresh(1));
        run(() -> declared("a"));
        caught(1);
        again(1);
        last(1);
        wrapped("a");
        twice("a");
        resource(System.in);
        narrowed(kept);
        field();
        chosen(true);
        looped(1);
        computed(new int[2]);
        given(() -> "a");
    }
}
