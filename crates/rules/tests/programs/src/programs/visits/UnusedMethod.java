package programs.visits;

import programs.lookups.Looks;

/** A class in another package looks methods of its subclasses up. */
public class UnusedMethod {
    private static class Visits extends Looks {
        public Object goodVisited(String text) {
            return text;
        }

        public Object badVisits(String text) {
            return text;
        }
    }

    private static class Other {
        public Object badVisited(String text) {
            return text;
        }
    }

    static Object visit() throws Exception {
        return new Other() + "" + new Visits().visit("");
    }
}
