/* SPDX-License-Identifier: Apache-2.0 */

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/**
 * Checks a folder that .ci/release has filled, by what Maven Central asks for: {@code java ReleaseFolder.java FOLDER
 * VERSION [--signed]}.
 */
final class ReleaseFolder {

    private static final String GROUP = "io.sluice";
    private static final XPath XPATH = XPathFactory.newInstance().newXPath();

    /** What a pom on Maven Central must say, or its users need. */
    private static final List<String> REQUIRED =
            List.of(
                    "/project/name",
                    "/project/description",
                    "/project/url",
                    "/project/licenses/license/name",
                    "/project/licenses/license/url",
                    "/project/developers/developer/name",
                    "/project/scm/url",
                    "/project/scm/connection");

    private final Path group;
    private final String version;
    private final boolean signed;
    private final List<String> problems = new ArrayList<>();
    private int files;

    private ReleaseFolder(Path folder, String version, boolean signed) {
        this.group = folder.resolve(GROUP.replace('.', '/'));
        this.version = version;
        this.signed = signed;
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 2 || args.length == 3 && !args[2].equals("--signed") || args.length > 3) {
            System.err.println("usage: java ReleaseFolder.java FOLDER VERSION [--signed]");
            System.exit(2);
        }
        var release = new ReleaseFolder(Path.of(args[0]), args[1], args.length == 3);
        int modules = release.check();
        release.problems.forEach(problem -> System.out.println("release: " + problem));
        System.out.printf(
                "release %s: %d modules, %d files, %d problems%n",
                args[1], modules, release.files, release.problems.size());
        System.exit(release.problems.isEmpty() ? 0 : 1);
    }

    private int check() throws Exception {
        Path bom = group.resolve("sluice-bom").resolve(version).resolve("sluice-bom-" + version + ".pom");
        Set<String> expected = new TreeSet<>(Set.of("sluice-bom"));
        expected.addAll(all(parse(bom), "//dependencyManagement/dependencies/dependency/artifactId"));
        Set<String> modules;
        try (Stream<Path> folders = Files.list(group)) {
            modules =
                    folders.filter(Files::isDirectory)
                            .map(folder -> folder.getFileName().toString())
                            .collect(Collectors.toCollection(TreeSet::new));
        }
        require(modules.equals(expected), "published are %s, the bom lists %s", modules, expected);
        for (String module : modules) {
            checkModule(module, modules);
        }
        return modules.size();
    }

    private void checkModule(String module, Set<String> modules) throws Exception {
        try (Stream<Path> entries = Files.list(group.resolve(module))) {
            List<String> versions =
                    entries.filter(Files::isDirectory).map(it -> it.getFileName().toString()).toList();
            require(versions.equals(List.of(version)), "%s: versions %s", module, versions);
        }
        Path folder = group.resolve(module).resolve(version);
        String base = module + "-" + version;
        Document pom = parse(folder.resolve(base + ".pom"));
        checkPom(module, pom, modules);

        Set<String> wanted = new TreeSet<>(Set.of(".pom", "-cyclonedx.json", "-cyclonedx.xml"));
        if (!all(pom, "/project/packaging").contains("pom")) {
            wanted.addAll(Set.of(".jar", "-sources.jar", "-javadoc.jar"));
        }
        Set<String> found = new TreeSet<>();
        try (Stream<Path> entries = Files.list(folder)) {
            for (Path file : entries.toList()) {
                String name = file.getFileName().toString();
                if (!name.matches(".*\\.(md5|sha1|asc)")) {
                    require(name.startsWith(base), "%s: file %s", module, name);
                    found.add(name.substring(Math.min(base.length(), name.length())));
                    checkFile(file);
                }
            }
        }
        // What the tests of other modules share.
        found.remove("-tests.jar");
        require(found.equals(wanted), "%s: files %s, expected %s", module, found, wanted);
        if (wanted.contains(".jar") && found.containsAll(wanted)) {
            checkJars(module, folder.resolve(base).toString());
        }
    }

    private void checkPom(String module, Document pom, Set<String> modules) throws Exception {
        for (String path : REQUIRED) {
            List<String> texts = all(pom, path);
            require(!texts.isEmpty() && texts.stream().noneMatch(String::isEmpty), "%s: no %s", module, path);
        }
        require(all(pom, "/project/parent").isEmpty(), "%s: its pom has a parent", module);
        require(all(pom, "/project/groupId").equals(List.of(GROUP)), "%s: group", module);
        require(all(pom, "/project/version").equals(List.of(version)), "%s: version", module);
        require(all(pom, "/project/scm/tag").equals(List.of("v" + version)), "%s: the tag of its scm", module);
        String text = pom.getDocumentElement().getTextContent();
        require(!text.contains("${"), "%s: a property in its pom is not resolved", module);
        require(!text.contains("SNAPSHOT"), "%s: its pom names a snapshot", module);

        List<String> dependencies = all(pom, "//dependency/artifactId[../groupId='" + GROUP + "']");
        require(modules.containsAll(dependencies), "%s: %s are not all published", module, dependencies);
        require(
                all(pom, "//dependency/version").size() == all(pom, "//dependency").size(),
                "%s: a dependency without a version",
                module);
        require(all(pom, "//dependency[scope='test']").isEmpty(), "%s: dependencies of tests", module);
    }

    private void checkFile(Path file) throws Exception {
        files++;
        byte[] bytes = Files.readAllBytes(file);
        require(bytes.length > 0, "%s is empty", file);
        checkSum(file, bytes, "MD5", ".md5");
        checkSum(file, bytes, "SHA-1", ".sha1");
        if (signed) {
            require(Files.exists(beside(file, ".asc")), "%s is not signed", file);
        }
    }

    private void checkSum(Path file, byte[] bytes, String algorithm, String suffix) throws Exception {
        byte[] digest = MessageDigest.getInstance(algorithm).digest(bytes);
        String expected = String.format("%0" + 2 * digest.length + "x", new BigInteger(1, digest));
        Path sum = beside(file, suffix);
        require(
                Files.exists(sum) && Files.readString(sum).strip().equals(expected),
                "%s: no %s, or a wrong one",
                file,
                suffix);
    }

    private void checkJars(String module, String base) throws IOException {
        try (JarFile jar = new JarFile(base + ".jar")) {
            var attributes = jar.getManifest().getMainAttributes();
            require(
                    version.equals(attributes.getValue("Implementation-Version")),
                    "%s: Implementation-Version in its manifest",
                    module);
            require(
                    attributes.getValue("Automatic-Module-Name") != null,
                    "%s: Automatic-Module-Name in its manifest",
                    module);
            require(jar.stream().anyMatch(it -> it.getName().endsWith(".class")), "%s: no classes", module);
            for (var entry : jar.stream().filter(it -> it.getName().startsWith("META-INF/maven/")).toList()) {
                String text = new String(jar.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
                require(!text.contains("-SNAPSHOT"), "%s: a snapshot in %s", module, entry.getName());
            }
        }
        try (JarFile sources = new JarFile(base + "-sources.jar");
                JarFile jar = new JarFile(base + ".jar")) {
            Set<String> classes =
                    jar.stream()
                            .map(it -> it.getName())
                            .filter(it -> it.startsWith("io/sluice/") && it.endsWith(".class"))
                            .filter(it -> !it.startsWith("io/sluice/shaded/") && !it.contains("$"))
                            .map(it -> it.replace(".class", ".java"))
                            .collect(Collectors.toCollection(TreeSet::new));
            // Types that share a file with another are few, and have none of their own.
            long missing = classes.stream().filter(it -> sources.getEntry(it) == null).count();
            require(missing * 20 <= classes.size(), "%s: %d sources are missing", module, missing);
        }
        try (JarFile javadoc = new JarFile(base + "-javadoc.jar")) {
            require(javadoc.getEntry("index.html") != null, "%s: no index.html in its Javadoc", module);
            require(
                    javadoc.stream().filter(it -> it.getName().startsWith("io/sluice/")).count() > 5,
                    "%s: its Javadoc is empty",
                    module);
        }
    }

    private void require(boolean holds, String problem, Object... arguments) {
        if (!holds) {
            problems.add(problem.formatted(arguments));
        }
    }

    private static Path beside(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private static Document parse(Path pom) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
    }

    private static List<String> all(Document pom, String path) throws Exception {
        NodeList nodes = (NodeList) XPATH.evaluate(path, pom, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().strip());
        }
        return texts;
    }
}
