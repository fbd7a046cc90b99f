package programs.lookups;

/** Another class of the package looks some of these up. */
class UnusedMethod {
    private String goodLookedUp(String text) {
        return text;
    }

    private static int goodHandled() {
        return 1;
    }

    private void badNamedOnly() {
    }

    private void badNever() {
    }
}
