package demo;

import java.io.FileInputStream;
import java.io.IOException;

class Store {
    int first(String name) throws IOException {
        FileInputStream in = new FileInputStream(name);
        return in.read();
    }

    @SuppressWarnings("loris:dead-store")
    int twice(int x) {
        int unused = x * 2;
        return x;
    }
}
