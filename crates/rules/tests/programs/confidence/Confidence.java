// How certain findings are: each method is named after the confidence and the rule of its finding.

import java.io.*;
import java.sql.*;
import java.util.*;
import java.util.concurrent.locks.*;

class Confidence {

    int certain__leak__neverClosed(File file) throws IOException {
        return new FileInputStream(file).read();
    }

    int certain__leak__neverClosedOnBranches(File file, boolean twice) throws IOException {
        InputStream in = new FileInputStream(file);
        if (twice) {
            in.read();
        }
        return in.read();
    }

    int likely__leak__conditionDecides(File file, boolean close) throws IOException {
        InputStream in = new FileInputStream(file);
        int read = in.read();
        if (close) {
            in.close();
        }
        return read;
    }

    int likely__leak_on_exception__declared(File file) throws IOException {
        InputStream in = new FileInputStream(file);
        int read = in.read();
        in.close();
        return read;
    }

    int likely__leak_on_exception__thrown(File file) throws IOException {
        InputStream in = new FileInputStream(file);
        if (file.isDirectory()) {
            throw new IllegalStateException();
        }
        in.close();
        return 0;
    }

    void possible__leak_on_exception__closingFails(File file, Closeable other) throws IOException {
        InputStream in = new FileInputStream(file);
        other.close();
        in.close();
    }

    private final Lock lock = new ReentrantLock();
    private final List<String> list = new ArrayList<>();

    void certain__lock_not_released__never() {
        lock.lock();
        list.clear();
    }

    private final Lock second = new ReentrantLock();

    void possible__lock_not_released_on_exception__platform() {
        second.lock();
        list.clear();
        second.unlock();
    }

    void possible__lock_not_released_on_exception__own() {
        second.lock();
        work();
        second.unlock();
    }

    void likely__lock_not_released_on_exception__thrown() throws java.io.IOException {
        second.lock();
        check();
        second.unlock();
    }

    void check() throws java.io.IOException {
        if (list.isEmpty()) throw new java.io.IOException();
    }

    void work() {
        list.add("");
    }

    // what is thrown on purpose counts, whatever may fail before it on the way to the same exit
    void likely__lock_not_released_on_exception__onPurpose() {
        second.lock();
        demand();
        second.unlock();
    }

    private void demand() {
        if (list.isEmpty()) throw new RuntimeException("nothing in " + list);
    }

    // nobody calls it so
    void possible__leak_on_exception__refused(File file, int size) throws IOException {
        InputStream in = new FileInputStream(file);
        refuse(in, size);
        in.close();
    }

    private void refuse(InputStream in, int size) {
        if (in == null || size < 0) throw new IllegalArgumentException("a size of " + size);
    }

    void likely__leak_on_exception__checked(File file, int size) throws IOException {
        InputStream in = new FileInputStream(file);
        if (size < 0) throw new IllegalArgumentException("a size of " + size);
        in.close();
    }

    int certain__dead_store__computed(int n) {
        int twice = work(n);
        twice = n + 1;
        return twice;
    }

    int work(int n) {
        return list.size() + n;
    }

    int likely__dead_store__constant(int n) {
        int value = 17;
        value = n + 1;
        return value;
    }

    int possible__dead_store__constantNobodyReads(int n) {
        int value = 17;
        value = 18;
        return n;
    }

    int likely__dead_store__parameter(int n) {
        n = list.size();
        return n;
    }

    private boolean stop;

    void likely__infinite_loop__field() {
        int sum = 0;
        while (!stop) {
            sum++;
        }
    }

    void certain__infinite_loop__counter() {
        for (int i = 0; i < 10; i--) {
            list.remove(i);
        }
    }

    int certain__infinite_recursion__always(int n) {
        return certain__infinite_recursion__always(n + 1);
    }

    int likely__infinite_recursion__onOneWay(int n) {
        if (n > 7) {
            return likely__infinite_recursion__onOneWay(n);
        }
        return n;
    }

    static class Own implements Closeable {
        private final InputStream in;
        Own(File file) throws IOException { in = new FileInputStream(file); }
        int read() throws IOException { return in.read(); }
        @Override public void close() throws IOException { in.close(); }
    }

    Own open(File file) throws IOException {
        return new Own(file);
    }

    int likely__leak__ownClass(File file) throws IOException {
        return new Own(file).read();
    }

    int possible__leak__ownClassReturned(File file) throws IOException {
        return open(file).read();
    }

    void possible__leak_on_exception__undeclared(File file) throws IOException {
        InputStream in = new FileInputStream(file);
        fail();
        in.close();
    }

    static void fail() {
        throw new IllegalStateException();
    }

    interface Work<E extends Exception> {
        void run() throws E;
    }

    static <E extends Exception> void perform(Work<E> work) throws E {
        work.run();
    }

    static Connection possible__leak_on_exception__callerNamesIt(String url, Work<SQLException> setup)
            throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        try {
            perform(setup);
        } catch (SQLException failure) {
            connection.close();
            throw failure;
        }
        return connection;
    }

    static Connection likely__leak_on_exception__callerNamesMore(String url, Work<Exception> setup)
            throws Exception {
        Connection connection = DriverManager.getConnection(url);
        try {
            perform(setup);
        } catch (SQLException failure) {
            connection.close();
            throw failure;
        }
        return connection;
    }

    static void possible__leak_on_exception__compressor(File file) throws IOException {
        try (OutputStream out = new java.util.jar.JarOutputStream(new FileOutputStream(file))) {
            out.write(1);
        }
    }

    static int likely__leak_on_exception__decompressor(File file) throws IOException {
        try (InputStream in = new java.util.zip.GZIPInputStream(new FileInputStream(file))) {
            return in.read();
        }
    }

    static void create(File file) throws IOException {
        if (!file.createNewFile()) {
            throw new IllegalStateException();
        }
    }

    static InputStream possible__leak_on_exception__declaredIsCaught(File file) throws IOException {
        InputStream in = new FileInputStream(file);
        try {
            create(file);
        } catch (IOException failure) {
            in.close();
            throw failure;
        }
        return in;
    }

    static InputStream likely__leak_on_exception__declaredIsCaughtAndKept(File file) throws IOException {
        InputStream in = new FileInputStream(file);
        try {
            create(file);
        } catch (IOException failure) {
            return null;
        }
        return in;
    }

    void possible__dead_store__lastOfSeries(byte[] bytes, int value, int at) {
        bytes[at++] = (byte) value;
        bytes[at++] = (byte) (value >> 8);
    }

    String possible__dead_store__lastFlag(boolean first, boolean second) {
        StringBuilder text = new StringBuilder();
        boolean comma = false;
        if (first) {
            text.append("first");
            comma = true;
        }
        if (second) {
            text.append(comma ? ", second" : "second");
            comma = true;
        }
        return text.toString();
    }

    int certain__dead_store__onlyStep(int[] numbers, int at) {
        return numbers[at++];
    }

    public static void main(String[] arguments) throws IOException {
        System.out.println(new FileInputStream(arguments[0]).read());
    }

    int possible__leak__streamOfGiven(java.net.URLConnection connection) throws IOException {
        return connection.getInputStream().read();
    }

    int certain__leak__streamOfOwn(java.net.URL url) throws IOException {
        return url.openConnection().getInputStream().read();
    }

    boolean certain__leak__statementOfGiven(java.sql.Connection connection) throws java.sql.SQLException {
        return connection.createStatement().execute("delete from all");
    }

    boolean possible__leak__rowsOfGiven(java.sql.Statement statement) throws java.sql.SQLException {
        return statement.executeQuery("select all").next();
    }

    int possible__leak__opensNothingHere() throws IOException {
        return new Either().size();
    }

    int possible__leak__opensMemory() {
        return new Gathered().size();
    }

    static class Gathered extends FilterOutputStream {
        Gathered() {
            super(new ByteArrayOutputStream());
        }

        int size() {
            return out.hashCode();
        }
    }

    int likely__leak__opensInHelper(File file) throws IOException {
        return new Either(file).size();
    }

    static class Either implements Closeable {
        private InputStream in;

        Either() {
        }

        Either(File file) throws IOException {
            open(file);
        }

        private void open(File file) throws IOException {
            in = new FileInputStream(file);
        }

        int size() throws IOException {
            return in == null ? 0 : in.available();
        }

        @Override
        public void close() throws IOException {
            if (in != null) {
                in.close();
            }
        }
    }

    interface Source {
        InputStream take() throws IOException;
    }

    static class Fresh implements Source {
        private final File file = new File("fresh");

        public InputStream take() throws IOException {
            return new FileInputStream(file);
        }
    }

    static class Kept implements Source {
        private final InputStream in = System.in;

        public InputStream take() {
            return in;
        }
    }

    int possible__leak__mayBeKept(Source source) throws IOException {
        return source.take().read();
    }

    int certain__leak__isFresh(Fresh source) throws IOException {
        return source.take().read();
    }

    private InputStream reopened(File file, boolean keep) throws IOException {
        InputStream in = new FileInputStream(file);
        if (keep) {
            in.close();
            return null;
        }
        return in;
    }

    void possible__leak__droppedNull(File file) throws IOException {
        reopened(file, true);
    }

    int certain__leak__usedResult(File file) throws IOException {
        return reopened(file, false).read();
    }

    static boolean print(StringBuilder out, String text, boolean first) {
        out.append(first ? "" : ", ").append(text);
        return false;
    }

    void possible__dead_store__lastCallOfSeries(StringBuilder out, int n) {
        boolean first = true;
        if (n > 3) {
            first = print(out, "large", first);
        }
        if (n % 2 == 0) {
            first = print(out, "even", first);
        }
    }

    char possible__dead_store__blankToStartWith(String text) {
        char last = ' ';
        last = text.charAt(1);
        return last;
    }

    PipedInputStream possible__leak_on_exception__pipe() throws IOException {
        PipedInputStream in = new PipedInputStream();
        PipedOutputStream out = new PipedOutputStream(in);
        out.close();
        return in;
    }

    int possible__dead_store__toStartWith(int n) {
        int value = 0;
        value = work(n);
        return value;
    }

    int likely__dead_store__notToStartWith(int n) {
        int value = work(n);
        System.out.println(value);
        value = 1;
        value = work(n);
        return value;
    }

    void possible__dead_store__namesClass() {
        Class<?> needed = List.class;
    }

    /** As Protocol Buffers make them. */
    static class Messages {
        static Object internal_static_Type;

        static int possible__dead_store__ofMessages(int n) {
            int value = Math.abs(n);
            value = n;
            return value;
        }
    }

    /** The library makes a class of it that overrides its methods; the library is not there. */
    static class Grammar extends missing.Library {
        Object possible__infinite_recursion__rule() {
            return sequence(possible__infinite_recursion__other());
        }

        Object possible__infinite_recursion__other() {
            return sequence(possible__infinite_recursion__rule());
        }
    }

    static class Plain {
        static Object sequence(Object rule) {
            return rule;
        }

        Object certain__infinite_recursion__rule() {
            return sequence(certain__infinite_recursion__other());
        }

        Object certain__infinite_recursion__other() {
            return sequence(certain__infinite_recursion__rule());
        }
    }

    static class Native {
        private int usedByNativeCode;

        Native(int value) {
            usedByNativeCode = value;
        }

        private void possible__unused_method__byNativeCode() {
        }

        static class Code {
            native void run(Native object);
        }
    }

    /** As Modello makes them. */
    static class ModelXpp3Reader {
        private double possible__unused_method__ofReader(String text) {
            return Double.parseDouble(text);
        }
    }

    /** As JFlex makes them. */
    static class Scanned {
        static final int[] ZZ_LEXSTATE = { 0 };

        int possible__dead_store__ofScanner(int[] numbers, int at) {
            return numbers[at++] + ZZ_LEXSTATE[0];
        }
    }
}

// Each is a default for classes elsewhere that have the other one.
abstract class ConfidenceDefaults {
    int possible__infinite_recursion__narrow(int n) {
        return possible__infinite_recursion__wide((long) n);
    }

    int possible__infinite_recursion__wide(long n) {
        return possible__infinite_recursion__narrow((int) n);
    }

    int certain__infinite_recursion__itself(int n) {
        return 1 + certain__infinite_recursion__itself(n - 1);
    }
}

// There are objects that have neither.
abstract class ConfidenceGiven {
    int certain__infinite_recursion__narrow(int n) {
        return certain__infinite_recursion__wide((long) n);
    }

    int certain__infinite_recursion__wide(long n) {
        return certain__infinite_recursion__narrow((int) n);
    }

    static final class Here extends ConfidenceGiven {
    }
}

// One finding per cause: closing the connection closes what was made from it.
class Causes {
    boolean allOpen(String url, String query) throws java.sql.SQLException {
        java.sql.Connection connection = java.sql.DriverManager.getConnection(url);
        java.sql.Statement statement = connection.createStatement();
        java.sql.ResultSet rows = statement.executeQuery(query);
        return rows.next();
    }

    boolean givenConnection(java.sql.Connection connection, String query) throws java.sql.SQLException {
        java.sql.Statement statement = connection.createStatement();
        java.sql.ResultSet rows = statement.executeQuery(query);
        return rows.next();
    }

    // the compiler copies the code of `finally`
    int copied(File file, int n) throws IOException {
        try {
            return work(n);
        } finally {
            new FileInputStream(file).read();
        }
    }

    int work(int n) throws IOException {
        if (n > 3) {
            throw new IOException();
        }
        return n;
    }

    int bothOnOneWay(File file, boolean early) throws IOException {
        InputStream in = new FileInputStream(file);
        if (early) {
            return 1;
        }
        return in.read();
    }

    int wrapped(File file) throws IOException {
        return new BufferedReader(new InputStreamReader(new FileInputStream(file))).read();
    }
}

// Not beside native code.
class ConfidencePlain {
    private static int certain__unused_method__own() {
        return 1;
    }

    private int usedByNobody;

    ConfidencePlain(int value) {
        usedByNobody = value;
    }
}
