package p;

import java.io.IOException;
import java.util.Optional;

/** What a compiler of Java lets pass of exceptions whose types are broad. */
public class Bounded {
    public interface Work<E extends Exception> {
        void run() throws E;
    }

    public static class Failing<E extends Exception> implements Work<E> {
        Exception failure;

        @Override
        @SuppressWarnings("unchecked")
        public void run() throws E {
            throw (E) failure;
        }
    }

    public static Work<IOException> failing() {
        return new Failing<>();
    }

    public static <E extends Exception> void perform(Work<E> work) throws E {
        work.run();
    }

    public static void declares(Work<IOException> work) throws IOException {
        perform(work);
    }

    public static void declaresMore(Work<Exception> work) throws Exception {
        perform(work);
    }

    public static void declaresNothing(Work<RuntimeException> work) {
        perform(work);
    }

    public static void catches(Work<IOException> work) {
        try {
            perform(work);
        } catch (IOException failure) {
            System.out.println(failure);
        }
    }

    public static void catchesSome(Work<Exception> work) throws Exception {
        try {
            perform(work);
        } catch (IOException failure) {
            System.out.println(failure);
        }
    }

    public static void again(Work<IOException> work) throws IOException {
        try {
            perform(work);
        } catch (Throwable failure) {
            System.out.println(failure);
            throw failure;
        }
    }

    public static void last(Work<IOException> work) throws IOException {
        try {
            perform(work);
        } finally {
            System.out.println(work);
        }
    }

    public static String found(Optional<String> name) throws IOException {
        return name.orElseThrow(IOException::new);
    }

    @SuppressWarnings("unchecked")
    public static <E extends Throwable> void sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    public static void sneaks(Throwable failure) {
        Bounded.<Error>sneak(failure);
    }

    public static void around(Work<IOException> work) throws IOException {
        declares(work);
        catches(work);
    }
}
