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

    static int bad__leak__sound(File f) throws Exception {
        return javax.sound.sampled.AudioSystem.getAudioInputStream(f).read();
    }

    static int ok__leak__soundOfGiven(
            javax.sound.sampled.AudioFormat format, javax.sound.sampled.AudioInputStream in) throws Exception {
        return javax.sound.sampled.AudioSystem.getAudioInputStream(format, in).read();
    }

    static void ok__leak__soundClosedByWrapper(javax.sound.sampled.AudioFormat format, File f) throws Exception {
        javax.sound.sampled.AudioInputStream in = javax.sound.sampled.AudioSystem.getAudioInputStream(f);
        in = javax.sound.sampled.AudioSystem.getAudioInputStream(format, in);
        in.close();
    }

    interface Opening { Connection openConnection(); }

    interface Lending { Connection openLent(); }

    static class Lender implements Lending {
        private Connection lent;

        public Connection openLent() {
            return lent;
        }
    }

    static boolean bad__leak__openedElsewhere(Opening opening) throws SQLException {
        return opening.openConnection().isValid(1);
    }

    static boolean ok__leak__openIsGetter(Lending lending) throws SQLException {
        return lending.openLent().isValid(1);
    }

    static class Keeping implements Closeable {
        private InputStream kept;
        private final Keeping other = null;

        void keep(InputStream in) {
            kept = in;
        }

        void ok__leak__keptByAnother(File f) throws IOException {
            other.keep(new FileInputStream(f));
        }

        void bad__leak__askedByAnother(File f) throws IOException {
            other.ask(new FileInputStream(f));
        }

        void ask(InputStream in) throws IOException {
            in.read();
        }

        public void close() throws IOException {
            kept.close();
        }
    }

    static class Locked {
        java.nio.channels.FileLock lock;

        void ok__leak__lockHoldsIt(File f) throws IOException {
            java.nio.channels.FileChannel channel = new RandomAccessFile(f, "rw").getChannel();
            lock = channel.tryLock();
        }

        static java.nio.channels.FileLock ok__leak__lockIsReturned(File f) throws IOException {
            return new RandomAccessFile(f, "rw").getChannel().lock();
        }

        static boolean bad__leak__lockIsDropped(File f) throws IOException {
            return new RandomAccessFile(f, "rw").getChannel().tryLock() == null;
        }
    }

    static int ok__leak__standardInput() throws IOException {
        return new FileInputStream(FileDescriptor.in).read();
    }

    static class Outer implements Closeable {
        private final Keeping inner = new Keeping();

        void init(InputStream in) {
            inner.keep(in);
        }

        Outer(InputStream in) {
            init(in);
        }

        public void close() throws IOException {
            inner.close();
        }
    }

    static Outer ok__leak__keptInside(File f) throws IOException {
        return new Outer(new FileInputStream(f));
    }

    static int ok__leak__newIsNotNull(File f, boolean open) throws IOException {
        Object source = null;
        InputStream in = null;
        if (open) {
            source = new Object();
            in = new FileInputStream(f);
        }
        if (source == null) {
            return 0;
        }
        int read = in.read();
        in.close();
        return read;
    }

    static int bad__leak__foundMayBeNull(File f, Map<File, Object> sources) throws IOException {
        Object source = sources.get(f);
        InputStream in = new FileInputStream(f);
        if (source == null) {
            return 0;
        }
        int read = in.read();
        in.close();
        return read;
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

    /** Closing it does nothing. */
    static class Nothing implements Closeable {
        private String text = "";

        @Override
        public void close() {
            text = null;
        }
    }

    static class Something implements Closeable {
        private final InputStream in;

        Something(File f) throws IOException {
            in = new FileInputStream(f);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    static void ok__leak__closeDoesNothing() {
        Nothing it = new Nothing();
        System.out.println(it.text);
    }

    static void bad__leak__closeClosesItsField(File f) throws IOException {
        Something it = new Something(f);
        System.out.println(it.in.available());
    }

    static String ok__leak__scannerOfText(String text) {
        return new Scanner(text).next();
    }

    static String bad__leak__scannerOfFile(File f) throws IOException {
        return new Scanner(f).next();
    }

    static int ok__leak__grandchild(String url, String query) throws SQLException {
        try (Connection c = DriverManager.getConnection(url)) {
            ResultSet r = c.createStatement().executeQuery(query);
            return r.getInt(1);
        }
    }

    static int bad__leak__grandchild(Connection c, String query) throws SQLException {
        ResultSet r = c.createStatement().executeQuery(query);
        return r.getInt(1);
    }

    private final boolean append = new File("append").exists();
    private boolean toggled;

    void ok__leak__finalFieldTwice(File f) throws IOException {
        Writer out = null;
        if (append) out = new FileWriter(f);
        System.out.println(f);
        if (append) out.close();
    }

    void bad__leak__otherWayRound(File f) throws IOException {
        Writer out = null;
        if (append) out = new FileWriter(f);
        System.out.println(f);
        if (!append) out.close();
    }

    void toggle() {
        toggled = !toggled;
    }

    void bad__leak__fieldThatChanges(File f) throws IOException {
        Writer out = null;
        if (toggled) out = new FileWriter(f);
        toggle();
        if (toggled && out != null) out.close();
    }

    static void ok__leak__comparedTwice(File f, int mode) throws IOException {
        Writer out = null;
        if (mode > 3) out = new FileWriter(f);
        System.out.println(f);
        if (mode > 3) out.close();
    }

    static void bad__leak__comparedWithOthers(File f, int mode) throws IOException {
        Writer out = null;
        if (mode > 3) out = new FileWriter(f);
        System.out.println(f);
        if (mode > 4) out.close();
    }

    static void bad__leak__comparedAfterChange(File f, int mode) throws IOException {
        for (int n = 0; n < 9; n++) {
            Writer out = null;
            if (n > mode) out = new FileWriter(f);
            n += mode;
            if (n > mode && out != null) out.close();
        }
    }

    static void ok__leak__equalTwice(File f, String kind) throws IOException {
        Writer out = null;
        if (kind.equals("x")) out = new FileWriter(f);
        System.out.println(f);
        if (kind.equals("x")) out.close();
    }

    static void bad__leak__equalToAnother(File f, String kind) throws IOException {
        Writer out = null;
        if (kind.equals("x")) out = new FileWriter(f);
        System.out.println(f);
        if (kind.equals("y")) out.close();
    }

    boolean isAppend() {
        return append;
    }

    void ok__leak__getterTwice(File f) throws IOException {
        Writer out = null;
        if (isAppend()) out = new FileWriter(f);
        System.out.println(f);
        if (isAppend()) out.close();
    }

    static void ok__leak__maskTwice(File f, int flags) throws IOException {
        Writer out = null;
        if ((flags & 4) != 0) out = new FileWriter(f);
        System.out.println(f);
        if ((flags & 4) != 0) out.close();
    }

    static void bad__leak__otherMask(File f, int flags) throws IOException {
        Writer out = null;
        if ((flags & 4) != 0) out = new FileWriter(f);
        System.out.println(f);
        if ((flags & 8) != 0) out.close();
    }

    private InputStream cached;

    InputStream keptOrNew(File f) throws IOException {
        if (cached != null) return cached;
        return new FileInputStream(f);
    }

    int ok__leak__keptOrNew(File f) throws IOException {
        return keptOrNew(f).read();
    }

    /** Closing it leaves the stream open. */
    static class Open extends FilterInputStream {
        Open(InputStream in) {
            super(in);
        }

        @Override
        public void close() {}
    }

    /** The same, with a field of its own. */
    static class Drained extends InputStream {
        private final InputStream in;

        Drained(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            return in.read();
        }

        @Override
        public void close() throws IOException {
            while (in.read() >= 0) {}
        }
    }

    /** The same, as it inherits a method that does nothing. */
    static class Inherited extends InputStream {
        private final InputStream in;

        Inherited(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            return in.read();
        }
    }

    static void bad__leak__wrapperClosesNothing(File f) throws IOException {
        try (Open open = new Open(new FileInputStream(f))) {
            open.read();
        }
    }

    static void bad__leak__wrapperReadsToTheEnd(File f) throws IOException {
        try (Drained drained = new Drained(new FileInputStream(f))) {
            drained.read();
        }
    }

    static void bad__leak__wrapperInheritsClose(File f) throws IOException {
        try (Inherited inherited = new Inherited(new FileInputStream(f))) {
            inherited.read();
        }
    }

    static void ok__leak__wrapperCloses(File f) throws IOException {
        try (Holder holder = new Holder(new FileInputStream(f))) {
            holder.useUp();
        }
    }

    static void ok__use_after_close__wrapperClosesNothing(File f) throws IOException {
        try (InputStream in = new FileInputStream(f)) {
            for (int n = 0; n < 4; n++) {
                try (Open open = new Open(in)) {
                    open.read();
                }
            }
        }
    }

    static void bad__use_after_close__wrapperCloses(File f) throws IOException {
        try (InputStream in = new FileInputStream(f)) {
            for (int n = 0; n < 4; n++) {
                try (Wrapper wrapper = new Wrapper(in)) {
                    wrapper.read();
                }
            }
        }
    }

    static void ok__use_after_close__asksForItsName(String name) throws IOException {
        java.util.zip.ZipFile zip = new java.util.zip.ZipFile(name);
        zip.close();
        System.out.println(zip.getName());
    }

    static void ok__leak__otherWayToCompare(File f, int a, int b) throws IOException {
        Writer out = null;
        if (a < b) out = new FileWriter(f);
        System.out.println(f);
        if (b > a) out.close();
    }

    static void bad__leak__comparedTheOtherWay(File f, int a, int b) throws IOException {
        Writer out = null;
        if (a < b) out = new FileWriter(f);
        System.out.println(f);
        if (a > b) out.close();
    }

    private final String name = new File("name").getName();

    boolean isLong() {
        return name != null && name.length() > 8;
    }

    static boolean isWindows() {
        return File.separatorChar == '\\';
    }

    void ok__leak__questionTwice(File f) throws IOException {
        Writer out = null;
        if (isLong()) out = new FileWriter(f);
        System.out.println(f);
        if (isLong()) out.close();
    }

    void bad__leak__otherQuestion(File f) throws IOException {
        Writer out = null;
        if (isLong()) out = new FileWriter(f);
        System.out.println(f);
        if (isWindows() && out != null) out.close();
    }

    static void ok__leak__staticQuestionTwice(File f) throws IOException {
        Writer out = null;
        if (isWindows()) out = new FileWriter(f);
        System.out.println(f);
        if (isWindows()) out.close();
    }

    boolean isToggled() {
        return toggled && name != null;
    }

    void bad__leak__questionWithAnotherAnswer(File f) throws IOException {
        Writer out = null;
        if (isToggled()) out = new FileWriter(f);
        toggle();
        if (isToggled() && out != null) out.close();
    }

    static void ok__leak__notTheStandardOutput(String name) throws IOException {
        PrintStream out = name == null ? System.out : new PrintStream(name);
        out.println();
        if (out != System.out) out.close();
    }

    static void bad__leak__onlyTheStandardOutput(String name) throws IOException {
        PrintStream out = name == null ? System.out : new PrintStream(name);
        out.println();
        if (out == System.out) out.close();
    }

    static List<String> bad__leak__collected(Path p) throws IOException {
        return Files.lines(p).collect(Collectors.toList());
    }

    static Object bad__leak__firstOfMapped(Path p) throws IOException {
        return Files.list(p).filter(Files::isRegularFile).map(Path::getFileName).findFirst().orElse(null);
    }

    static List<String> ok__leak__collected(Path p) throws IOException {
        try (Stream<String> lines = Files.lines(p)) {
            return lines.collect(Collectors.toList());
        }
    }

    static Stream<String> ok__leak__lazyStreamReturned(Path p) throws IOException {
        return Files.lines(p).map(String::trim);
    }

    static void bad__leak__inMethodReference(List<String> lines, File f) throws IOException {
        PrintWriter out = new PrintWriter(f);
        lines.forEach(out::println);
    }

    static void bad__leak__inLambda(List<String> lines, File f) throws IOException {
        PrintWriter out = new PrintWriter(f);
        lines.stream().filter(line -> !line.isEmpty()).forEach(line -> out.println(line + "!"));
    }

    static void ok__leak__inMethodReference(List<String> lines, File f) throws IOException {
        try (PrintWriter out = new PrintWriter(f)) {
            lines.forEach(out::println);
        }
    }

    static void ok__leak__closedInLambda(List<String> lines, File f) throws IOException {
        PrintWriter out = new PrintWriter(f);
        lines.forEach(line -> out.close());
    }

    static void ok__leak__keptByLambda(List<String> lines, List<Object> all, File f) throws IOException {
        PrintWriter out = new PrintWriter(f);
        lines.forEach(line -> all.add(out));
    }

    static void ok__leak__runLater(java.util.concurrent.Executor executor, File f) throws IOException {
        PrintWriter out = new PrintWriter(f);
        executor.execute(() -> out.println());
    }

    /** Its second stream is never closed. */
    static class Two implements Closeable {
        private InputStream first;
        private InputStream second;

        void ok__leak__firstField(File f) throws IOException {
            first = new FileInputStream(f);
        }

        void bad__leak__secondField(File f) throws IOException {
            second = new FileInputStream(f);
        }

        int read() throws IOException {
            return first.read() + second.read();
        }

        @Override
        public void close() throws IOException {
            first.close();
        }
    }

    /** The stream in its field is closed by what was made of it. */
    static class Buffered implements Closeable {
        private FileInputStream raw;
        private InputStream in;

        void ok__leak__closedByItsWrapper(File f) throws IOException {
            FileInputStream made = new FileInputStream(f);
            raw = made;
            in = new BufferedInputStream(made);
        }

        int available() throws IOException {
            return raw.available();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** A stream that is opened again. */
    static class Reopened implements Closeable {
        private InputStream in;

        void bad__leak__reopened(File f, File g) throws IOException {
            in = new FileInputStream(f);
            System.out.println(in.read());
            in = new FileInputStream(g);
        }

        void ok__leak__closedAndReopened(File f, File g) throws IOException {
            in = new FileInputStream(f);
            System.out.println(in.read());
            close();
            in = new FileInputStream(g);
        }

        void bad__leak__droppedByNull(File f) throws IOException {
            in = new FileInputStream(f);
            System.out.println(in.read());
            in = null;
        }

        void ok__leak__opened(File f) throws IOException {
            in = new FileInputStream(f);
        }

        void ok__leak__wrappedAgain(File f) throws IOException {
            in = new FileInputStream(f);
            in = new BufferedInputStream(in);
        }

        @Override
        public void close() throws IOException {
            if (in != null) in.close();
        }
    }

    static void bad__leak__element(File f) throws IOException {
        InputStream[] all = new InputStream[2];
        all[0] = new FileInputStream(f);
        System.out.println(all[0].read());
    }

    static void ok__leak__elementClosed(File f) throws IOException {
        InputStream[] all = new InputStream[2];
        all[0] = new FileInputStream(f);
        all[0].close();
    }

    static void ok__leak__elementsClosed(File f) throws IOException {
        InputStream[] all = new InputStream[2];
        for (int n = 0; n < 2; n++) all[n] = new FileInputStream(f);
        for (InputStream in : all) in.close();
    }

    static void closeAll(Closeable... all) throws IOException {
        for (Closeable one : all) one.close();
    }

    static void ok__leak__passedInArray(File f, Closeable other) throws IOException {
        closeAll(other, new FileInputStream(f));
    }

    static BufferedReader bad__closed_object_returned__reader(File f) throws IOException {
        try (BufferedReader in = new BufferedReader(new FileReader(f))) {
            in.readLine();
            return in;
        }
    }

    static Stream<String> bad__closed_object_returned__stream(Path p) throws IOException {
        try (Stream<String> lines = Files.lines(p)) {
            return lines;
        }
    }

    static String ok__closed_object_returned__line(File f) throws IOException {
        try (BufferedReader in = new BufferedReader(new FileReader(f))) {
            return in.readLine();
        }
    }

    static BufferedReader ok__closed_object_returned__onFailure(File f) throws IOException {
        BufferedReader in = new BufferedReader(new FileReader(f));
        try {
            in.readLine();
            return in;
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    static void bad__executor_not_shut_down__dropped() {
        java.util.concurrent.ExecutorService executor = java.util.concurrent.Executors.newFixedThreadPool(3);
        executor.submit(() -> System.out.println());
    }

    static void ok__executor_not_shut_down__finally() {
        java.util.concurrent.ExecutorService executor = java.util.concurrent.Executors.newFixedThreadPool(3);
        try {
            executor.submit(() -> System.out.println());
        } finally {
            executor.shutdown();
        }
    }

    static java.util.concurrent.ExecutorService ok__executor_not_shut_down__returned() {
        return java.util.concurrent.Executors.newFixedThreadPool(3);
    }

    /** What closes something later. */
    static class Later {
        private static void close(Reader r) {
            try {
                r.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        static Stream<String> ok__leak__whoClosesTheStream(File f) throws IOException {
            BufferedReader r = new BufferedReader(new FileReader(f));
            return r.lines().onClose(() -> close(r));
        }

        static long bad__leak__nobodyClosesTheStream(File f) throws IOException {
            BufferedReader r = new BufferedReader(new FileReader(f));
            return r.lines().onClose(() -> close(r)).count();
        }

        static long ok__leak__theStreamIsClosed(File f) throws IOException {
            BufferedReader r = new BufferedReader(new FileReader(f));
            try (Stream<String> lines = r.lines().onClose(() -> close(r)).filter(String::isEmpty)) {
                return lines.count();
            }
        }

        static ResultSet ok__leak__withItsResult(Connection c, String query) throws SQLException {
            Statement s = c.createStatement();
            s.closeOnCompletion();
            return s.executeQuery(query);
        }

        static void bad__leak__norItsResult(Connection c, String query) throws SQLException {
            Statement s = c.createStatement();
            s.closeOnCompletion();
            ResultSet r = s.executeQuery(query);
            r.next();
        }
    }

    /** A question that subclasses answer. */
    abstract static class Mode {
        abstract boolean reads();

        static void ok__leak__askedTwice(Mode mode, File f) throws IOException {
            InputStream in = null;
            if (mode.reads()) in = new FileInputStream(f);
            System.out.println(f);
            if (mode.reads()) in.close();
        }

        static void bad__leak__askedOfAnother(Mode mode, Mode other, File f) throws IOException {
            InputStream in = null;
            if (mode.reads()) in = new FileInputStream(f);
            System.out.println(f);
            if (other.reads()) in.close();
        }
    }

    static class Reading extends Mode {
        private final boolean always;

        Reading(boolean always) {
            this.always = always;
        }

        @Override
        boolean reads() {
            return always;
        }
    }

    static class Writing extends Mode {
        @Override
        boolean reads() {
            return false;
        }
    }
}
