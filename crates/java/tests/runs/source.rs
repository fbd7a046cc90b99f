//! Random Java programs that print the lines they run.

use loris_base::Rng;

/// The class that programs call. `at` prints a line; after `LIMIT` of them the run is stopped by an
/// error that every later call throws again. `bit` and `pick` choose.
pub(crate) const RUNNER: &str = r"package r;
public final class T {
    public static final class Stop extends Error { }
    static final int LIMIT = 120;
    static long state;
    static int count;
    public static StringBuilder trace = new StringBuilder();
    public static void start(long seed) { state = seed; }
    public static boolean isStopped() { return count > LIMIT; }
    private static void go() { if (count > LIMIT) throw new Stop(); }
    public static void at(int line) {
        go();
        if (++count > LIMIT) throw new Stop();
        trace.append(line).append(' ');
    }
    public static int pick(int bound) {
        go();
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) ((state >>> 33) % bound);
    }
    public static boolean bit() { return pick(2) == 0; }
}
";

/// The same class as the model knows it: nothing is thrown.
pub(crate) const STUB: &str = r"package r;
public final class T {
    static int value;
    public static void at(int line) { }
    public static int pick(int bound) { return value; }
    public static boolean bit() { return value == 0; }
}
";

/// Runs programs, each in a world of its own: `NAME SEED` are the arguments, in pairs. Prints a
/// line for each run: how it ended, and the lines that it ran.
pub(crate) const DRIVER: &str = r#"import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
public class Driver {
    public static void main(String[] arguments) throws Exception {
        URL[] classes = { new File(arguments[0]).toURI().toURL() };
        for (int i = 1; i < arguments.length; i += 2) {
            try (URLClassLoader loader = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader())) {
                Class<?> runner = loader.loadClass("r.T");
                runner.getMethod("start", long.class).invoke(null, Long.parseLong(arguments[i + 1]));
                Class<?> program = loader.loadClass("r." + arguments[i]);
                try {
                    program.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
                } catch (InvocationTargetException expected) {
                    // an exception that the program does not catch
                }
                Object stopped = runner.getMethod("isStopped").invoke(null);
                System.out.println(stopped + " " + runner.getField("trace").get(null));
            }
        }
    }
}
"#;

/// What a place in a program allows.
#[derive(Clone, Copy)]
struct Place {
    /// How deep statements may still be nested.
    depth: usize,
    /// How many loops are around it.
    loops: usize,
    /// What `return` returns.
    returns: &'static str,
    /// Whether nothing may be thrown: in code that the platform calls.
    quiet: bool,
}

struct Writer {
    rng: Rng,
    lines: Vec<String>,
    names: usize,
    implicit: bool,
}

/// How many methods a program has that are only called by name.
const METHODS: usize = 3;

/// The source of a program. Whether it may throw exceptions of the virtual machine.
pub(crate) fn program(name: &str, rng: Rng, implicit: bool) -> String {
    let mut writer = Writer { rng, lines: Vec::new(), names: 0, implicit };
    writer.line("package r;");
    writer.line(&format!("public class {name} {{"));
    for line in [
        "static class E1 extends Exception { }",
        "static class E2 extends E1 { }",
        "static class U extends RuntimeException { }",
        "interface F { int run(int d) throws E1; }",
        "static final Object LOCK = new Object();",
        "static Object none;",
        "static int field;",
    ] {
        writer.line(line);
    }
    writer.method("static void may() throws E1", "", |writer| {
        writer.line("if (T.bit()) throw new E2();");
    });
    writer.line("static abstract class A {");
    writer.line("abstract int go(int d) throws E1;");
    writer.body("int same(int d) throws E1", "d");
    writer.line("}");
    writer.line("static class B extends A {");
    writer.body("int go(int d) throws E1", "d");
    writer.line("}");
    writer.line("static class C extends B {");
    writer.method("int go(int d) throws E1", "return d;", |writer| {
        writer.line("if (d > 0 && T.bit()) super.go(d - 1);");
        writer.block(Place { depth: 2, loops: 0, returns: "d", quiet: false });
    });
    writer.body("synchronized int same(int d) throws E1", "d");
    writer.line("}");
    // its initializer runs at its first use
    writer.line("static class S {");
    writer.line("static int value;");
    writer.line("static {");
    writer.event();
    writer.block(Place { depth: 1, loops: 0, returns: "", quiet: true });
    writer.line("}");
    writer.body("static int use(int d) throws E1", "d");
    writer.line("}");
    writer.line("static class R implements AutoCloseable {");
    writer.body("public void close() throws E1", "");
    writer.line("}");
    for number in 0..METHODS {
        writer.body(&format!("static int m{number}(int d) throws E1"), "d");
    }
    writer.method("public static void main(String[] a) throws E1", "", |writer| {
        writer.line("int d = 4;");
        writer.block(Place { depth: 4, loops: 0, returns: "", quiet: false });
        writer.block(Place { depth: 4, loops: 0, returns: "", quiet: false });
    });
    writer.line("}");
    writer.lines.join("\n") + "\n"
}

impl Writer {
    fn line(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    /// A statement that prints its line.
    fn event(&mut self) {
        let line = self.lines.len() + 1;
        self.line(&format!("T.at({line});"));
    }

    fn method(&mut self, head: &str, last: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        // so that no recursion is silent
        self.event();
        body(self);
        self.line(last);
        self.line("}");
    }

    fn body(&mut self, head: &str, returns: &'static str) {
        let last = if returns.is_empty() { String::new() } else { format!("return {returns};") };
        let declared = if returns.is_empty() { "int d = 1;" } else { "" };
        self.method(head, &last, |writer| {
            writer.line(declared);
            writer.block(Place { depth: 2, loops: 0, returns, quiet: false });
        });
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    fn block(&mut self, place: Place) {
        for _ in 0..=self.rng.below(3) {
            self.statement(place);
        }
    }

    /// A block in braces, one level down.
    fn braces(&mut self, head: &str, place: Place) {
        self.line(&format!("{head} {{"));
        self.event();
        self.block(Place { depth: place.depth.saturating_sub(1), ..place });
        self.line("}");
    }

    fn statement(&mut self, place: Place) {
        if place.depth == 0 {
            return self.event();
        }
        let inside = Place { loops: place.loops + 1, ..place };
        let count = if place.quiet { 7 } else { 21 };
        match self.rng.below(count) {
            1 => {
                self.braces("if (T.bit())", place);
                self.braces("else", place);
            }
            2 => {
                self.braces("while (T.bit())", inside);
                self.event();
            }
            3 => {
                let name = self.name();
                self.braces(&format!("for (int {name} = 0; {name} < 2; {name}++)"), inside);
            }
            4 => {
                self.braces("do", inside);
                self.line("while (T.bit());");
            }
            5 => self.switch(place),
            6 if place.loops > 0 => {
                let jump = ["break;", "continue;"][self.rng.below(2)];
                self.line(&format!("if (T.bit()) {jump}"));
            }
            6 => self.line("field = T.bit() ? field + 1 : S.value;"),
            7..=9 => self.attempt(place),
            10 => {
                let kind = ["E1", "E2", "U"][self.rng.below(3)];
                self.line(&format!("if (T.bit()) throw new {kind}();"));
            }
            11 => {
                let method = self.rng.below(METHODS);
                self.line(&format!("if (d > 0) field = m{method}(d - 1);"));
            }
            12 => {
                let name = self.name();
                let method = ["go", "same"][self.rng.below(2)];
                self.line(&format!("A {name} = T.bit() ? new B() : new C();"));
                self.line(&format!("if (d > 0) {name}.{method}(d - 1);"));
            }
            13 => self.lambda(place),
            14 => self.line(&format!("if (T.bit()) return {};", place.returns)),
            15 => self.braces("synchronized (LOCK)", place),
            16 => {
                let name = self.name();
                self.braces(&format!("try (R {name} = new R())"), place);
            }
            17 => {
                let statement = ["S.value++;", "if (d > 0) S.use(d - 1);"][self.rng.below(2)];
                self.line(statement);
            }
            18 if self.implicit => {
                let statement = [
                    "field = 1 / T.pick(2);",
                    "new int[1][T.pick(2)]++;",
                    "if (T.bit()) none.hashCode();",
                    "field = ((String) (T.bit() ? LOCK : \"s\")).length();",
                    "field = new int[T.pick(2) - 1].length;",
                ];
                let statement = statement[self.rng.below(statement.len())];
                self.line(&statement.replace("new int[1][T", "(new int[1])[T"));
            }
            0 | 18 => self.event(),
            19 => {
                // the platform calls it
                let name = self.name();
                self.line(&format!("java.util.List.of(1, 2).forEach({name} -> {{"));
                self.event();
                self.block(Place { depth: 1, loops: 0, returns: "", quiet: true });
                self.line("});");
            }
            _ => {
                let label = self.name();
                self.line(&format!("{label}: while (T.bit()) {{"));
                self.event();
                self.braces("while (T.bit())", Place { loops: place.loops + 2, ..place });
                let jump = ["break", "continue"][self.rng.below(2)];
                self.line(&format!("do {{ if (T.bit()) {jump} {label}; }} while (T.bit());"));
                self.line("}");
            }
        }
    }

    fn switch(&mut self, place: Place) {
        let is_text = self.rng.chance(0.3);
        let arrows = self.rng.chance(0.4);
        let value = if is_text { "String.valueOf(T.pick(4))" } else { "T.pick(4)" };
        self.line(&format!("switch ({value}) {{"));
        for case in 0..=self.rng.below(3) {
            let case = if is_text { format!("\"{case}\"") } else { case.to_string() };
            let inner = Place { depth: place.depth - 1, ..place };
            if arrows {
                self.line(&format!("case {case} -> {{"));
                self.event();
                self.block(inner);
                self.line("}");
            } else {
                self.line(&format!("case {case}: {{"));
                self.event();
                self.block(inner);
                self.line("}");
                if self.rng.chance(0.5) {
                    self.line("break;");
                }
            }
        }
        self.line(if arrows { "default -> {" } else { "default: {" });
        self.event();
        self.line("} }");
    }

    /// A `try` with handlers, a `finally`, or both.
    fn attempt(&mut self, place: Place) {
        self.line("try {");
        self.event();
        // javac wants a reason for handlers of checked exceptions
        self.line("may();");
        let inner = Place { depth: place.depth - 1, ..place };
        self.block(inner);
        self.line("}");
        let shape = self.rng.below(6);
        let mut handlers: Vec<&str> = match shape {
            0 => vec![],
            1 => vec!["E2", "E1"],
            2 => vec!["E1"],
            3 => vec!["U", "E2"],
            4 => vec!["E2 | U"],
            _ => vec!["Throwable"],
        };
        if self.implicit && shape == 3 {
            handlers.push("ArithmeticException | NullPointerException");
            handlers.push("ArrayIndexOutOfBoundsException");
            handlers.retain(|kind| *kind != "U");
        }
        for kind in handlers.drain(..) {
            let name = self.name();
            self.line(&format!("catch ({kind} {name}) {{"));
            self.event();
            self.block(inner);
            // a stopped run goes no further
            self.event();
            if kind != "Throwable" && self.rng.chance(0.3) {
                self.line(&format!("if (T.bit()) throw {name};"));
            }
            self.line("}");
        }
        if shape == 0 || self.rng.chance(0.4) {
            self.line("finally {");
            self.event();
            self.block(inner);
            if self.rng.chance(0.2) {
                self.line(&format!("if (T.bit()) return {};", place.returns));
            }
            self.line("}");
        }
    }

    fn lambda(&mut self, place: Place) {
        let name = self.name();
        match self.rng.below(3) {
            0 => {
                let parameter = self.name();
                self.line(&format!("F {name} = {parameter} -> {{"));
                self.event();
                self.line(&format!("if ({parameter} > 0) m0({parameter} - 1);"));
                self.event();
                self.line(&format!("return {parameter}; }};"));
            }
            1 => {
                let method = self.rng.below(METHODS);
                self.line(&format!("F {name} = T.bit() ? new B()::go : x -> m{method}(x);"));
            }
            _ => {
                self.line(&format!("F {name} = new F() {{ public int run(int d) throws E1 {{"));
                self.event();
                self.block(Place { depth: 1, loops: 0, returns: "d", ..place });
                self.line("return d; } };");
            }
        }
        self.line(&format!("if (d > 0) field = {name}.run(d - 1);"));
    }
}
