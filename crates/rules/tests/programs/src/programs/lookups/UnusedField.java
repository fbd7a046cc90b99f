package programs.lookups;

/** Another class of the package looks one of these up. */
class UnusedField {
    private int goodRead = 1;

    // a method that is looked up is no field
    private int badHandled;

    private int badNamedOnly;
}
