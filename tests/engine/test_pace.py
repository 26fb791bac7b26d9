"""What `konakis bench` measures is what the lights ask. How fast the answers come is for no test to judge."""

from engine import pace


def test_every_question_of_the_lights_is_put_and_timed() -> None:
    rows = pace.slowest_answers("tablut-edge")
    assert [row["question"] for row in rows] == [name for name, _ in pace.QUESTIONS]
    assert all(row["book"] == "tablut-edge" and row["ms"] > 0 for row in rows)


def test_a_rate_counts_what_was_done() -> None:
    done = []

    def work(size: int) -> int:
        done.append(size)
        return pace.loop(size)

    assert pace.rate_of(work, 1000, 0.01) > 0
    assert len(done) >= pace.RUNS
    assert done == sorted(done)
