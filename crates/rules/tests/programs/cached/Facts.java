import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * What is found in this class depends on the classes below, which are in `changed` in another form,
 * or are there only. Compiled with `javac -g --release 8`; the forms in `changed` with this class on
 * the class path.
 */
public class Facts {
    private final Registry registry = new Registry();

    /** Leaks only if what the accessor returns may change, as a field of its name does. */
    public void tested(ReadWriteLock lock, String name) throws IOException {
        InputStream in = null;
        if (lock.readLock() != null) {
            in = new FileInputStream(name);
        }
        if (lock.readLock() != null) {
            in.close();
        }
    }

    /** Possible only if null may be what is dropped. */
    public void dropped(String name) throws IOException {
        Opener.open(name);
    }

    /** Possible only if one of several methods that it may run returns what a field holds. */
    public int received(Source source, String name) throws IOException {
        return source.get(name).read();
    }

    /** Likely only if what the constructor calls opens something. */
    public int made(String name) throws IOException {
        return new Holder(name).read();
    }

    /** A leak unless the registry stores it in an owner. */
    public void stored(String name) throws IOException {
        this.registry.put(new FileInputStream(name));
    }
}

class Writing {
    Lock other;

    void start(Lock lock) {
        other = lock;
    }
}

class Opener {
    static InputStream open(String name) throws IOException {
        return new FileInputStream(name);
    }
}

interface Source {
    InputStream get(String name) throws IOException;
}

class NewSource implements Source {
    public InputStream get(String name) throws IOException {
        return new FileInputStream(name);
    }
}

class Base implements AutoCloseable {
    InputStream in;

    void start(String name) throws IOException {
        in = null;
    }

    int read() {
        return 0;
    }

    @Override
    public void close() throws IOException {
        if (in != null) {
            in.close();
        }
    }
}

class Holder extends Base {
    Holder(String name) throws IOException {
        start(name);
    }
}

class Registry {
    private InputStream kept;

    void put(InputStream in) throws IOException {
        in.read();
    }
}
