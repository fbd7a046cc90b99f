package javax.servlet.http;

public class Cookie {
    public Cookie(String name, String value) {}

    public void setSecure(boolean secure) {}
}
