"""Which programs of a list a test simulates."""

import pytest


@pytest.fixture
def sample(request):
    """``sample(programs, names)``: those called ``names``, one of each kind; all where ``-m`` names ``full``. For tests
    whose programs all run on the host, too: a compiled program takes the time of a dozen there.
    """
    if "full" in request.config.option.markexpr:
        return lambda programs, names: list(programs)

    def some(programs, names):
        by_name = {program.name: program for program in programs}
        return [by_name[name] for name in names]

    return some
