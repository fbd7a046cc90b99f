package p;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/** Calls of all kinds. */
public class Shapes {
    interface Shape {
        double area();

        default String show() {
            return "area " + area();
        }
    }

    static class Square implements Shape {
        public double area() {
            return 1;
        }
    }

    static class Circle implements Shape {
        public double area() {
            return 3;
        }
    }

    /** Never created. */
    static class Ghost implements Shape {
        public double area() {
            return 0;
        }
    }

    static class BySize implements Comparator<Shape> {
        public int compare(Shape one, Shape other) {
            return Double.compare(one.area(), other.area());
        }
    }

    static class Constants {
        static final int[] TABLE = table();

        static int[] table() {
            return new int[3];
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Shape> all = new ArrayList<>();
        all.add(new Square());
        all.add(make(Circle::new));
        Collections.sort(all, new BySize());
        all.forEach(shape -> print(shape));
        System.out.println(Constants.TABLE.length);
        Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        Runnable runnable = Shapes::run;
        runnable.run();
        own(() -> helper(), 1);
    }

    interface Own {
        void act();
    }

    static void own(Own own, int number) {
        own.act();
    }

    static void helper() {
    }

    static void run() {
    }

    static Shape make(Supplier<Shape> supplier) {
        return supplier.get();
    }

    static void print(Shape shape) {
        System.out.println(shape.show());
    }

    static void unused() {
        new Ghost().area();
    }
}
