package javax.servlet.http;

/** A stand-in, to compile the programs of the tests. */
public interface HttpServletResponse {
    void addCookie(Cookie cookie);

    void sendRedirect(String location) throws java.io.IOException;
}
