/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.papers.Items.Item;
import io.sluice.papers.Items.Paper;
import io.sluice.papers.figure.PaperFigure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of items names what there is. */
class ItemsTest {
    private static final Path ROOT = Path.of("../..");

    private final List<Item> items;

    ItemsTest() throws IOException {
        items = Items.read().stream().map(Paper::items).flatMap(List::stream).toList();
    }

    @Test
    void itemsAreNumberedWithoutAGap() {
        assertThat(items)
                .extracting(Item::number)
                .isEqualTo(IntStream.rangeClosed(1, 142).boxed().toList());
    }

    @Test
    void everyVerdictIsOneOfFourAndADepartureHasItsReason() {
        assertThat(items)
                .extracting(Item::verdict)
                .isSubsetOf("printed", "corrected", "different", "left out");
        assertThat(items)
                .filteredOn(item -> !item.verdict().equals("printed"))
                .allMatch(item -> !item.note().isEmpty());
    }

    @Test
    void everyClassAndTestExists() throws IOException {
        Set<String> sources;
        try (Stream<Path> files = Files.walk(ROOT)) {
            sources =
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".java"))
                            .map(name -> name.substring(0, name.length() - ".java".length()))
                            .collect(Collectors.toSet());
        }
        assertThat(items)
                .flatExtracting(item -> List.of(item.type(), item.test()))
                .filteredOn(name -> !name.isEmpty())
                .isSubsetOf(sources);
    }

    @Test
    void everyFigureHasAnItemThatNamesIt() {
        assertThat(Papers.FIGURES).extracting(PaperFigure::item).doesNotHaveDuplicates();
        for (PaperFigure figure : Papers.FIGURES) {
            Item item = items.get(figure.item() - 1);
            if (item.label().startsWith("Figure")) {
                assertThat(item.type())
                        .as(item.label())
                        .isEqualTo(figure.getClass().getSimpleName());
            }
        }
    }
}
