/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** A cap that filters share: half of it in equal parts, half for whoever comes first. */
class MemoryBudgetTest {

    @Test
    void oneFilterMayHaveAllOfIt() {
        MemoryBudget budget = new MemoryBudget(100);
        MemoryBudget.Claim claim = budget.claim();
        assertThat(budget.maxBytes()).isEqualTo(100);
        assertThat(claim.maxBytes()).isEqualTo(100);
        assertThat(claim.available()).isEqualTo(100);
        assertThat(claim.tryReserve(101)).isFalse();
        assertThat(budget.reserved()).isZero();
        assertThat(claim.tryReserve(100)).isTrue();
        assertThat(budget.reserved()).isEqualTo(100);
        assertThat(budget.available()).isZero();
        assertThat(claim.tryReserve(1)).isFalse();
        assertThat(claim.tryReserve(0)).isTrue();
        claim.release(40);
        assertThat(budget.available()).isEqualTo(40);
        assertThat(claim.available()).isEqualTo(40);
    }

    /** Of 100 bytes and 5 filters each is sure of 10, and 50 are common. */
    @Test
    void aGreedyFilterTakesTheCommonHalfAndLeavesTheOthersTheirs() {
        MemoryBudget budget = new MemoryBudget(100, 5);
        MemoryBudget.Claim greedy = budget.claim();
        MemoryBudget.Claim other = budget.claim();
        assertThat(greedy.available()).isEqualTo(60);
        assertThat(greedy.tryReserve(61)).isFalse();
        assertThat(greedy.tryReserve(60)).isTrue();
        assertThat(greedy.available()).isZero();
        assertThat(other.available()).isEqualTo(10);
        assertThat(other.tryReserve(11)).isFalse();
        assertThat(other.tryReserve(10)).isTrue();
        greedy.release(15);
        assertThat(other.available()).isEqualTo(15);
        assertThat(greedy.available()).isEqualTo(15);
        assertThat(budget.reserved()).isEqualTo(55);
    }

    /** What is below the guaranteed part takes nothing from the common one. */
    @Test
    void theCommonPartIsTouchedOnlyBeyondTheGuaranteedOne() {
        MemoryBudget budget = new MemoryBudget(100, 5);
        MemoryBudget.Claim claim = budget.claim();
        assertThat(claim.tryReserve(7)).isTrue();
        assertThat(budget.claim().available()).isEqualTo(60);
        assertThat(claim.tryReserve(7)).isTrue();
        assertThat(budget.claim().available()).isEqualTo(56);
        claim.release(3);
        assertThat(budget.claim().available()).isEqualTo(59);
        claim.release(3);
        assertThat(budget.claim().available()).isEqualTo(60);
        claim.release(8);
        assertThat(budget.reserved()).isZero();
    }

    @Test
    void beyondTheCapAFilterIsGrantedItsEqualPartOnly() {
        MemoryBudget budget = new MemoryBudget(100, 2);
        MemoryBudget.Claim restored = budget.claim();
        restored.reserve(130);
        assertThat(budget.reserved()).isEqualTo(130);
        assertThat(budget.available()).isZero();
        assertThat(restored.available()).isZero();
        MemoryBudget.Claim other = budget.claim();
        assertThat(other.available()).isEqualTo(25);
        assertThat(other.tryReserve(26)).isFalse();
        assertThat(other.tryReserve(25)).isTrue();
        assertThat(other.available()).isZero();
        assertThat(budget.reserved()).isEqualTo(155);
        restored.release(60);
        assertThat(other.available()).isEqualTo(5);
        restored.release(70);
        assertThat(other.available()).isEqualTo(50);
    }

    @Test
    void aFilterAloneIsGrantedNothingBeyondTheCap() {
        MemoryBudget budget = new MemoryBudget(100);
        MemoryBudget.Claim restored = budget.claim();
        restored.reserve(130);
        assertThat(restored.available()).isZero();
        restored.release(40);
        assertThat(restored.available()).isEqualTo(10);
    }

    @Test
    void otherUsersGetOnlyTheCommonPart() {
        MemoryBudget budget = new MemoryBudget(100, 5);
        assertThat(budget.tryReserve(51)).isFalse();
        assertThat(budget.tryReserve(50)).isTrue();
        assertThat(budget.reserved()).isEqualTo(50);
        assertThat(budget.claim().available()).isEqualTo(10);
        assertThat(budget.tryReserve(1)).isFalse();
        budget.release(20);
        assertThat(budget.claim().available()).isEqualTo(30);
        assertThat(budget.tryReserve(20)).isTrue();
        budget.release(50);
        assertThat(budget.reserved()).isZero();
    }

    @Test
    void otherUsersGetNothingBeyondTheCap() {
        MemoryBudget budget = new MemoryBudget(100, 5);
        MemoryBudget.Claim claim = budget.claim();
        claim.reserve(60);
        assertThat(budget.tryReserve(1)).as("the common part is taken").isFalse();
        MemoryBudget full = new MemoryBudget(100);
        full.claim().reserve(99);
        assertThat(full.tryReserve(2)).isFalse();
        assertThat(full.tryReserve(1)).isTrue();
    }

    @Test
    void nobodyGivesBackWhatHeDoesNotHave() {
        MemoryBudget budget = new MemoryBudget(100, 2);
        MemoryBudget.Claim claim = budget.claim();
        claim.reserve(10);
        assertThatThrownBy(() -> claim.release(11)).hasMessageContaining("0 and the 10 reserved");
        assertThatThrownBy(() -> claim.release(-1)).isInstanceOf(IllegalArgumentException.class);
        claim.release(0);
        claim.release(10);
        assertThat(budget.tryReserve(5)).isTrue();
        assertThatThrownBy(() -> budget.release(6)).hasMessageContaining("0 and the 5 reserved");
        assertThatThrownBy(() -> budget.release(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> budget.tryReserve(-1)).hasMessageContaining("not be negative");
        budget.release(0);
        assertThat(budget.tryReserve(0)).isTrue();
        budget.release(5);
        assertThat(budget.reserved()).isZero();
    }

    @Test
    void refusesACapOfNothingAndAShareOfNobody() {
        assertThatThrownBy(() -> new MemoryBudget(0)).hasMessageContaining("maxBytes");
        assertThatThrownBy(() -> new MemoryBudget(1, 0)).hasMessageContaining("filters");
        assertThat(new MemoryBudget(1, 1).available()).isEqualTo(1);
    }
}
