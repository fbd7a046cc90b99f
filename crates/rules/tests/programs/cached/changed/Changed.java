import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.Lock;

class Writing {
    Lock readLock;

    void start(Lock lock) {
        readLock = lock;
    }
}

class Opener {
    static InputStream open(String name) throws IOException {
        return name.isEmpty() ? null : new FileInputStream(name);
    }
}

class KeptSource implements Source {
    private InputStream kept;

    public InputStream get(String name) throws IOException {
        return kept;
    }
}

class Base implements AutoCloseable {
    InputStream in;

    void start(String name) throws IOException {
        in = new FileInputStream(name);
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

class Registry {
    private InputStream kept;

    void put(InputStream in) throws IOException {
        kept = in;
    }
}
