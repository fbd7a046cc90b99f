import java.io.*;
import java.sql.*;
import java.util.*;

/** Paths that nobody takes, and what is closed with something else. */
class Paths {
    static InputStream ok__leak_on_exception__thereIsOne(File file) throws IOException {
        return Optional.of(new FileInputStream(file)).orElseThrow(IOException::new);
    }

    static int bad__leak_on_exception__thereMayBeNone(File file, Optional<String> name) throws IOException {
        InputStream in = new FileInputStream(file);
        int length = name.orElseThrow(IOException::new).length();
        in.close();
        return length;
    }

    static int ok__leak__callOnNull(File file, List<String> lines) throws IOException {
        InputStream in = null;
        if (lines == null) {
            in = new FileInputStream(file);
        }
        return lines.size();
    }

    static int bad__leak__callOnAnother(File file, List<String> lines) throws IOException {
        InputStream in = null;
        if (lines != null) {
            in = new FileInputStream(file);
        }
        return lines.size();
    }

    /** A statement of the program. */
    abstract static class Own implements Statement {
        ResultSet current;

        @Override
        public final ResultSet executeQuery(String query) throws SQLException {
            return current;
        }

        final int count() {
            return 1;
        }
    }

    static ResultSet ok__leak__closedWithItsResult(Connection connection) throws SQLException {
        Own statement = (Own) connection.createStatement();
        return statement.executeQuery("select 1");
    }

    /** What statements of the program have in common. */
    abstract static class Base {
        ResultSet current;

        final ResultSet query() {
            return current;
        }
    }

    abstract static class Second extends Base implements Statement {
    }

    static ResultSet ok__leak__closedWithItsResultToo(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        return ((Second) statement).query();
    }

    static int bad__leak__numberReturned(Connection connection) throws SQLException {
        Own statement = (Own) connection.createStatement();
        return statement.count();
    }

    /** Stands for a statement. */
    static class Query {
        private final PreparedStatement inner;

        Query(PreparedStatement inner) {
            this.inner = inner;
        }

        ResultSet run() throws SQLException {
            return inner.executeQuery();
        }

        void close() throws SQLException {
            inner.close();
        }
    }

    static boolean ok__leak__closedWithItsQuery(Query query) throws SQLException {
        ResultSet result = query.run();
        boolean found = result.next();
        query.close();
        return found;
    }

    static boolean bad__leak__queryStaysOpen(Query query) throws SQLException {
        ResultSet result = query.run();
        return result.next();
    }

    interface Wrapped {
        <T> T unwrap(Class<T> type);
    }

    static Object ok__leak__unwrapped(String url) throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        return ((Wrapped) connection).unwrap(Connection.class);
    }

    static Object bad__leak__notUnwrapped(String url) throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        return connection.getClass();
    }

    static javax.xml.stream.XMLStreamReader ok__leak__readElsewhere(File file) throws Exception {
        InputStream in = new FileInputStream(file);
        return javax.xml.stream.XMLInputFactory.newInstance().createXMLStreamReader(in);
    }

    static int bad__leak__readHere(File file) throws Exception {
        InputStream in = new FileInputStream(file);
        return javax.xml.stream.XMLInputFactory.newInstance().createXMLStreamReader(in).next();
    }
}
