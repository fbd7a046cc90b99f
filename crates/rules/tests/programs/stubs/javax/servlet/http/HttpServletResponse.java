package javax.servlet.http;

public interface HttpServletResponse {
    void addCookie(Cookie cookie);

    void sendRedirect(String place) throws java.io.IOException;
}
