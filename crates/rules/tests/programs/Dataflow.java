/** A value is squared and never used again (after lazy-rsm, Example 1). */
class Dataflow {
    static int i;
    static int j;

    public static void main(String[] args) {
        i = 5;
        j = 5;
        show();
        square();
    }

    static void show() {
        System.out.println(i);
    }

    static void square() {
        i = i * i;
        j = j * j;
        System.out.println(j);
    }
}
