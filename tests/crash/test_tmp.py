from tests.crash.story import X
def test_a() -> None:
    assert X == 1
