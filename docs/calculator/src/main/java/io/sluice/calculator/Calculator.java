/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.calculator;

import io.sluice.plan.Find;
import io.sluice.plan.Plan;
import io.sluice.plan.PlanEngine;
import io.sluice.plan.PlanRequest;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.configuration.MemorySize;
import org.teavm.jso.JSBody;
import org.teavm.jso.JSExport;
import org.teavm.jso.JSObject;
import org.teavm.jso.JSProperty;
import org.teavm.jso.core.JSArray;
import org.teavm.jso.core.JSString;

/**
 * {@code sluice plan} for a browser: {@code plan({fpp: 1e-6, parallelism: 4, ...})} in JavaScript.
 */
public final class Calculator {

    /** A cast of more is not defined in JavaScript. */
    private static final double MOST = 0x1p62;

    private Calculator() {}

    /** What there is to show. */
    public interface Answer extends JSObject {

        /** Whether what was given fits together. */
        @JSProperty
        void setFits(boolean fits);

        /** Why there is no plan; absent if there is one. */
        @JSProperty
        void setError(String error);

        /** Pairs of a name and a text. */
        @JSProperty
        void setLines(JSArray<JSArray<JSString>> lines);
    }

    /** Null if the object has no such value, or an empty one. */
    @JSBody(
            params = {"of", "name"},
            script = "const v = of[name]; return v == null || v === '' ? null : String(v);")
    private static native String text(JSObject of, String name);

    /** Accepts decimals only: JavaScript's own numbers may be hexadecimal. */
    @JSBody(
            params = "text",
            script =
                    "return /^\\s*[-+]?[0-9.]+(e[-+]?[0-9]+)?\\s*$/i.test(text) ? Number(text) :"
                            + " NaN;")
    private static native double parsed(String text);

    @JSBody(script = "return {};")
    private static native Answer answer();

    /**
     * The plan for what was typed.
     *
     * @param question an object with the names of {@link PlanRequest}, but {@code windowMillis} and
     *     {@code memoryBytes}; what is absent, null or empty is not said
     */
    @JSExport
    public static Answer plan(JSObject question) {
        Answer answer = answer();
        try {
            Plan plan = request(question).plan();
            answer.setFits(plan.fits());
            answer.setLines(lines(plan.lines()));
        } catch (IllegalArgumentException e) {
            answer.setError(e.getMessage());
        }
        return answer;
    }

    private static PlanRequest request(JSObject question) {
        Long window = rounded(question, "windowMillis");
        Long memory = rounded(question, "memoryBytes");
        if (memory != null && memory < 0) {
            throw new IllegalArgumentException("--memory must be at least 1mb");
        }
        Long parallelism = whole(question, "parallelism");
        Long maxParallelism = whole(question, "maxParallelism");
        String engine = text(question, "engine");
        String find = text(question, "find");
        return new PlanRequest(
                engine == null ? null : PlanEngine.valueOf(engine),
                find == null ? null : Find.valueOf(find),
                whole(question, "idsPerSecond"),
                number(question, "recordsPerSecond"),
                window == null ? null : Duration.ofMillis(window),
                whole(question, "keys"),
                number(question, "fpp"),
                number(question, "maxFpp"),
                null,
                "true".equals(text(question, "contents")),
                parallelism == null ? 1 : asInt(parallelism),
                maxParallelism == null ? null : Integer.valueOf(asInt(maxParallelism)),
                memory == null ? null : new MemorySize(memory),
                number(question, "nanosPerRecord"));
    }

    @Nullable
    private static Double number(JSObject question, String name) {
        String text = text(question, name);
        if (text == null) {
            return null;
        }
        double number = parsed(text);
        if (!(Math.abs(number) <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException("'" + text + "' is not a number");
        }
        return number;
    }

    @Nullable
    private static Long whole(JSObject question, String name) {
        Double number = number(question, name);
        if (number != null && number != Math.rint(number)) {
            throw new IllegalArgumentException(
                    "'" + text(question, name) + "' is not a whole number");
        }
        return rounded(question, name);
    }

    /** Of something that was typed in a larger unit. */
    @Nullable
    private static Long rounded(JSObject question, String name) {
        Double number = number(question, name);
        return number == null ? null : Long.valueOf((long) Math.max(-MOST, Math.min(number, MOST)));
    }

    private static int asInt(long value) {
        return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, value));
    }

    private static JSArray<JSArray<JSString>> lines(List<Plan.Line> lines) {
        JSArray<JSArray<JSString>> all = new JSArray<>();
        for (Plan.Line line : lines) {
            JSArray<JSString> pair = new JSArray<>();
            pair.push(JSString.valueOf(line.name()));
            pair.push(JSString.valueOf(line.text()));
            all.push(pair);
        }
        return all;
    }
}
