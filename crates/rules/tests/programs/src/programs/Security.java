package programs;

import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.crypto.KeyGenerator;
import javax.servlet.http.Cookie;
import javax.servlet.http.HttpServletResponse;

/** Nested classes are named after rules; methods whose names start with "bad" break them. */
class Security {
    static class TempFileKept {
        void badKept() throws IOException {
            File file = File.createTempFile("a", "b");
            System.out.println(file.length());
        }

        void goodDeleted() throws IOException {
            File file = File.createTempFile("a", "b");
            System.out.println(file.length());
            file.delete();
        }

        void goodAtExit() throws IOException {
            File file = File.createTempFile("a", "b");
            file.deleteOnExit();
        }

        File goodReturned() throws IOException {
            return File.createTempFile("a", "b");
        }
    }

    static class DigestWithoutUpdate {
        byte[] badDigest() throws GeneralSecurityException {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return digest.digest();
        }

        Object badKey() throws GeneralSecurityException {
            KeyGenerator generator = KeyGenerator.getInstance("AES");
            return generator.generateKey();
        }

        byte[] goodDigest(byte[] data) throws GeneralSecurityException {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(data);
            return digest.digest();
        }

        byte[] goodAtOnce(byte[] data) throws GeneralSecurityException {
            return MessageDigest.getInstance("SHA-256").digest(data);
        }

        Object goodKey() throws GeneralSecurityException {
            KeyGenerator generator = KeyGenerator.getInstance("AES");
            generator.init(256);
            return generator.generateKey();
        }
    }

    static class InsecureCookie {
        void badCookie(HttpServletResponse response) {
            Cookie cookie = new Cookie("a", "b");
            response.addCookie(cookie);
        }

        void badFalse(HttpServletResponse response) {
            Cookie cookie = new Cookie("a", "b");
            cookie.setSecure(false);
            response.addCookie(cookie);
        }

        void goodCookie(HttpServletResponse response) {
            Cookie cookie = new Cookie("a", "b");
            cookie.setSecure(true);
            response.addCookie(cookie);
        }

        void goodDeleted(HttpServletResponse response) {
            Cookie cookie = new Cookie("a", "");
            cookie.setMaxAge(0);
            response.addCookie(cookie);
        }
    }

    static class SecretNotCleared {
        Connection badKept(String word) throws SQLException {
            StringBuilder secret = new StringBuilder();
            secret.append(word);
            return DriverManager.getConnection("url", "user", secret.toString());
        }

        Connection goodCleared(String word) throws SQLException {
            StringBuilder secret = new StringBuilder();
            secret.append(word);
            Connection connection = DriverManager.getConnection("url", "user", secret.toString());
            secret.setLength(0);
            return connection;
        }
    }

    static class WorkAfterRedirect {
        void badGoesOn(HttpServletResponse response) throws IOException {
            response.sendRedirect("/elsewhere");
            System.out.println("more");
        }

        void goodReturns(HttpServletResponse response, boolean b) throws IOException {
            if (b) {
                response.sendRedirect("/elsewhere");
                return;
            }
            System.out.println("more");
        }
    }
}
