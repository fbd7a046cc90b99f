import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;

/** Prints the title of a file of notes: its first line. */
class Notes {
    public static void main(String[] names) throws IOException {
        for (String name : names) {
            System.out.println(title(name));
        }
    }

    static String title(String name) throws IOException {
        BufferedReader notes = new BufferedReader(new FileReader(name));
        String line = notes.readLine();
        if (line == null) {
            return "(empty)";
        }
        notes.close();
        return line;
    }
}
