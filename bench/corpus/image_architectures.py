"""Models of torchvision and timm with random weights, and images for them.

torchvision has no small configurations of most models: those are at their published widths with small images.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from bench.corpus.architectures import Made, declare_detection, with_statistics


def _torchvision(name: str, size: int = 32, **config: Any) -> Made:
    """``name`` of torchvision.models, for one image of ``size`` pixels; its first parameter is called x."""
    declare_detection()
    models = importlib.import_module("torchvision.models")
    return _with_statistics(getattr(models, name)(weights=None, num_classes=10, **config), size)


def _densenet() -> Made:
    declare_detection()
    kind = importlib.import_module("torchvision.models").DenseNet
    return _with_statistics(kind(8, (2, 2, 2, 2), 16, num_classes=10), 64)


def _vgg() -> Made:
    """The convolutions of VGG-11, and one linear layer for three, which have 120 million weights."""
    model, inputs = _torchvision("vgg11_bn")
    model.classifier = torch.nn.Linear(512 * 7 * 7, 10)
    return model, inputs


def _timm(name: str, size: int = 32, **config: Any) -> Made:
    """``name`` of timm, for one image of ``size`` pixels."""
    declare_detection()
    return _with_statistics(importlib.import_module("timm").create_model(name, pretrained=False, num_classes=10,
                                                                         **config), size)


def _mixer() -> Made:
    declare_detection()
    kind = importlib.import_module("timm.models.mlp_mixer").MlpMixer
    model = kind(num_classes=10, img_size=32, patch_size=8, embed_dim=64, num_blocks=2)
    torch.nn.init.normal_(model.head.weight)  # zero otherwise
    return model, _image(32)


def _with_statistics(model: torch.nn.Module, size: int) -> Made:
    """``model`` with statistics nearer to those of four images in its batch norms: its values would vanish without."""
    return with_statistics(model, 0.5, x=torch.randn(4, 3, size, size)), _image(size)


def _image(size: int) -> dict[str, torch.Tensor]:
    return {"x": torch.randn(1, 3, size, size)}


IMAGES: dict[str, Callable[[], Made]] = {
    "ResNet": partial(_torchvision, "resnet18"),
    "MobileNetV2": partial(_torchvision, "mobilenet_v2", width_mult=0.35),
    "MobileNetV3": partial(_torchvision, "mobilenet_v3_small"),
    "EfficientNet": partial(_torchvision, "efficientnet_b0"),
    "DenseNet": _densenet,
    "VGG": _vgg,
    "AlexNet": partial(_torchvision, "alexnet", 64),
    "GoogLeNet": partial(_torchvision, "googlenet", 64, aux_logits=False, init_weights=False),
    "RegNet": partial(_torchvision, "regnet_y_400mf"),
    "ShuffleNet": partial(_torchvision, "shufflenet_v2_x0_5"),
    "SqueezeNet": partial(_torchvision, "squeezenet1_1", 64),
    "MNASNet": partial(_torchvision, "mnasnet0_5"),
    "MaxViT": partial(_timm, "maxvit_rmlp_pico_rw_256", 64, img_size=64, depths=(1, 1), embed_dim=(32, 64)),
    "GhostNet": partial(_timm, "ghostnet_050"),
    "MLP-Mixer": _mixer,
    "PoolFormer": partial(_timm, "poolformer_s12", 64),
    "XCiT": partial(_timm, "xcit_nano_12_p8_224", img_size=32, embed_dim=64, depth=2, num_heads=4),
    "EdgeNeXt": partial(_timm, "edgenext_xx_small", 64),
}
"""How to make each model of torchvision and timm."""
