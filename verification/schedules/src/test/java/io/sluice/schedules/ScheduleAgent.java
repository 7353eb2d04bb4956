/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.schedules;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.List;
import org.pastalab.fray.instrumentation.base.ApplicationCodeTransformer;

/**
 * Makes classes ask the scheduler before they take a lock, start a thread, or read or write a
 * volatile field; those that threads share, before they touch any field at all, so that an access
 * without its lock is found.
 *
 * <p>An agent of the JVM. The scheduler's own knows no difference between classes.
 */
public final class ScheduleAgent {

    /** Objects of these are shared by threads, or handed from one to another. With nested ones. */
    private static final List<String> SHARED =
            List.of(
                    "io/sluice/filter/cascade/BufferPool",
                    "io/sluice/filter/cascade/CascadeSnapshot",
                    "io/sluice/filter/cascade/CascadeStore",
                    "io/sluice/filter/cascade/Catalog",
                    "io/sluice/filter/cascade/CurrentVersion",
                    "io/sluice/filter/cascade/FrozenBuffer",
                    "io/sluice/filter/cascade/LevelFiles",
                    "io/sluice/filter/cascade/Maintenance",
                    "io/sluice/filter/cascade/ManifestStore",
                    "io/sluice/filter/cascade/MergeSchedule",
                    "io/sluice/filter/cascade/OverviewBuild",
                    "io/sluice/filter/cascade/Releases",
                    "io/sluice/filter/cascade/Reports",
                    "io/sluice/filter/cascade/StoredFile",
                    "io/sluice/filter/cascade/Version",
                    "io/sluice/filter/cascade/WorkCounters",
                    "io/sluice/filter/cascade/WriteLimit",
                    "io/sluice/filter/cascade/file/CachedPages",
                    "io/sluice/filter/cascade/file/LevelFile",
                    "io/sluice/filter/cascade/file/PageCache",
                    "io/sluice/filter/cascade/file/PageLookups",
                    "io/sluice/filter/plane/PinnedWords",
                    "io/sluice/filter/forgetful/ForgetfulFilterSnapshot",
                    "io/sluice/flink/runtime/CopiedStructure",
                    "io/sluice/flink/runtime/KeyGroupsSnapshotFuture",
                    "io/sluice/flink/runtime/PinnedKeyGroups",
                    "io/sluice/schedules/",
                    "io/sluice/state/FilterHome",
                    "io/sluice/state/MembershipMetrics",
                    "io/sluice/state/MembershipStore",
                    "io/sluice/state/NativeMemory",
                    "io/sluice/state/Release",
                    "io/sluice/state/SlotResources",
                    "io/sluice/state/snapshot/CascadeSnapshot",
                    "io/sluice/state/snapshot/CheckpointTask",
                    "io/sluice/state/snapshot/FileTransfer",
                    "io/sluice/state/snapshot/UploadedFiles");

    /** No object of these is in the hands of two threads; asking would take most of the time. */
    private static final List<String> OF_ONE_THREAD =
            List.of(
                    "io/sluice/filter/cascade/file/BloomLine",
                    "io/sluice/filter/cascade/file/Entr",
                    "io/sluice/filter/cascade/file/LevelFileWriter",
                    "io/sluice/filter/cascade/file/PageDecoder",
                    "io/sluice/filter/cascade/file/PageEncoder",
                    "io/sluice/filter/cascade/file/Summary",
                    "io/sluice/filter/hash/",
                    "io/sluice/filter/memory/",
                    "io/sluice/filter/quotient/",
                    "net/bytebuddy/",
                    "org/apache/maven/",
                    "org/assertj/",
                    "org/opentest4j/");

    private ScheduleAgent() {}

    /** Called by the JVM. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        ApplicationCodeTransformer everyField = new ApplicationCodeTransformer(true, List.of());
        ApplicationCodeTransformer locks = new ApplicationCodeTransformer(false, List.of());
        instrumentation.addTransformer(
                new ClassFileTransformer() {
                    @Override
                    public byte[] transform(
                            ClassLoader loader,
                            String name,
                            Class<?> redefined,
                            ProtectionDomain domain,
                            byte[] bytes) {
                        if (name == null || OF_ONE_THREAD.stream().anyMatch(name::startsWith)) {
                            return null;
                        }
                        boolean isShared = SHARED.stream().anyMatch(name::startsWith);
                        return (isShared ? everyField : locks)
                                .transform(loader, name, redefined, domain, bytes);
                    }
                });
    }
}
