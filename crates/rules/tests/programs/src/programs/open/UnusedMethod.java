package programs.open;

/** The name of one of these is a string in its package. */
class UnusedMethod {
    private Object goodAnywhere() {
        return this;
    }

    private Object badNowhere() {
        return this;
    }
}
