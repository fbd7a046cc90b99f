package programs.open;

/** Looks methods up by names that come from elsewhere. */
class Calls {
    static Object call(Object object, String name) throws Exception {
        System.out.println("calls a method");
        return object.getClass().getDeclaredMethod(name).invoke(object);
    }
}
