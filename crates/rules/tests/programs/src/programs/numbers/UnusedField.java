package programs.numbers;

/** Numbers are judged where all numbers in the code are known. */
class UnusedField {
    private static final int badNumber = 42;
    private static final int goodNumber = 43;
    private final int badOfObject = 44;
    private final int goodOfObject = 45;

    int use() {
        return goodNumber;
    }

    int useOther() {
        return goodOfObject;
    }
}

/** 61 may be a sum. */
class Sums {
    static class UnusedField {
        private static final int goodTerm = 60;

        int use() {
            return goodTerm + 1;
        }
    }
}
