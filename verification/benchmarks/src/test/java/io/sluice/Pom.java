/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A pom as it is written, without what it inherits. */
record Pom(Path path, Document document) {

    static final Path ROOT = Path.of("../..");

    static Pom of(Path folder) {
        Path path = folder.resolve("pom.xml");
        try {
            return new Pom(
                    path,
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(path.toFile()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SAXException | ParserConfigurationException e) {
            throw new AssertionError(path.toString(), e);
        }
    }

    /** The poms of all modules, at the root or in a group, sorted by path; without the groups. */
    static List<Pom> ofModules() throws IOException {
        List<Pom> modules = new ArrayList<>();
        for (Pom top : in(ROOT)) {
            Path folder = top.path().getParent();
            List<Pom> members = in(folder);
            modules.addAll(members.isEmpty() ? List.of(top) : members);
        }
        return modules;
    }

    /** The folder of the module, as seen from the root. */
    String folder() {
        return ROOT.relativize(path.getParent()).toString();
    }

    /** The poms of the folders in that one, sorted by path. */
    static List<Pom> in(Path parent) throws IOException {
        try (Stream<Path> folders = Files.list(parent)) {
            return folders.filter(folder -> Files.exists(folder.resolve("pom.xml")))
                    .sorted()
                    .map(Pom::of)
                    .toList();
        }
    }

    /** The texts of all elements that a path of XPath selects. */
    List<String> all(String expression) {
        try {
            NodeList nodes =
                    (NodeList)
                            XPathFactory.newInstance()
                                    .newXPath()
                                    .evaluate(expression, document, XPathConstants.NODESET);
            return IntStream.range(0, nodes.getLength())
                    .mapToObj(i -> nodes.item(i).getTextContent().strip())
                    .toList();
        } catch (XPathExpressionException e) {
            throw new AssertionError(expression, e);
        }
    }

    /** The text of the only element that is selected. */
    String one(String expression) {
        List<String> texts = all(expression);
        if (texts.size() != 1) {
            throw new AssertionError(path + ": " + expression + " selects " + texts);
        }
        return texts.get(0);
    }
}
