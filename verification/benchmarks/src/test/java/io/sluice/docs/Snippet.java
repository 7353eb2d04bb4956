/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A block of code in a document.
 *
 * @param document relative to the root
 * @param line of the document where it begins
 * @param language as the document says
 */
record Snippet(Path document, int line, String language, String code) {

    private static final Path ROOT = Path.of("../..");
    private static final String FENCE = "```";

    /** All of a language, in all documents for users. */
    static List<Snippet> all(String language) throws IOException {
        List<Path> documents = new ArrayList<>(List.of(Path.of("README.md")));
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().contains("node_modules"))
                    .map(ROOT::relativize)
                    .sorted()
                    .forEach(documents::add);
        }
        List<Snippet> all = new ArrayList<>();
        for (Path document : documents) {
            all.addAll(in(document, language));
        }
        return all;
    }

    private static List<Snippet> in(Path document, String language) throws IOException {
        List<Snippet> found = new ArrayList<>();
        List<String> lines = Files.readAllLines(ROOT.resolve(document));
        for (int begin = 0; begin < lines.size(); begin++) {
            if (!lines.get(begin).startsWith(FENCE)) {
                continue;
            }
            int end = begin + 1;
            while (!lines.get(end).equals(FENCE)) {
                end++;
            }
            if (lines.get(begin).equals(FENCE + language)) {
                String code = String.join("\n", lines.subList(begin + 1, end));
                found.add(new Snippet(document, begin + 2, language, code));
            }
            begin = end;
        }
        return found;
    }

    /** {@link #below} a heading of the README. */
    static Snippet ofReadme(String heading, String language, String containing) throws IOException {
        return below(Path.of("README.md"), heading, language, containing);
    }

    /** The first block of this language in a section of a document that contains a text. */
    static Snippet below(Path document, String heading, String language, String containing)
            throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve(document));
        int from = lines.indexOf(heading);
        if (from < 0) {
            throw new AssertionError(document + " has no line \"" + heading + '"');
        }
        int end = from + 1;
        while (end < lines.size() && !lines.get(end).matches("##+ .*")) {
            end++;
        }
        int last = end;
        return in(document, language).stream()
                .filter(snippet -> snippet.line() > from && snippet.line() <= last)
                .filter(snippet -> snippet.code().contains(containing))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing below \"" + heading + '"'));
    }

    /**
     * Compiles Java: imports, then statements that name nothing but what they import, what is
     * {@link Given}, and {@code java.lang}.
     *
     * @param folder for the class
     * @param returned an expression that is returned in the end
     */
    Given compile(Path folder, String returned) throws Exception {
        List<String> imports = code.lines().filter(line -> line.startsWith("import ")).toList();
        String statements =
                code.lines()
                        .filter(line -> !line.startsWith("import "))
                        .collect(Collectors.joining("\n"));
        Path source = folder.resolve("TheSnippet.java");
        Files.writeString(
                source,
                "package io.sluice.docs;\n"
                        + String.join("\n", imports)
                        + "\npublic class TheSnippet extends Given {\n"
                        + "public Object run() throws Exception {\n"
                        + statements
                        + "\nreturn "
                        + returned
                        + ";\n}\n}\n");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        boolean compiled;
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options =
                    List.of(
                            "-proc:none",
                            "-d",
                            folder.toString(),
                            "-cp",
                            System.getProperty(
                                    "surefire.test.class.path",
                                    System.getProperty("java.class.path")));
            compiled =
                    compiler.getTask(
                                    messages,
                                    files,
                                    null,
                                    options,
                                    null,
                                    files.getJavaFileObjects(source))
                            .call();
        }
        if (!compiled) {
            throw new AssertionError(this + "\n" + messages);
        }
        ClassLoader loader =
                new URLClassLoader(
                        new URL[] {folder.toUri().toURL()}, Given.class.getClassLoader());
        return (Given) loader.loadClass("io.sluice.docs.TheSnippet").getConstructor().newInstance();
    }

    @Override
    public String toString() {
        return document + ":" + line;
    }
}
