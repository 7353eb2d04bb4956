/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.CascadeOptionsBuilder;
import io.sluice.filter.cascade.CascadeSnapshot;
import io.sluice.filter.cascade.MergePolicy;
import io.sluice.filter.cascade.SyncPolicy;
import io.sluice.filter.sample.IdSample;
import io.sluice.state.restore.CascadeRestore.RestoredState;
import io.sluice.state.snapshot.LocalCopy;
import io.sluice.state.snapshot.MembershipInfo;
import io.sluice.state.snapshot.PinnedState;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.util.function.FunctionWithException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filters of a subtask's membership states, by name of the state: the ones in use, and the ones
 * that were restored but not yet requested. The latter are still part of every checkpoint: a job
 * may name its states late, or not at all in one release and again in the next.
 */
final class MembershipStates implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(MembershipStates.class);

    private static final int FEW_FILES = 4;

    private static final int FAN_OUT = 2;

    /** Minimum for write buffers: two, in which each key group has an entry of some seven bytes. */
    static final int MIN_BYTES_PER_KEY_GROUP = 32;

    private final CascadeSettings settings;
    private final int maxParallelism;
    private final KeyGroupRange range;
    private final FilterHome home;
    private final SampleFactory samples;
    private final Map<String, RestoredState> restored;
    private final Map<String, MembershipStore> stores = new LinkedHashMap<>();

    /** Replaced by other stores, but perhaps still needed by a checkpoint. */
    private final List<MembershipStore> retired = new ArrayList<>();

    MembershipStates(
            CascadeSettings settings,
            int maxParallelism,
            KeyGroupRange range,
            FilterHome home,
            Map<String, RestoredState> restored) {
        this.settings = settings;
        this.maxParallelism = maxParallelism;
        this.range = range;
        this.home = home;
        this.samples = new SampleFactory(settings, range);
        this.restored = new HashMap<>(restored);
    }

    /**
     * Refuses what needs the keys of a state.
     *
     * @param what continues "State 'name' cannot"
     */
    UnsupportedOperationException noKeys(String name, String what) {
        return noKeys(requireNonNull(info(name), name), what);
    }

    static UnsupportedOperationException noKeys(MembershipInfo state, String what) {
        return new UnsupportedOperationException(
                "State '"
                        + state.name()
                        + "' cannot "
                        + what
                        + ": it is kept in a filter, which does not hold its keys. If that is"
                        + " needed, keep the state exact: take its name out of "
                        + (isMap(state)
                                ? CascadeBackendOptions.MAP_STATES.key() + '.'
                                : CascadeBackendOptions.STATES.key()
                                        + ", or describe it with a ValueStateDescriptor."));
    }

    /** The option that selects the state in the filters. */
    String optionOf(String name) {
        return (isMap(requireNonNull(info(name), name))
                        ? CascadeBackendOptions.MAP_STATES
                        : CascadeBackendOptions.STATES)
                .key();
    }

    private static boolean isMap(MembershipInfo state) {
        return KeyFingerprinter.hasMapKeys(state.namespaceScheme());
    }

    @Nullable
    private MembershipInfo info(String name) {
        if (stores.containsKey(name)) {
            return stores.get(name).info();
        }
        return restored.containsKey(name) ? restored.get(name).info() : null;
    }

    /** Whether the state is kept in a filter, in use or restored. */
    boolean contains(String name) {
        return stores.containsKey(name) || restored.containsKey(name);
    }

    boolean isEmpty() {
        return stores.isEmpty() && restored.isEmpty();
    }

    List<String> names() {
        return Stream.concat(stores.keySet().stream(), restored.keySet().stream())
                .sorted()
                .toList();
    }

    /** Entries of all filters in use, as {@link CascadeFilter#statistics} counts them. */
    long entries() {
        return stores.values().stream()
                .mapToLong(store -> store.filter().statistics().entries())
                .sum();
    }

    /**
     * The filter of a state, which is restored or made if it is not in use yet.
     *
     * @throws IllegalStateException if the state was stored with namespaces of another kind
     */
    MembershipStore open(MembershipInfo wanted) throws IOException {
        MembershipStore store = stores.get(wanted.name());
        if (store != null && store.info().equals(wanted)) {
            return store;
        }
        checkNamespaces(wanted);
        store = store == null ? create(wanted) : reopen(store, wanted);
        stores.put(wanted.name(), store);
        home.metrics().register(store);
        return store;
    }

    private void checkNamespaces(MembershipInfo wanted) {
        String name = wanted.name();
        MembershipInfo stored = info(name);
        if (stored != null && isMap(stored) != isMap(wanted)) {
            throw new IllegalStateException(
                    "State '"
                            + name
                            + "' was stored as a "
                            + kind(stored)
                            + " state, but is a "
                            + kind(wanted)
                            + " state now: its fingerprints cannot be recomputed without the keys."
                            + " Give the new state another name.");
        }
        if (stored != null
                && !KeyFingerprinter.isSameNamespace(
                        stored.namespaceScheme(), wanted.namespaceScheme())) {
            throw new IllegalStateException(
                    "State '"
                            + name
                            + "' was stored with namespaces '"
                            + stored.namespaceScheme()
                            + "', but has '"
                            + wanted.namespaceScheme()
                            + "' now (map(...): the keys of a map): its fingerprints cannot be"
                            + " recomputed without the keys.");
        }
    }

    private static String kind(MembershipInfo state) {
        return isMap(state) ? "map" : "value";
    }

    private MembershipStore create(MembershipInfo wanted) throws IOException {
        RestoredState state = restored.get(wanted.name());
        Path directory = state == null ? home.directoryOf(wanted.name()) : state.directory();
        FilterHome.Tenancy tenancy = moveIn(wanted.name());
        MembershipStore store =
                store(
                        wanted,
                        directory,
                        tenancy,
                        () ->
                                samples.create(
                                        wanted,
                                        state == null ? List.of() : state.samples(),
                                        tenancy.slot()),
                        options ->
                                state == null
                                        ? CascadeFilter.open(directory, options)
                                        : CascadeFilter.restore(
                                                directory, options, state.manifests()));
        restored.remove(wanted.name());
        double bound = store.filter().statistics().falsePositiveBound();
        if (bound > wanted.falsePositiveProbability()) {
            LOG.warn(
                    "State '{}' reports a key as seen that never was with a probability of at most"
                            + " {}, not {}: keys in it were stored for a larger one. The metric"
                            + " falsePositiveBound shows when they are gone; they go only by"
                            + " expiring.",
                    wanted.name(),
                    bound,
                    wanted.falsePositiveProbability());
        }
        LOG.info(
                "State '{}' is approximate: it is kept in a filter that reports a key as seen that"
                        + " never was with a probability of at most {}{}. It {}. Its write buffers"
                        + " have {} bytes.",
                wanted.name(),
                bound,
                forgets(wanted.timeToLiveMillis()),
                state == null ? "is empty" : "was restored",
                tenancy.bufferBytes());
        return store;
    }

    /** SQL says "for ever" with the greatest time there is. */
    private static String forgets(long timeToLiveMillis) {
        return timeToLiveMillis == 0 || timeToLiveMillis == Long.MAX_VALUE
                ? ""
                : " and forgets keys after " + Duration.ofMillis(timeToLiveMillis);
    }

    private FilterHome.Tenancy moveIn(String name) throws IOException {
        return home.moveIn(name, (long) MIN_BYTES_PER_KEY_GROUP * range.getNumberOfKeyGroups());
    }

    /** Makes the filter; tenancy and sample end with it, or if this fails. */
    private MembershipStore store(
            MembershipInfo info,
            Path directory,
            FilterHome.Tenancy tenancy,
            Supplier<IdSample> sample,
            FunctionWithException<CascadeOptions, CascadeFilter, IOException> open)
            throws IOException {
        IdSample taken = IdSample.none();
        boolean isComplete = false;
        try {
            taken = sample.get();
            CascadeFilter filter = open.apply(options(info, tenancy));
            isComplete = true;
            return new MembershipStore(filter, info, directory, taken, tenancy);
        } finally {
            if (!isComplete) {
                taken.close();
                tenancy.close();
            }
        }
    }

    /**
     * A checkpoint came before the job named the state with another probability or TTL, and may
     * still be being written. So the filter that it has pinned stays as it is, and the new one gets
     * another directory, with hard links to the files.
     */
    private MembershipStore reopen(MembershipStore store, MembershipInfo wanted)
            throws IOException {
        Path directory = home.directoryOf(wanted.name());
        Files.createDirectories(directory);
        byte[] manifest;
        try (CascadeSnapshot contents = store.filter().snapshot()) {
            contents.prepare();
            for (CascadeSnapshot.File file : contents.files()) {
                LocalCopy.link(
                        store.directory().resolve(file.name()), directory.resolve(file.name()));
            }
            manifest = contents.manifest();
        }
        FilterHome.Tenancy tenancy = moveIn(wanted.name());
        IdSample sample = store.giveSample();
        sample.setTimeToLive(
                wanted.timeToLiveMillis(), settings.bucketMillis(wanted.timeToLiveMillis()));
        MembershipStore next =
                store(
                        wanted,
                        directory,
                        tenancy,
                        () -> sample,
                        options -> CascadeFilter.restore(directory, options, List.of(manifest)));
        retired.add(store);
        store.retire();
        return next;
    }

    private CascadeOptions options(MembershipInfo info, FilterHome.Tenancy tenancy) {
        CascadeOptionsBuilder builder =
                CascadeOptions.builder()
                        .keyGroups(range.getStartKeyGroup(), range.getNumberOfKeyGroups())
                        // Not the subtask's: a rescaled job would start over with other bits.
                        .partOf(maxParallelism)
                        .capacityPolicy(settings.overflowPolicy())
                        .falsePositiveProbability(info.falsePositiveProbability())
                        .capacity(settings.capacity())
                        .bufferBytes(tenancy.bufferBytes())
                        .bufferMemory(NativeMemory::new)
                        .overviewBitsPerKey(settings.overviewBits())
                        .overviewBytes(settings.overviewBytes())
                        .overviewMemory(tenancy.slot())
                        .summaryBitsPerKey(settings.summaryBitsFor(info.timeToLiveMillis() > 0))
                        .mergePolicy(
                                switch (settings.mergePolicy()) {
                                    case FEW_FILES -> MergePolicy.fewFiles(FEW_FILES);
                                    case DOUBLING -> MergePolicy.doubling(FAN_OUT);
                                })
                        .syncPolicy(SyncPolicy.NEVER)
                        .resources(tenancy.slot().shared());
        if (info.timeToLiveMillis() > 0) {
            builder.timeToLive(Duration.ofMillis(info.timeToLiveMillis()), settings.ttlBuckets());
        }
        try {
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "Membership state '"
                            + info.name()
                            + "' cannot be kept in a filter with "
                            + CascadeBackendOptions.CAPACITY.key()
                            + " and "
                            + CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY.key()
                            + " as they are: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Pins what every filter holds now. Filters that were not yet requested are opened for it. */
    void pin(Consumer<PinnedState> pinned) throws IOException {
        for (RestoredState state : List.copyOf(restored.values())) {
            open(state.info());
        }
        for (MembershipStore store : stores.values()) {
            pinned.accept(store.pin());
        }
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        List<MembershipStore> all = new ArrayList<>(stores.values());
        all.addAll(retired);
        for (MembershipStore store : all) {
            try {
                store.close();
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        stores.clear();
        retired.clear();
        try {
            home.close();
        } catch (IOException e) {
            if (failure == null) {
                failure = e;
            } else {
                failure.addSuppressed(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
