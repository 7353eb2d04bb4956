/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.configuration.Configuration;

/**
 * Wrote the golden machines, once: a released format is never written again, so existing files are
 * left alone. A new version gets new names. Argument: the folder.
 */
final class GoldenMachines {

    static final int KEYS = 40;
    private static final int EVENTS = 300;

    private GoldenMachines() {}

    /** Returns the format of orders in a kind of store. */
    static MachineGroupFormat format(StoreKind store) {
        return format(Orders.definition().build(), Map.of(), store);
    }

    /** Returns the format of a machine in a kind of store. */
    static MachineGroupFormat format(
            MachineDefinition machine, Map<String, String> renamed, StoreKind store) {
        Configuration options = new Configuration();
        options.set(MachineOptions.STORE, store);
        options.set(MachineOptions.EXPECTING, (long) KEYS);
        return new MachineGroupFormat(
                machine,
                renamed,
                MachineSettings.of(machine, renamed, options, null)
                        .stores()
                        .stores(1, StoreMemory.unlimited()),
                (id, state, millis) -> {});
    }

    /** Returns what a golden file holds. */
    static byte[] bytes(StoreKind store) throws IOException {
        try (InputStream in =
                GoldenMachines.class.getResourceAsStream("/golden/machines/" + file(store))) {
            return in.readAllBytes();
        }
    }

    private static String file(StoreKind store) {
        return "v1-" + store.name().toLowerCase(Locale.ROOT) + ".bin";
    }

    /** Returns the group in the state in which it was written. */
    static MachineGroup filled(MachineGroupFormat format) {
        MachineGroup group = format.create();
        SplittableRandom random = new SplittableRandom(7);
        int events = group.machine().events().size();
        for (int i = 0; i < EVENTS; i++) {
            long millis = 200L * i;
            group.advance(millis, millis + 1_000);
            // An event that the machine does not have is illegal.
            int event = random.nextInt(events + 1) - 1;
            boolean unused = group.follow(Hashing.hash(random.nextInt(KEYS)), event, millis);
        }
        return group;
    }

    static byte[] written(MachineGroupFormat format, MachineGroup group) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        format.write(group, out);
        return out.toByteArray();
    }

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        for (StoreKind store : StoreKind.values()) {
            MachineGroupFormat format = format(store);
            Files.write(
                    folder.resolve(file(store)),
                    written(format, filled(format)),
                    StandardOpenOption.CREATE_NEW);
        }
    }
}
