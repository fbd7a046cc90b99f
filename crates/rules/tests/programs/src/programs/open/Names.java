package programs.open;

class Names {
    static Object run(Object object) throws Exception {
        return Calls.call(object, "goodAnywhere");
    }
}
