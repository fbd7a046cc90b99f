package programs.app;

/** A package with a `main` is an application: what nobody outside sees is used from there. */
class UnusedMethod {
    public static void main(String[] arguments) {
        new UnusedMethod().goodCalled();
        new Made(1);
        Single.goodStatic();
        Found.goodMentioned();
    }

    public void goodCalled() {
    }

    public void badCycle() {
        badOther();
    }

    void badOther() {
        badCycle();
        new Single();
    }

    @Override
    public int hashCode() {
        return 1;
    }

    static class Single {
        private Single() {
        }

        static void goodStatic() {
        }
    }

    private static class Made {
        private Made(int a) {
        }
    }

    static class Found {
        static void goodMentioned() {
        }

        static void badNever() {
        }
    }
}

class NotMentioned {
    public void goodPerhapsFoundByName() {
    }
}
