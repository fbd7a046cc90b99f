package missing;

/** A library that is not given to the program that uses it. */
public class Library {
    protected static Object sequence(Object rule) {
        return rule;
    }
}
