package javax.servlet.http;

/** A stand-in, to compile the programs of the tests. */
public class Cookie {
    private boolean secure;
    private int age;

    public Cookie(String name, String value) {
    }

    public void setSecure(boolean secure) {
        this.secure = secure;
    }

    public void setMaxAge(int age) {
        this.age = age;
    }

    public String toString() {
        return "" + secure + age;
    }
}
