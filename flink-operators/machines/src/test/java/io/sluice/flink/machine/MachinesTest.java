/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.OnLate;
import io.sluice.flink.OptionException;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.machine.store.StoreKind;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

/** What the builder accepts and refuses. */
class MachinesTest {

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final DataStream<Long> records = env.fromSequence(1, 2);

    private static Machines<Long, Long> complete() {
        return Machines.by((Long record) -> record)
                .uid("orders")
                .machine(Orders.definition().build())
                .event(record -> "order");
    }

    @Test
    void whatIsRequiredIsNamedWithTheFix() {
        assertThatThrownBy(() -> Machines.by((Long record) -> record).uid("x").apply(records))
                .hasMessageContainingAll("event is required", "read out of a record");
        assertThatThrownBy(
                        () -> Machines.by((Long record) -> record).event(record -> "order").check())
                .hasMessageContainingAll("machine is required", "definition");
        assertThatThrownBy(
                        () ->
                                Machines.by((Long record) -> record)
                                        .machine(Orders.definition().build())
                                        .event(record -> "order")
                                        .apply(records))
                .hasMessageContaining("uid is required");
    }

    @Test
    void optionsOutOfRangeAreNamed() {
        for (Machines<Long, Long> wrong :
                List.of(
                        complete().slices(17),
                        complete().bitsPerMachine(1),
                        complete().errorProbability(0.2),
                        complete().errorProbability(0),
                        complete().errorProbability(Double.NaN),
                        complete().expecting(0))) {
            assertThatThrownBy(wrong::check).isInstanceOf(OptionException.class);
        }
        assertThatThrownBy(() -> complete().slices(17).check())
                .hasMessageContainingAll("slices", "16", "17");
    }

    @Test
    void whatMachinesTakeIsKnownBeforeAJobIsBuilt() {
        Machines<Long, Long> exact =
                Machines.by((Long record) -> record)
                        .machine(Orders.definition().build())
                        .expecting(1_000_000);

        // 7,813 machines in each of 128 key groups are in 16,384 slots of 12 bytes.
        assertThat(exact.sizing(1, 128).bytesNeeded()).isEqualTo(128 * 16_384 * 12);
        assertThat(exact.sizing(4, 128).bytesNeeded()).isEqualTo(32 * 16_384 * 12);
        assertThatThrownBy(() -> exact.expecting(0).sizing(1, 128))
                .isInstanceOf(OptionException.class);
    }

    @Test
    void whereNoEventIsLateNothingIsSaidOfLateOnes() {
        assertThatThrownBy(
                        () ->
                                complete()
                                        .timeDomain(TimeDomain.PROCESSING)
                                        .onLate(OnLate.drop())
                                        .check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("onLate(...) has no effect: in processing time");
    }

    @Test
    void aSuccessorMustBeAState() {
        assertThatThrownBy(() -> complete().renamed("open", "opened").check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("opened", "ordered, paid, shipped");
    }

    /** A restore after a failure reads what this operator wrote, and would move it once more. */
    @Test
    void aStateThatIsStillThereCannotBeRenamed() {
        assertThatThrownBy(() -> complete().renamed("ordered", "paid").check())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'ordered'", "still has", "Remove the call");
    }

    @Test
    void aFunctionThatCannotBeSerializedIsRefusedWithItsOption() {
        ReentrantLock lock = new ReentrantLock();
        Object notSerializable =
                new Object() {
                    @Override
                    public String toString() {
                        return lock.toString();
                    }
                };
        assertThatThrownBy(
                        () -> complete().event(record -> notSerializable.toString()).apply(records))
                .hasMessageContaining("the event's selector");
    }

    @Test
    void aConfigurationSetsTheOptions() {
        Configuration configuration = new Configuration();
        configuration.setString("sluice.machines.slices", "17");
        assertThatThrownBy(() -> complete().configure(configuration).check())
                .hasMessageContaining("17");
        configuration.setString("sluice.machines.slices", "4");
        configuration.setString("sluice.machines.emit", "FIRST;ILLEGAL");
        configuration.setString("sluice.machines.error-probability", "1e-3");
        configuration.setString("sluice.machines.expecting", "1000000");
        assertThat(complete().configure(configuration).sizing(1, 128).settings().kind())
                .isEqualTo(StoreKind.FINGERPRINTS);
        configuration.setString("sluice.machines.store", "EXACT");
        assertThat(complete().configure(configuration).sizing(1, 128).settings().kind())
                .isEqualTo(StoreKind.EXACT);
    }

    @Test
    void theBitsOfANamedFilterAreThoseOfTheErrorProbabilityUnlessTheyAreGiven() {
        Machines<Long, Long> filter = complete().store(StoreKind.KBF).errorProbability(1e-3);
        double bits = filter.sizing(1, 128).settings().bits();
        assertThat(bits).isBetween(40.0, 95.0);
        assertThat(filter.errorProbability(1e-6).sizing(1, 128).settings().bits())
                .isGreaterThan(bits);
        assertThat(filter.bitsPerMachine(64).sizing(1, 128).settings().bits()).isEqualTo(64);
    }

    @Test
    void withoutAnErrorProbabilityTheStoreIsTheExactOne() {
        assertThat(complete().expecting(10_000_000).sizing(1, 128).settings().kind())
                .isEqualTo(StoreKind.EXACT);
    }

    @Test
    void theOperatorHasItsUid() {
        assertThat(complete().apply(records).getTransformation().getUid()).isEqualTo("orders");
    }
}
