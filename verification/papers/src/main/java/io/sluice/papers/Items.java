/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The items of all papers, from one list, so that labels cannot differ. Immutable. */
final class Items {

    /**
     * A paper.
     *
     * @param id a short name for options
     * @param page the document about its system and Flink, without folder and extension; or empty
     */
    record Paper(String id, String title, String source, String page, List<Item> items) {
        Item item(int number) {
            return items.get(number - items.get(0).number());
        }
    }

    /**
     * An algorithm, formula, claim, figure or table.
     *
     * @param verdict {@code printed}, {@code corrected}, {@code different} or {@code left out}
     * @param note where we depart and why; may be empty
     * @param type the class where it is, or empty
     * @param test the class that tests it, or empty
     * @param earlier what was timed
     */
    record Item(
            int number,
            String label,
            String verdict,
            String note,
            String type,
            String test,
            Earlier earlier) {}

    /** Figures of a result file that were timed on another day; perhaps none. */
    record Earlier(String file, List<String> figures) {
        boolean isEmpty() {
            return file.isEmpty();
        }
    }

    private Items() {}

    static List<Paper> read() throws IOException {
        List<Paper> papers = new ArrayList<>();
        try (InputStream in = Items.class.getResourceAsStream("items.txt")) {
            String list = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String line : list.lines().toList()) {
                String[] part = line.split("\\|", -1);
                if (line.startsWith("# ")) {
                    String id = part[0].substring(2);
                    papers.add(new Paper(id, part[1], part[2], part[3], new ArrayList<>()));
                } else {
                    List<Item> items = papers.get(papers.size() - 1).items();
                    Earlier earlier =
                            part.length > 6
                                    ? new Earlier(part[6], List.of(part[7].split(",")))
                                    : new Earlier("", List.of());
                    int number = Integer.parseInt(part[0]);
                    items.add(
                            new Item(number, part[1], part[2], part[3], part[4], part[5], earlier));
                }
            }
        }
        return papers;
    }

    /** The paper that has an item. */
    static Paper paperOf(List<Paper> papers, int item) {
        return papers.stream()
                .filter(paper -> paper.items().stream().anyMatch(i -> i.number() == item))
                .findFirst()
                .orElseThrow();
    }
}
