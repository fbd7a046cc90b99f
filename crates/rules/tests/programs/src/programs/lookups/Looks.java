package programs.lookups;

/** Looks members of its package up by names that are written here. */
public abstract class Looks {
    Object call(Object object) throws Exception {
        return object.getClass().getDeclaredMethod("goodLookedUp", String.class).invoke(object, "");
    }

    Object handle(java.lang.invoke.MethodHandles.Lookup lookup, Class<?> type) throws Exception {
        return lookup.findStatic(type, "goodHandled", java.lang.invoke.MethodType.methodType(int.class));
    }

    Object read(Object object) throws Exception {
        return object.getClass().getDeclaredField("goodRead").get(object);
    }

    public Object visit(Object visited) throws Exception {
        return getClass().getMethod("goodVisited", visited.getClass()).invoke(this, visited);
    }

    String notALookup() {
        return "badNamedOnly";
    }
}
