"""Buffers that a model changes in place: caches of keys and values."""

import pytest
import torch
from torch import nn

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values


class Cache(nn.Module):
    """Slices of a cache are written at given places, then all of it is read."""

    def __init__(self, dtype=torch.float16, heads=2, size=40, depth=64, how="index_copy"):
        super().__init__()
        self.register_buffer("kept", torch.zeros(1, heads, size, depth, dtype=dtype))
        self.how = how

    def forward(self, x, places):
        if self.how == "index_copy":
            self.kept.index_copy_(2, places, x)
        elif self.how == "index_put":
            self.kept[:, :, places] = x
        else:  # reads the old state, too
            old = self.kept.clone()
            self.kept.index_copy_(2, places, x)
            return old.float().sum(2) + self.kept.float().sum(2)
        return self.kept.float().sum(2)


def compiled(module, *inputs):
    return hx.compile(torch.export.export(module, inputs))


def names(model):
    return [record.kernel for record in model.last_run.launches]


@pytest.mark.parametrize(("dtype", "depth", "how"), [
    (torch.float16, 64, "index_copy"), (torch.float32, 33, "index_put"), (torch.bfloat16, 1, "index_copy"),
    (torch.float16, 20, "reads old")])
def test_values_and_state(dtype, depth, how):
    module = Cache(dtype, depth=depth, how=how)
    reference = Cache(dtype, depth=depth, how=how)
    x, places = torch.randn(1, 2, 3, depth).to(dtype), torch.tensor([4, 0, 39])
    model = compiled(module, x, places)
    address = module.kept.data_ptr()
    for step in range(3):
        x, places = x * -1.5, (places + 7 * step) % 40
        if how == "index_put":
            places = places - 40  # from the end
        torch.testing.assert_close(model(x, places), reference(x, places), rtol=1e-5, atol=1e-5)
        assert torch.equal(module.kept, reference.kept)
    assert module.kept.data_ptr() == address
    assert any("in_place" in name for name in names(model)) == (how != "reads old")


@pytest.mark.only_values(False)
def test_only_slices_move():
    """A cache of 4 MiB: a step moves no more than the slices, the code and the stack."""
    class Written(Cache):
        def forward(self, x, places):
            self.kept.index_copy_(2, places, x)
            return x + 1

    module = Written(torch.float16, heads=8, size=4096)
    x, places = torch.randn(1, 8, 1, 64).half(), torch.tensor([4000])
    model = compiled(module, x, places)
    model(x, places)
    assert model.last_run.ddr_bytes < 64 * 1024
    assert torch.equal(module.kept[:, :, 4000], x[:, :, 0]) and module.kept.count_nonzero() == x.count_nonzero()


def test_place_out_of_range_is_refused():
    x, places = torch.randn(1, 2, 1, 64).half(), torch.tensor([4])
    model = compiled(Cache(), x, places)
    for wrong in (40, -1):
        with pytest.raises(hx.HexError, match=r"index -?\d+ in 'places' is out of range"):
            model(x, torch.tensor([wrong]))


def test_saved_model_has_its_state(tmp_path):
    x, places = torch.randn(1, 2, 1, 64).half(), torch.tensor([4])
    module = Cache()
    model = compiled(module, x, places)
    model(x, places)
    model.save(tmp_path / "m")
    loaded = hx.load(tmp_path / "m")
    torch.testing.assert_close(loaded(x, places + 1), module.kept.float().sum(2) + x.float().sum(2))
    assert module.kept[:, :, 5].count_nonzero() == 0, "the saved model has a state of its own"


def test_linked_program_changes_the_state():
    class Written(Cache):
        def forward(self, x, places):
            self.kept.index_copy_(2, places, x)
            return x * 2

    module = Written(torch.int32, depth=7)
    x, places = torch.arange(14, dtype=torch.int32).reshape(1, 2, 1, 7), torch.tensor([11])
    model = compiled(module, x, places)
    text = model.binary().source
    assert text.count("memcpy") == 1 and "!=" in text, "the caller may pass one memory for the state before and after"
    assert torch.equal(model(x, places), x * 2)
    assert torch.equal(module.kept[:, :, 11], x[:, :, 0])
