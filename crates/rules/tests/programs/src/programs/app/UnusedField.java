package programs.app;

/** What only unused methods read is not read. */
class UnusedField {
    private String badInUnused = String.valueOf(1);
    private String goodInUsed = String.valueOf(2);
    public int badPublic;
    public int goodPublic;

    public String unused() {
        return badInUnused;
    }

    public String used() {
        return goodInUsed + goodPublic;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(new UnusedField().used());
        Child.class.getDeclaredField("badHidden");
        Child.class.getField("goodInherited");
        new Child();
    }

    public static class Parent {
        /** The child does not declare it, so reflection does not find it. */
        private int badHidden;
        public int goodInherited;
    }

    public static class Child extends Parent {
    }
}
