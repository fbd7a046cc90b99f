import java.io.*;
import java.net.*;
import java.security.*;
import java.util.*;
import java.util.stream.*;
import javax.crypto.KeyGenerator;
import javax.servlet.http.*;

/** Orders of calls on an object. `bad__RULE__…` breaks the rule, `ok__RULE__…` does not. */
class Protocols {
    static class Door {
        void open() {}

        void close() {}
    }

    static class Room {
        Door door;
    }

    static void bad__open_not_closed__field() {
        Room room = new Room();
        Room same = room;
        room.door = new Door();
        same.door.open();
    }

    static void ok__open_not_closed__field() {
        Room room = new Room();
        Room same = room;
        room.door = new Door();
        same.door.open();
        room.door.close();
    }

    static void bad__open_not_closed__recursion(int n) {
        Door door = new Door();
        openAfter(n, door);
    }

    static void openAfter(int n, Door door) {
        if (n == 0) door.open();
        else openAfter(n - 1, door);
    }

    static Object bad__next_without_has_next__twice(List<Object> list) {
        Iterator<Object> all = list.iterator();
        if (!all.hasNext()) return null;
        all.next();
        return all.next();
    }

    static void ok__next_without_has_next__loop(List<Object> list) {
        for (Object o : list) System.out.println(o);
    }

    static Scanner words() {
        return new Scanner("some words");
    }

    static String bad__next_without_has_next__scanner() {
        return words().next();
    }

    static void ok__next_without_has_next__scanner() {
        Scanner all = words();
        while (all.hasNextInt()) System.out.println(all.nextInt());
    }

    static void bad__keystore_not_loaded__size() throws Exception {
        KeyStore keys = KeyStore.getInstance("JKS");
        System.out.println(keys.size());
    }

    static void ok__keystore_not_loaded__size() throws Exception {
        KeyStore keys = KeyStore.getInstance("JKS");
        keys.load(null);
        System.out.println(keys.size());
    }

    static Object bad__empty_collection__stack() {
        return new Stack<Object>().pop();
    }

    static Object ok__empty_collection__stack() {
        Stack<Object> s = new Stack<>();
        s.push("x");
        return s.pop();
    }

    static void bad__late_connection_setting__output(URL u) throws IOException {
        URLConnection c = u.openConnection();
        c.connect();
        c.setDoOutput(true);
    }

    static void ok__late_connection_setting__output(URL u) throws IOException {
        URLConnection c = u.openConnection();
        c.setDoOutput(true);
        c.connect();
    }

    static void bad__socket_not_connected__stream() throws IOException {
        Socket s = new Socket();
        s.getInputStream();
    }

    static void ok__socket_not_connected__stream(SocketAddress a) throws IOException {
        Socket s = new Socket();
        s.connect(a);
        s.getInputStream().close();
    }

    static long bad__stream_used_twice__count(List<String> l) {
        Stream<String> s = l.stream();
        return s.count() + s.count();
    }

    static long ok__stream_used_twice__chain(List<String> l) {
        return l.stream().filter(x -> x.isEmpty()).map(String::length).count();
    }

    static void bad__temp_file_kept__never() throws IOException {
        File f = File.createTempFile("a", "b");
        System.out.println(f.length());
    }

    static void ok__temp_file_kept__atExit() throws IOException {
        File f = File.createTempFile("a", "b");
        f.deleteOnExit();
    }

    static byte[] bad__digest_before_update__none() throws Exception {
        return MessageDigest.getInstance("SHA-256").digest();
    }

    static byte[] ok__digest_before_update__argument(byte[] data) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(data);
    }

    static Object bad__key_generator_not_initialized__aes() throws Exception {
        KeyGenerator g = KeyGenerator.getInstance("AES");
        return g.generateKey();
    }

    static Object ok__key_generator_not_initialized__aes() throws Exception {
        KeyGenerator g = KeyGenerator.getInstance("AES");
        g.init(256);
        return g.generateKey();
    }

    static Object ok__key_generator_not_initialized__someHaveADefault(String name, boolean large) throws Exception {
        KeyGenerator g = KeyGenerator.getInstance(name);
        if (large) {
            g.init(256);
        }
        return g.generateKey();
    }

    // what it is left without has a size of its own
    static KeyGenerator sized(String name) throws Exception {
        KeyGenerator g = KeyGenerator.getInstance(name);
        if (name.equals("AES")) {
            g.init(256);
        }
        return g;
    }

    static Object ok__key_generator_not_initialized__sizedElsewhere(String name) throws Exception {
        KeyGenerator g = sized(name);
        return g.generateKey();
    }

    static KeyGenerator unsized(String name) throws Exception {
        return KeyGenerator.getInstance(name);
    }

    static Object bad__key_generator_not_initialized__unsizedElsewhere(String name) throws Exception {
        KeyGenerator g = unsized(name);
        return g.generateKey();
    }

    static void bad__insecure_cookie__false(HttpServletResponse r) {
        Cookie c = new Cookie("a", "b");
        c.setSecure(false);
        r.addCookie(c);
    }

    static void ok__insecure_cookie__true(HttpServletResponse r) {
        Cookie c = new Cookie("a", "b");
        c.setSecure(true);
        r.addCookie(c);
    }

    static void bad__secret_not_cleared__password(BufferedReader in) throws Exception {
        StringBuilder password = new StringBuilder();
        password.append(in.readLine());
        java.sql.DriverManager.getConnection("url", "me", password.toString()).close();
    }

    static void ok__secret_not_cleared__password(BufferedReader in) throws Exception {
        StringBuilder password = new StringBuilder();
        try {
            password.append(in.readLine());
            java.sql.DriverManager.getConnection("url", "me", password.toString()).close();
        } finally {
            password.setLength(0);
        }
    }

    static void bad__password_not_cleared__console(Console c) {
        char[] secret = c.readPassword();
        System.out.println(secret.length);
    }

    static void ok__password_not_cleared__console(Console c) {
        char[] secret = c.readPassword();
        Arrays.fill(secret, ' ');
    }

    static void bad__work_after_redirect__print(HttpServletResponse r) throws IOException {
        r.sendRedirect("/");
        System.out.println("still here");
    }

    static void ok__work_after_redirect__return(HttpServletResponse r) throws IOException {
        r.sendRedirect("/");
    }

    static byte[] ok__digest_before_update__loop(java.io.InputStream in) throws Exception {
        java.security.MessageDigest digest = java.security.MessageDigest.getInstance("SHA-256");
        byte[] buffer = new byte[512];
        int count;
        while ((count = in.read(buffer)) != -1) digest.update(buffer, 0, count);
        return digest.digest();
    }

    static byte[] bad__digest_before_update__never(java.io.InputStream in) throws Exception {
        java.security.MessageDigest digest = java.security.MessageDigest.getInstance("SHA-256");
        byte[] buffer = new byte[512];
        while (in.read(buffer) != -1) System.out.println(buffer.length);
        return digest.digest();
    }

    static String ok__empty_collection__filledInLoop(java.util.List<String> all) {
        java.util.ArrayDeque<String> stack = new java.util.ArrayDeque<>();
        for (String one : all) stack.push(one);
        return stack.pop();
    }

    static String ok__next_without_has_next__notEmpty(java.util.List<String> all) {
        if (all.isEmpty()) return null;
        return all.iterator().next();
    }

    static String ok__next_without_has_next__counted(java.util.Map<String, String> all) {
        return all.size() == 1 ? all.values().iterator().next() : null;
    }

    static String bad__next_without_has_next__anotherIsEmpty(java.util.List<String> all, java.util.List<String> none) {
        if (none.isEmpty()) return null;
        return all.iterator().next();
    }

    static void ok__insecure_cookie__ofRequest(
            javax.servlet.http.HttpServletRequest request, javax.servlet.http.HttpServletResponse response) {
        for (javax.servlet.http.Cookie cookie : request.getCookies()) {
            System.out.println(cookie);
        }
    }

    static void ok__insecure_cookie__flagUnknown(javax.servlet.http.HttpServletResponse response, boolean secure) {
        javax.servlet.http.Cookie cookie = new javax.servlet.http.Cookie("name", "value");
        cookie.setSecure(secure);
        response.addCookie(cookie);
    }

    static void bad__insecure_cookie__flagFalse(javax.servlet.http.HttpServletResponse response) {
        javax.servlet.http.Cookie cookie = new javax.servlet.http.Cookie("name", "value");
        cookie.setSecure(false);
        response.addCookie(cookie);
    }

    static void bad__insecure_cookie__new(javax.servlet.http.HttpServletResponse response) {
        response.addCookie(new javax.servlet.http.Cookie("name", "value"));
    }
}
