import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.sql.*;
import java.util.*;
import java.util.stream.*;

/** Objects that have to be closed. `bad__RULE__…` breaks the rule, `ok__RULE__…` does not. */
class Leaks {
    static int bad__leak__neverClosed(File f) throws IOException {
        InputStream in = new FileInputStream(f);
        return 1;
    }

    static void bad__leak__oneBranch(File f, boolean close) throws IOException {
        Writer out = new FileWriter(f);
        if (close) out.close();
    }

    static void bad__leak__overwritten(File[] files) throws IOException {
        InputStream in = null;
        for (File f : files) in = new FileInputStream(f);
        if (in != null) in.close();
    }

    static void bad__leak__helperClosesAnother(File f, Closeable other) throws IOException {
        InputStream in = new FileInputStream(f);
        closeSecond(in, other);
    }

    static void closeSecond(Closeable first, Closeable second) throws IOException {
        second.close();
    }

    static void ok__leak__helperClosesIt(File f, Closeable other) throws IOException {
        InputStream in = new FileInputStream(f);
        closeSecond(other, in);
    }

    static InputStream openChecked(File f) throws IOException {
        InputStream in = new FileInputStream(f);
        if (in.markSupported()) return in;
        in.close();
        return null;
    }

    static int bad__leak__twoFactories(File f) throws IOException {
        return again(f).read();
    }

    static InputStream again(File f) throws IOException {
        return openChecked(f);
    }

    static void ok__leak__twoFactories(File f) throws IOException {
        try (InputStream in = again(f)) {
            System.out.println(in);
        }
    }

    static void bad__leak_on_exception__readThrows(File f) throws IOException {
        InputStream in = new FileInputStream(f);
        in.read();
        in.close();
    }

    static void ok__leak_on_exception__constructorThrows(File f) throws IOException {
        InputStream in = new FileInputStream(f);
        in.close();
    }

    static void bad__leak_on_exception__caught(File f) {
        try {
            Reader in = new FileReader(f);
            in.read();
            in.close();
        } catch (IOException e) {
            System.out.println("lost");
        }
    }

    static void ok__leak_on_exception__finallyWithFlag(File f) throws IOException {
        InputStream in = new FileInputStream(f);
        boolean done = false;
        try {
            in.read();
            done = true;
        } finally {
            if (!done) in.close();
        }
        in.close();
    }

    static void ok__leak__nullOnTheLeft(File f) throws IOException {
        InputStream in = null;
        try {
            in = new FileInputStream(f);
        } finally {
            if (null != in) in.close();
        }
    }

    static void ok__leak__nonNull(File f) throws IOException {
        InputStream in = null;
        try {
            in = new FileInputStream(f);
        } finally {
            if (Objects.nonNull(in)) in.close();
        }
    }

    static void bad__leak__wrapped(File f) throws IOException {
        new BufferedReader(new InputStreamReader(new FileInputStream(f))).readLine();
    }

    static class Wrapper extends FilterInputStream {
        Wrapper(InputStream in) {
            super(in);
        }
    }

    static void bad__leak__ownWrapper(File f) throws IOException {
        Wrapper w = new Wrapper(new FileInputStream(f));
        System.out.println(w);
    }

    static void ok__leak__ownWrapper(File f) throws IOException {
        Wrapper w = new Wrapper(new FileInputStream(f));
        w.close();
    }

    static class Holder implements Closeable {
        private final InputStream in;

        Holder(InputStream in) {
            this.in = in;
        }

        void useUp() throws IOException {
            close();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    static void bad__leak__holder(File f) throws IOException {
        Holder h = new Holder(new FileInputStream(f));
        System.out.println(h);
    }

    static void ok__leak__holder(File f) throws IOException {
        Holder h = new Holder(new FileInputStream(f));
        h.useUp();
    }

    private static InputStream kept;

    static void ok__leak__static(File f) throws IOException {
        kept = new FileInputStream(f);
    }

    static void ok__leak__collection(File f, List<Closeable> all) throws IOException {
        all.add(new FileInputStream(f));
    }

    static int bad__leak__statement(Connection c) throws SQLException {
        PreparedStatement s = c.prepareStatement("x");
        return s.executeUpdate();
    }

    static ResultSet ok__leak__resultSetReturned(Connection c) throws SQLException {
        Statement s = c.createStatement();
        return s.executeQuery("x");
    }

    static void ok__leak__socketNotConnected() throws IOException {
        Socket s = new Socket();
        s.setKeepAlive(true);
    }

    static void bad__leak__socketConnected(SocketAddress a) throws IOException {
        Socket s = new Socket();
        s.connect(a);
    }

    static void bad__leak__lines(Path p) throws IOException {
        Files.lines(p).map(String::length).forEach(System.out::println);
    }

    static void ok__leak__lines(Path p) throws IOException {
        try (Stream<Integer> lengths = Files.lines(p).map(String::length)) {
            lengths.forEach(System.out::println);
        }
    }

    static void ok__leak__exit(File f) throws IOException {
        InputStream in = new FileInputStream(f);
        System.exit(in.read());
    }

    static void ok__leak__readsForever(File f) throws IOException {
        InputStream in = new FileInputStream(f);
        while (true) System.out.println(in.available());
    }

    static void bad__use_after_close__read(File f) throws IOException {
        InputStream in = new FileInputStream(f);
        in.close();
        in.read();
    }

    static void bad__use_after_close__helper(File f) throws IOException {
        InputStream in = new FileInputStream(f);
        closeSecond(null, in);
        System.out.println(in.read());
    }

    static void ok__use_after_close__otherObject(File f) throws IOException {
        for (int i = 0; i < 3; i++) {
            InputStream in = new FileInputStream(f);
            in.read();
            in.close();
        }
    }
}
