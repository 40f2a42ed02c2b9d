"""Basics of tensors, buffers, vectors and loops, for `op_programs`.

``!`` and ``T`` are the type of an element, ``Sx!`` a shape of such: ``D`` are its dimensions, ``I`` as many indices.
``N`` is a number, other words in capitals are operations.
"""

TEMPLATES = {
    "tensor": {
        "fill": "func.func @f(%c: T, %x: tensor<Sx!>) -> tensor<Sx!> {\n %r = linalg.fill ins(%c : T) "
                "outs(%x : tensor<Sx!>) -> tensor<Sx!>\n return %r : tensor<Sx!>\n}",
        "copy": "func.func @f(%x: tensor<Sx!>, %y: tensor<Sx!>) -> tensor<Sx!> {\n %r = linalg.copy "
                "ins(%x : tensor<Sx!>) outs(%y : tensor<Sx!>) -> tensor<Sx!>\n return %r : tensor<Sx!>\n}",
        "itself": "func.func @f(%x: tensor<Sx!>) -> tensor<Sx!> {\n return %x : tensor<Sx!>\n}",
        "constant": "func.func @f() -> tensor<Sx!> {\n %r = arith.constant dense<N> : tensor<Sx!>\n "
                    "return %r : tensor<Sx!>\n}",
        "cast": "func.func @f(%x: tensor<Sx!>) -> tensor<*x!> {\n %r = tensor.cast %x : tensor<Sx!> to tensor<*x!>\n "
                "return %r : tensor<*x!>\n}",
        "matmul": "func.func @f(%x: tensor<?x3x!>, %y: tensor<3x0x!>, %z: tensor<?x0x!>) -> tensor<?x0x!> {\n %r = "
                  "linalg.matmul ins(%x, %y : tensor<?x3x!>, tensor<3x0x!>) outs(%z : tensor<?x0x!>) -> "
                  "tensor<?x0x!>\n return %r : tensor<?x0x!>\n}",
        "product": "func.func @f(%x: tensor<4x6x!>, %y: tensor<6x40x!>, %z: tensor<4x40x!>) -> tensor<4x40x!> {\n %r "
                   "= linalg.matmul ins(%x, %y : tensor<4x6x!>, tensor<6x40x!>) outs(%z : tensor<4x40x!>) -> "
                   "tensor<4x40x!>\n return %r : tensor<4x40x!>\n}",
        "transpose": "func.func @f(%x: tensor<2x?x!>, %y: tensor<?x2x!>) -> tensor<?x2x!> {\n %r = linalg.transpose "
                     "ins(%x : tensor<2x?x!>) outs(%y : tensor<?x2x!>) permutation = [1, 0]\n return %r : "
                     "tensor<?x2x!>\n}",
        "broadcast": "func.func @f(%x: tensor<!>, %y: tensor<1x0x!>) -> tensor<1x0x!> {\n %r = linalg.broadcast "
                     "ins(%x : tensor<!>) outs(%y : tensor<1x0x!>) dimensions = [0, 1]\n return %r : tensor<1x0x!>\n}",
        "pad": "func.func @f(%x: tensor<3x!>, %c: T) -> tensor<6x!> {\n %r = tensor.pad %x low[1] high[2] {\n ^bb0(%i: "
               "index):\n tensor.yield %c : T\n } : tensor<3x!> to tensor<6x!>\n return %r : tensor<6x!>\n}",
        "slice": "func.func @f(%x: tensor<8x!>, %n: index) -> tensor<?x!> {\n %r = tensor.extract_slice %x[1] [%n] [1] "
                 ": tensor<8x!> to tensor<?x!>\n return %r : tensor<?x!>\n}",
        "insert slice": "func.func @f(%x: tensor<2x!>, %y: tensor<8x!>) -> tensor<8x!> {\n %r = tensor.insert_slice %x "
                        "into %y[1] [2] [3] : tensor<2x!> into tensor<8x!>\n return %r : tensor<8x!>\n}",
        "element": "func.func @f(%x: tensor<8x!>, %n: index) -> T {\n %r = tensor.extract %x[%n] : tensor<8x!>\n "
                   "return %r : T\n}",
        "insert": "func.func @f(%x: tensor<8x!>, %c: T, %n: index) -> tensor<8x!> {\n %r = tensor.insert %c into "
                  "%x[%n] : tensor<8x!>\n return %r : tensor<8x!>\n}",
        "elements": "func.func @f(%c: T) -> tensor<2x!> {\n %r = tensor.from_elements %c, %c : tensor<2x!>\n "
                    "return %r : tensor<2x!>\n}",
        "splat": "func.func @f(%c: T) -> tensor<3x!> {\n %r = tensor.splat %c : tensor<3x!>\n return %r : "
                 "tensor<3x!>\n}",
        "generate": "func.func @f(%c: T, %n: index) -> tensor<?x!> {\n %r = tensor.generate %n {\n ^bb0(%i: index):\n "
                    "tensor.yield %c : T\n } : tensor<?x!>\n return %r : tensor<?x!>\n}",
        "expand": "func.func @f(%x: tensor<6x!>) -> tensor<2x3x!> {\n %r = tensor.expand_shape %x [[0, 1]] "
                  "output_shape [2, 3] : tensor<6x!> into tensor<2x3x!>\n return %r : tensor<2x3x!>\n}",
        "collapse": "func.func @f(%x: tensor<0x3x!>) -> tensor<0x!> {\n %r = tensor.collapse_shape %x [[0, 1]] : "
                    "tensor<0x3x!> into tensor<0x!>\n return %r : tensor<0x!>\n}",
        "concat": "func.func @f(%x: tensor<2x!>) -> tensor<4x!> {\n %r = tensor.concat dim(0) %x, %x : (tensor<2x!>, "
                  "tensor<2x!>) -> tensor<4x!>\n return %r : tensor<4x!>\n}",
        "size": "func.func @f(%x: tensor<?x!>) -> index {\n %c = arith.constant 0 : index\n %r = tensor.dim %x, %c : "
                "tensor<?x!>\n return %r : index\n}",
        "loop": "func.func @f(%x: tensor<8x!>, %c: T, %n: index) -> tensor<8x!> {\n %0 = arith.constant 0 : index\n %1 "
                "= arith.constant 1 : index\n %r = scf.for %i = %0 to %n step %1 iter_args(%t = %x) -> (tensor<8x!>) "
                "{\n %u = tensor.insert %c into %t[%i] : tensor<8x!>\n scf.yield %u : tensor<8x!>\n }\n return %r : "
                "tensor<8x!>\n}",
        "branch": "func.func @f(%x: tensor<8x!>, %y: tensor<8x!>, %p: i1) -> tensor<8x!> {\n %r = scf.if %p -> "
                  "(tensor<8x!>) {\n scf.yield %x : tensor<8x!>\n } else {\n scf.yield %y : tensor<8x!>\n }\n return "
                  "%r : tensor<8x!>\n}",
        "forall": "func.func @f(%x: tensor<8x!>, %c: T) -> tensor<8x!> {\n %r = scf.forall (%i) in (8) "
                  "shared_outs(%t = %x) -> (tensor<8x!>) {\n %e = tensor.splat %c : tensor<1x!>\n "
                  "scf.forall.in_parallel {\n tensor.parallel_insert_slice %e into %t[%i] [1] [1] : tensor<1x!> into "
                  "tensor<8x!>\n }\n }\n return %r : tensor<8x!>\n}",
        "sum of nothing": "func.func @f(%x: tensor<4x0x!>, %y: tensor<4x!>) -> tensor<4x!> {\n %r = linalg.reduce { "
                          "ADD } ins(%x : tensor<4x0x!>) outs(%y : tensor<4x!>) dimensions = [1]\n return %r : "
                          "tensor<4x!>\n}",
        "sum": "func.func @f(%x: tensor<4x?x!>, %y: tensor<4x!>) -> tensor<4x!> {\n %r = linalg.reduce { ADD } ins(%x "
               ": tensor<4x?x!>) outs(%y : tensor<4x!>) dimensions = [1]\n return %r : tensor<4x!>\n}",
        "total": "func.func @f(%x: tensor<3x40x!>, %y: tensor<!>) -> tensor<!> {\n %r = linalg.reduce { ADD } ins(%x "
                 ": tensor<3x40x!>) outs(%y : tensor<!>) dimensions = [0, 1]\n return %r : tensor<!>\n}",
        "softmax": "func.func @f(%x: tensor<2x40x!>, %y: tensor<2x40x!>) -> tensor<2x40x!> {\n %r = linalg.softmax "
                   "dimension(1) ins(%x : tensor<2x40x!>) outs(%y : tensor<2x40x!>) -> tensor<2x40x!>\n return %r : "
                   "tensor<2x40x!>\n}",
        "named":
                "func.func @f(%x: tensor<Sx!>, %y: tensor<Sx!>, %z: tensor<Sx!>) -> tensor<Sx!> {\n %r = "
                "linalg.NAMED ins(%x, %y : tensor<Sx!>, tensor<Sx!>) outs(%z : tensor<Sx!>) -> tensor<Sx!>\n return "
                "%r : tensor<Sx!>\n}",
        "map":
                "func.func @f(%x: tensor<Sx!>, %y: tensor<Sx!>) -> tensor<Sx!> {\n %r = linalg.map { ADD } ins(%x, "
                "%x : tensor<Sx!>, tensor<Sx!>) outs(%y : tensor<Sx!>)\n return %r : tensor<Sx!>\n}",
        "dot":
                "func.func @f(%x: tensor<40x!>, %y: tensor<40x!>, %z: tensor<!>) -> tensor<!> {\n %r = linalg.dot "
                "ins(%x, %y : tensor<40x!>, tensor<40x!>) outs(%z : tensor<!>) -> tensor<!>\n return %r : "
                "tensor<!>\n}",
        "matvec":
                "func.func @f(%x: tensor<4x?x!>, %y: tensor<?x!>, %z: tensor<4x!>) -> tensor<4x!> {\n %r = "
                "linalg.matvec ins(%x, %y : tensor<4x?x!>, tensor<?x!>) outs(%z : tensor<4x!>) -> tensor<4x!>\n "
                "return %r : tensor<4x!>\n}",
        "batch matmul":
                "func.func @f(%x: tensor<2x4x6x!>, %y: tensor<2x6x40x!>, %z: tensor<2x4x40x!>) -> tensor<2x4x40x!> "
                "{\n %r = linalg.batch_matmul ins(%x, %y : tensor<2x4x6x!>, tensor<2x6x40x!>) outs(%z : "
                "tensor<2x4x40x!>) -> tensor<2x4x40x!>\n return %r : tensor<2x4x40x!>\n}",
        "convolution":
                "func.func @f(%x: tensor<1x6x6x4x!>, %y: tensor<3x3x4x8x!>, %z: tensor<1x4x4x8x!>) -> "
                "tensor<1x4x4x8x!> {\n %r = linalg.conv_2d_nhwc_hwcf ins(%x, %y : tensor<1x6x6x4x!>, "
                "tensor<3x3x4x8x!>) outs(%z : tensor<1x4x4x8x!>) -> tensor<1x4x4x8x!>\n return %r : "
                "tensor<1x4x4x8x!>\n}",
        "depthwise":
                "func.func @f(%x: tensor<1x6x6x40x!>, %y: tensor<3x3x40x!>, %z: tensor<1x4x4x40x!>) -> "
                "tensor<1x4x4x40x!> {\n %r = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %y : tensor<1x6x6x40x!>, "
                "tensor<3x3x40x!>) outs(%z : tensor<1x4x4x40x!>) -> tensor<1x4x4x40x!>\n return %r : "
                "tensor<1x4x4x40x!>\n}",
        "pooling":
                "func.func @f(%x: tensor<1x6x6x40x!>, %y: tensor<3x3x!>, %z: tensor<1x4x4x40x!>) -> "
                "tensor<1x4x4x40x!> {\n %r = linalg.pooling_nhwc_max ins(%x, %y : tensor<1x6x6x40x!>, tensor<3x3x!>) "
                "outs(%z : tensor<1x4x4x40x!>) -> tensor<1x4x4x40x!>\n return %r : tensor<1x4x4x40x!>\n}",
        "pooled sum":
                "func.func @f(%x: tensor<1x40x6x6x!>, %y: tensor<3x3x!>, %z: tensor<1x40x4x4x!>) -> "
                "tensor<1x40x4x4x!> {\n %r = linalg.pooling_nchw_sum ins(%x, %y : tensor<1x40x6x6x!>, tensor<3x3x!>) "
                "outs(%z : tensor<1x40x4x4x!>) -> tensor<1x40x4x4x!>\n return %r : tensor<1x40x4x4x!>\n}",
        "packed":
                "func.func @f(%x: tensor<8x40x!>, %y: tensor<2x10x4x4x!>) -> tensor<2x10x4x4x!> {\n %r = linalg.pack "
                "%x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %y : tensor<8x40x!> -> tensor<2x10x4x4x!>\n "
                "return %r : tensor<2x10x4x4x!>\n}",
        "unpacked":
                "func.func @f(%x: tensor<2x10x4x4x!>, %y: tensor<8x40x!>) -> tensor<8x40x!> {\n %r = linalg.unpack "
                "%x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %y : tensor<2x10x4x4x!> -> tensor<8x40x!>\n "
                "return %r : tensor<8x40x!>\n}",
        "reshape":
                "func.func @f(%x: tensor<6x!>, %s: tensor<2xi32>) -> tensor<?x?x!> {\n %r = tensor.reshape %x(%s) : "
                "(tensor<6x!>, tensor<2xi32>) -> tensor<?x?x!>\n return %r : tensor<?x?x!>\n}",
        "table":
                "func.func @f(%t: tensor<40x!>, %i: tensor<64xi32>, %z: tensor<64x!>) -> tensor<64x!> {\n %r = "
                "linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = "
                "[\"parallel\"]} ins(%i : tensor<64xi32>) outs(%z : tensor<64x!>) {\n ^bb0(%a: i32, %b: T):\n %k = "
                "arith.index_cast %a : i32 to index\n %e = tensor.extract %t[%k] : tensor<40x!>\n linalg.yield %e : "
                "T\n } -> tensor<64x!>\n return %r : tensor<64x!>\n}",
        "alloc tensor":
                "func.func @f(%x: tensor<Sx!>) -> tensor<Sx!> {\n %r = bufferization.alloc_tensor() copy(%x) "
                "{memory_space = 1 : i64} : tensor<Sx!>\n return %r : tensor<Sx!>\n}",
        "two results":
                "func.func @f(%x: tensor<Sx!>) -> (tensor<Sx!>, tensor<Sx!>) {\n return %x, %x : tensor<Sx!>, "
                "tensor<Sx!>\n}",
        "call":
                "func.func private @g(%x: tensor<Sx!>) -> tensor<Sx!> {\n return %x : tensor<Sx!>\n}\nfunc.func "
                "@f(%x: tensor<Sx!>) -> tensor<Sx!> {\n %r = func.call @g(%x) : (tensor<Sx!>) -> tensor<Sx!>\n "
                "return %r : tensor<Sx!>\n}",
        "while":
                "func.func @f(%x: tensor<8x!>, %p: i1) -> tensor<8x!> {\n %r = scf.while (%a = %x) : (tensor<8x!>) "
                "-> tensor<8x!> {\n scf.condition(%p) %a : tensor<8x!>\n } do {\n ^bb0(%b: tensor<8x!>):\n scf.yield "
                "%b : tensor<8x!>\n }\n return %r : tensor<8x!>\n}",
        "switch":
                "func.func @f(%x: tensor<8x!>, %y: tensor<8x!>, %n: index) -> tensor<8x!> {\n %r = scf.index_switch "
                "%n -> tensor<8x!>\n case 1 {\n scf.yield %x : tensor<8x!>\n }\n default {\n scf.yield %y : "
                "tensor<8x!>\n }\n return %r : tensor<8x!>\n}",
        "poison":
                "func.func @f() -> tensor<Sx!> {\n %r = ub.poison : tensor<Sx!>\n return %r : tensor<Sx!>\n}",
        "arg max":
                "func.func @f(%x: tensor<4x40x!>, %y: tensor<4x!>, %z: tensor<4xi32>) -> (tensor<4x!>, "
                "tensor<4xi32>) {\n %r:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, "
                "affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>], iterator_types = [\"parallel\", "
                "\"reduction\"]} ins(%x : tensor<4x40x!>) outs(%y, %z : tensor<4x!>, tensor<4xi32>) {\n ^bb0(%a: T, "
                "%b: T, %c: i32):\n %i = linalg.index 1 : index\n %j = arith.index_cast %i : index to i32\n %p = "
                "GREATER, %a, %b : T\n %u = arith.select %p, %a, %b : T\n %v = arith.select %p, %j, %c : i32\n "
                "linalg.yield %u, %v : T, i32\n } -> (tensor<4x!>, tensor<4xi32>)\n return %r#0, %r#1 : tensor<4x!>, "
                "tensor<4xi32>\n}",
    },
    "buffer": {
        "fill": "func.func @f(%c: T, %x: memref<Sx!>) {\n linalg.fill ins(%c : T) outs(%x : memref<Sx!>)\n return\n}",
        "copy": "func.func @f(%x: memref<Sx!>, %y: memref<Sx!>) {\n memref.copy %x, %y : memref<Sx!> to memref<Sx!>\n "
                "return\n}",
        "linalg copy": "func.func @f(%x: memref<Sx!>, %y: memref<Sx!>) {\n linalg.copy ins(%x : memref<Sx!>) outs(%y : "
                       "memref<Sx!>)\n return\n}",
        "unused": "func.func @f(%x: memref<Sx!>) {\n return\n}",
        "result": "func.func @f(%x: memref<Sx!>) -> memref<Sx!> {\n return %x : memref<Sx!>\n}",
        "allocated": "func.func @f(%c: T, %n: index) {\n %a = memref.alloc(%n) : memref<?x!>\n %0 = arith.constant 0 : "
                     "index\n memref.store %c, %a[%0] : memref<?x!>\n memref.dealloc %a : memref<?x!>\n return\n}",
        "empty": "func.func @f(%x: memref<0x!>) {\n %a = memref.alloc() : memref<0x!>\n memref.copy %a, %x : "
                 "memref<0x!> to memref<0x!>\n memref.dealloc %a : memref<0x!>\n return\n}",
        "tcm": "func.func @f(%x: memref<40x!>) {\n %a = memref.alloc() : memref<40x!, 1>\n memref.copy %x, %a : "
               "memref<40x!> to memref<40x!, 1>\n memref.copy %a, %x : memref<40x!, 1> to memref<40x!>\n return\n}",
        "stack": "func.func @f(%c: T) {\n %a = memref.alloca() : memref<!>\n memref.store %c, %a[] : memref<!>\n "
                 "return\n}",
        "element": "func.func @f(%x: memref<Sx!>) -> T {\n %0 = arith.constant 0 : index\n %r = memref.load %x[I] : "
                   "memref<Sx!>\n return %r : T\n}",
        "view": "func.func @f(%x: memref<8x!>, %y: memref<?x!>, %n: index) {\n %v = memref.subview %x[1] [%n] [1] : "
                "memref<8x!> to memref<?x!, strided<[1], offset: 1>>\n memref.copy %v, %y : memref<?x!, strided<[1], "
                "offset: 1>> to memref<?x!>\n return\n}",
        "every second": "func.func @f(%x: memref<80x!>, %y: memref<40x!>) {\n %v = memref.subview %x[0] [40] [2] : "
                        "memref<80x!> to memref<40x!, strided<[2]>>\n linalg.copy ins(%v : memref<40x!, strided<[2]>>) "
                        "outs(%y : memref<40x!>)\n return\n}",
        "cast": "func.func @f(%x: memref<8x!>) {\n %v = memref.cast %x : memref<8x!> to memref<*x!>\n return\n}",
        "collapse": "func.func @f(%x: memref<1x3x!>, %c: T) {\n %v = memref.collapse_shape %x [[0, 1]] : "
                    "memref<1x3x!> into memref<3x!>\n linalg.fill ins(%c : T) outs(%v : memref<3x!>)\n return\n}",
        "transposed": "func.func @f(%x: memref<3x5x!>, %y: memref<5x3x!>) {\n %v = memref.transpose %x (i, j) -> (j, "
                      "i) : memref<3x5x!> to memref<5x3x!, strided<[1, 5]>>\n memref.copy %v, %y : memref<5x3x!, "
                      "strided<[1, 5]>> to memref<5x3x!>\n return\n}",
        "global": "memref.global \"private\" constant @g : memref<3x!> = dense<N>\nfunc.func @f(%x: memref<3x!>) {\n "
                  "%g = memref.get_global @g : memref<3x!>\n memref.copy %g, %x : memref<3x!> to memref<3x!>\n "
                  "return\n}",
        "sum": "func.func @f(%x: memref<Sx!>, %y: memref<!>) {\n linalg.generic {indexing_maps = [affine_map<(D) -> "
               "(D)>, affine_map<(D) -> ()>], iterator_types = [REDUCTIONS]} ins(%x : memref<Sx!>) outs(%y : "
               "memref<!>) {\n ^bb0(%a: T, %b: T):\n %r = ADD %a, %b : T\n linalg.yield %r : T\n }\n return\n}",
        "largest": "func.func @f(%x: memref<4x?x!>, %y: memref<4x!>) {\n linalg.generic {indexing_maps = "
                   "[affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = [\"parallel\", "
                   "\"reduction\"]} ins(%x : memref<4x?x!>) outs(%y : memref<4x!>) {\n ^bb0(%a: T, %b: T):\n %r = MAX "
                   "%a, %b : T\n linalg.yield %r : T\n }\n return\n}",
        "matmul": "func.func @f(%x: memref<4x6x!>, %y: memref<6x40x!>, %z: memref<4x40x!>) {\n linalg.matmul ins(%x, "
                  "%y : memref<4x6x!>, memref<6x40x!>) outs(%z : memref<4x40x!>)\n return\n}",
        "no matmul": "func.func @f(%x: memref<4x0x!>, %y: memref<0x40x!>, %z: memref<4x40x!>) {\n linalg.matmul ins(%x,"
                     " %y : memref<4x0x!>, memref<0x40x!>) outs(%z : memref<4x40x!>)\n return\n}",
        "loop": "func.func @f(%c: T, %n: index) -> T {\n %0 = arith.constant 0 : index\n %1 = arith.constant 1 : "
                "index\n %r = scf.for %i = %0 to %n step %1 iter_args(%t = %c) -> (T) {\n %u = ADD %t, %c : T\n "
                "scf.yield %u : T\n }\n return %r : T\n}",
        "while": "func.func @f(%c: T, %p: i1) -> T {\n %r = scf.while (%a = %c) : (T) -> T {\n scf.condition(%p) %a : "
                 "T\n } do {\n ^bb0(%b: T):\n scf.yield %b : T\n }\n return %r : T\n}",
        "branch": "func.func @f(%c: T, %p: i1, %x: memref<1x!>) {\n %0 = arith.constant 0 : index\n scf.if %p {\n "
                  "memref.store %c, %x[%0] : memref<1x!>\n }\n return\n}",
        "forall": "func.func @f(%c: T, %x: memref<8x!>) {\n scf.forall (%i) in (8) {\n memref.store %c, %x[%i] : "
                  "memref<8x!>\n }\n return\n}",
        "parallel": "func.func @f(%c: T, %x: memref<8x!>) {\n %0 = arith.constant 0 : index\n %1 = arith.constant 1 : "
                    "index\n %8 = arith.constant 8 : index\n scf.parallel (%i) = (%0) to (%8) step (%1) {\n "
                    "memref.store %c, %x[%i] : memref<8x!>\n scf.reduce\n }\n return\n}",
        "vector": "func.func @f(%x: memref<64x!>, %y: memref<64x!>) {\n %0 = arith.constant 0 : index\n %v = "
                  "vector.load %x[%0] : memref<64x!>, vector<64x!>\n vector.store %v, %y[%0] : memref<64x!>, "
                  "vector<64x!>\n return\n}",
        "transfer": "func.func @f(%x: memref<?x!>, %y: memref<?x!>, %c: T) {\n %0 = arith.constant 0 : index\n %v = "
                    "vector.transfer_read %x[%0], %c : memref<?x!>, vector<40x!>\n vector.transfer_write %v, %y[%0] : "
                    "vector<40x!>, memref<?x!>\n return\n}",
        "vector sum": "func.func @f(%x: vector<33x!>) -> T {\n %r = vector.reduction <add>, %x : vector<33x!> into T\n "
                      "return %r : T\n}",
        "vector of one": "func.func @f(%c: T) -> vector<1x!> {\n %r = vector.broadcast %c : T to vector<1x!>\n return "
                         "%r : vector<1x!>\n}",
        "call": "func.func private @g(%x: memref<2x!>) {\n return\n}\nfunc.func @f(%x: memref<2x!>) {\n func.call "
                "@g(%x) : (memref<2x!>) -> ()\n return\n}",
        "external": "func.func private @g(T)\nfunc.func @f(%c: T) {\n func.call @g(%c) : (T) -> ()\n return\n}",
        "strided":
                "func.func @f(%x: memref<4x40x!, strided<[?, ?], offset: ?>>, %y: memref<4x40x!>) {\n linalg.generic "
                "{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = "
                "[\"parallel\", \"parallel\"]} ins(%x : memref<4x40x!, strided<[?, ?], offset: ?>>) outs(%y : "
                "memref<4x40x!>) {\n ^bb0(%a: T, %b: T):\n %r = ADD %a, %b : T\n linalg.yield %r : T\n }\n return\n}",
        "every third":
                "func.func @f(%x: memref<40x!, strided<[3]>>, %y: memref<40x!, strided<[3], offset: 1>>) {\n "
                "linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = "
                "[\"parallel\"]} ins(%x : memref<40x!, strided<[3]>>) outs(%y : memref<40x!, strided<[3], offset: "
                "1>>) {\n ^bb0(%a: T, %b: T):\n %r = ADD %a, %b : T\n linalg.yield %r : T\n }\n return\n}",
        "turned":
                "func.func @f(%x: memref<40x36x!>, %y: memref<36x40x!>) {\n linalg.generic {indexing_maps = "
                "[affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>], iterator_types = [\"parallel\", "
                "\"parallel\"]} ins(%x : memref<40x36x!>) outs(%y : memref<36x40x!>) {\n ^bb0(%a: T, %b: T):\n %r = "
                "ADD %a, %b : T\n linalg.yield %r : T\n }\n return\n}",
        "backwards":
                "func.func @f(%x: memref<40x!>, %y: memref<40x!>) {\n linalg.generic {indexing_maps = "
                "[affine_map<(a) -> (39 - a)>, affine_map<(a) -> (a)>], iterator_types = [\"parallel\"]} ins(%x : "
                "memref<40x!>) outs(%y : memref<40x!>) {\n ^bb0(%a: T, %b: T):\n linalg.yield %a : T\n }\n return\n}",
        "windows":
                "func.func @f(%x: memref<44x!>, %y: memref<5x!>, %z: memref<40x!>) {\n linalg.generic {indexing_maps "
                "= [affine_map<(a, b) -> (a + b)>, affine_map<(a, b) -> (b)>, affine_map<(a, b) -> (a)>], "
                "iterator_types = [\"parallel\", \"reduction\"]} ins(%x, %y : memref<44x!>, memref<5x!>) outs(%z : "
                "memref<40x!>) {\n ^bb0(%a: T, %b: T, %c: T):\n %m = ADD %a, %b : T\n %r = ADD %m, %c : T\n "
                "linalg.yield %r : T\n }\n return\n}",
        "short rows":
                "func.func @f(%x: memref<64x3x!>, %y: memref<64x!>, %z: memref<64x3x!>) {\n linalg.generic "
                "{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, "
                "b)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%x, %y : memref<64x3x!>, memref<64x!>) "
                "outs(%z : memref<64x3x!>) {\n ^bb0(%a: T, %b: T, %c: T):\n %m = ADD %a, %b : T\n linalg.yield %m : "
                "T\n }\n return\n}",
        "sums of short rows":
                "func.func @f(%x: memref<64x4x!>, %y: memref<64x!>) {\n linalg.generic {indexing_maps = "
                "[affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = [\"parallel\", "
                "\"reduction\"]} ins(%x : memref<64x4x!>) outs(%y : memref<64x!>) {\n ^bb0(%a: T, %b: T):\n %r = ADD "
                "%a, %b : T\n linalg.yield %r : T\n }\n return\n}",
        "sums of columns":
                "func.func @f(%x: memref<9x70x!>, %y: memref<70x!>) {\n linalg.generic {indexing_maps = "
                "[affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a)>], iterator_types = [\"parallel\", "
                "\"reduction\"]} ins(%x : memref<9x70x!>) outs(%y : memref<70x!>) {\n ^bb0(%a: T, %b: T):\n %r = ADD "
                "%a, %b : T\n linalg.yield %r : T\n }\n return\n}",
        "two sums":
                "func.func @f(%x: memref<70x!>, %y: memref<!>, %z: memref<!>) {\n linalg.generic {indexing_maps = "
                "[affine_map<(a) -> (a)>, affine_map<(a) -> ()>, affine_map<(a) -> ()>], iterator_types = "
                "[\"reduction\"]} ins(%x : memref<70x!>) outs(%y, %z : memref<!>, memref<!>) {\n ^bb0(%a: T, %b: T, "
                "%c: T):\n %r = ADD %a, %b : T\n %q = MAX %a, %c : T\n linalg.yield %r, %q : T, T\n }\n return\n}",
        "index":
                "func.func @f(%x: memref<4x40x!>, %c: T, %d: T) {\n %k = arith.constant 3 : index\n linalg.generic "
                "{indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = [\"parallel\", \"parallel\"]} "
                "outs(%x : memref<4x40x!>) {\n ^bb0(%a: T):\n %i = linalg.index 0 : index\n %j = linalg.index 1 : "
                "index\n %n = arith.muli %i, %k : index\n %p = arith.cmpi slt, %n, %j : index\n %r = arith.select "
                "%p, %c, %d : T\n linalg.yield %r : T\n }\n return\n}",
        "mapped":
                "func.func @f(%t: memref<40x!>, %i: memref<64xi32>, %z: memref<64x!>) {\n linalg.generic "
                "{indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = [\"parallel\"]} "
                "ins(%i : memref<64xi32>) outs(%z : memref<64x!>) {\n ^bb0(%a: i32, %b: T):\n %k = arith.index_cast "
                "%a : i32 to index\n %e = memref.load %t[%k] : memref<40x!>\n linalg.yield %e : T\n }\n return\n}",
        "expanded":
                "func.func @f(%x: memref<?x!>, %n: index, %c: T) {\n %v = memref.expand_shape %x [[0, 1]] "
                "output_shape [%n, 4] : memref<?x!> into memref<?x4x!>\n linalg.fill ins(%c : T) outs(%v : "
                "memref<?x4x!>)\n return\n}",
        "seen as":
                "func.func @f(%x: memref<8x!>, %n: index, %c: T) {\n %v = memref.reinterpret_cast %x to offset: "
                "[%n], sizes: [2, %n], strides: [4, 1] : memref<8x!> to memref<2x?x!, strided<[4, 1], offset: ?>>\n "
                "linalg.fill ins(%c : T) outs(%v : memref<2x?x!, strided<[4, 1], offset: ?>>)\n return\n}",
        "atomic":
                "func.func @f(%x: memref<8x!>, %c: T, %n: index) {\n %r = memref.atomic_rmw assign %c, %x[%n] : (T, "
                "memref<8x!>) -> T\n return\n}",
        "generic atomic":
                "func.func @f(%x: memref<8x!>, %c: T, %n: index) {\n %r = memref.generic_atomic_rmw %x[%n] : "
                "memref<8x!> {\n ^bb0(%a: T):\n memref.atomic_yield %a : T\n }\n return\n}",
        "reallocated":
                "func.func @f(%n: index) {\n %a = memref.alloc() : memref<8x!>\n %b = memref.realloc %a(%n) : "
                "memref<8x!> to memref<?x!>\n memref.dealloc %b : memref<?x!>\n return\n}",
        "size":
                "func.func @f(%x: memref<?x!>) -> index {\n %c = arith.constant 0 : index\n %r = memref.dim %x, %c : "
                "memref<?x!>\n return %r : index\n}",
        "rank":
                "func.func @f(%x: memref<*x!>) -> index {\n %r = memref.rank %x : memref<*x!>\n return %r : index\n}",
        "aligned":
                "func.func @f(%x: memref<64x!>, %y: memref<64x!>) {\n %a = memref.assume_alignment %x, 128 : "
                "memref<64x!>\n memref.copy %a, %y : memref<64x!> to memref<64x!>\n return\n}",
        "prefetched":
                "func.func @f(%x: memref<64x!>, %n: index) {\n memref.prefetch %x[%n], read, locality<3>, data : "
                "memref<64x!>\n return\n}",
        "dma":
                "func.func @f(%x: memref<64x!>) {\n %0 = arith.constant 0 : index\n %64 = arith.constant 64 : "
                "index\n %a = memref.alloc() : memref<64x!, 1>\n %t = memref.alloc() : memref<1xi32>\n "
                "memref.dma_start %x[%0], %a[%0], %64, %t[%0] : memref<64x!>, memref<64x!, 1>, memref<1xi32>\n "
                "memref.dma_wait %t[%0], %64 : memref<1xi32>\n memref.dealloc %a : memref<64x!, 1>\n memref.dealloc "
                "%t : memref<1xi32>\n return\n}",
        "affine":
                "func.func @f(%x: memref<64x!>, %c: T) {\n affine.for %i = 0 to 64 {\n affine.store %c, %x[%i] : "
                "memref<64x!>\n }\n return\n}",
        "blocks":
                "func.func @f(%c: T, %p: i1) -> T {\n cf.cond_br %p, ^a(%c : T), ^b\n^a(%d: T):\n return %d : "
                "T\n^b:\n cf.br ^a(%c : T)\n}",
        "parallel sum":
                "func.func @f(%c: T, %n: index) -> T {\n %0 = arith.constant 0 : index\n %1 = arith.constant 1 : "
                "index\n %r = scf.parallel (%i) = (%0) to (%n) step (%1) init (%c) -> T {\n scf.reduce(%c : T) {\n "
                "^bb0(%a: T, %b: T):\n %s = ADD %a, %b : T\n scf.reduce.return %s : T\n }\n }\n return %r : T\n}",
        "masked load":
                "func.func @f(%x: memref<64x!>, %n: index, %p: vector<32x!>) -> vector<32x!> {\n %m = "
                "vector.create_mask %n : vector<32xi1>\n %r = vector.maskedload %x[%n], %m, %p : memref<64x!>, "
                "vector<32xi1>, vector<32x!> into vector<32x!>\n return %r : vector<32x!>\n}",
        "masked store":
                "func.func @f(%x: memref<64x!>, %n: index, %v: vector<32x!>) {\n %m = vector.create_mask %n : "
                "vector<32xi1>\n vector.maskedstore %x[%n], %m, %v : memref<64x!>, vector<32xi1>, vector<32x!>\n "
                "return\n}",
        "vector gather":
                "func.func @f(%x: memref<64x!>, %n: index, %i: vector<32xi32>, %m: vector<32xi1>, %p: vector<32x!>) "
                "-> vector<32x!> {\n %r = vector.gather %x[%n] [%i], %m, %p : memref<64x!>, vector<32xi32>, "
                "vector<32xi1>, vector<32x!> into vector<32x!>\n return %r : vector<32x!>\n}",
        "vector scatter":
                "func.func @f(%x: memref<64x!>, %n: index, %i: vector<32xi32>, %m: vector<32xi1>, %p: vector<32x!>) "
                "{\n vector.scatter %x[%n] [%i], %m, %p : memref<64x!>, vector<32xi32>, vector<32xi1>, "
                "vector<32x!>\n return\n}",
        "vector element":
                "func.func @f(%v: vector<32x!>, %n: index) -> T {\n %r = vector.extract %v[%n] : T from "
                "vector<32x!>\n return %r : T\n}",
        "vector insert":
                "func.func @f(%v: vector<32x!>, %c: T) -> vector<32x!> {\n %r = vector.insert %c, %v[3] : T into "
                "vector<32x!>\n return %r : vector<32x!>\n}",
        "vector shuffle":
                "func.func @f(%v: vector<4x!>) -> vector<4x!> {\n %r = vector.shuffle %v, %v [3, 2, 1, 0] : "
                "vector<4x!>, vector<4x!>\n return %r : vector<4x!>\n}",
        "vector transpose":
                "func.func @f(%v: vector<2x32x!>) -> vector<32x2x!> {\n %r = vector.transpose %v, [1, 0] : "
                "vector<2x32x!> to vector<32x2x!>\n return %r : vector<32x2x!>\n}",
        "vector shape":
                "func.func @f(%v: vector<2x32x!>) -> vector<64x!> {\n %r = vector.shape_cast %v : vector<2x32x!> to "
                "vector<64x!>\n return %r : vector<64x!>\n}",
        "vector rows":
                "func.func @f(%v: vector<2x32x!>, %a: vector<2x!>) -> vector<2x!> {\n %r = vector.multi_reduction "
                "<add>, %v, %a [1] : vector<2x32x!> to vector<2x!>\n return %r : vector<2x!>\n}",
        "vector product":
                "func.func @f(%a: vector<4x6x!>, %b: vector<6x32x!>, %c: vector<4x32x!>) -> vector<4x32x!> {\n %r = "
                "vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, "
                "affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], "
                "kind = #vector.kind<add>} %a, %b, %c : vector<4x6x!>, vector<6x32x!> into vector<4x32x!>\n return "
                "%r : vector<4x32x!>\n}",
        "vector fma":
                "func.func @f(%a: vector<32x!>) -> vector<32x!> {\n %r = vector.fma %a, %a, %a : vector<32x!>\n "
                "return %r : vector<32x!>\n}",
        "vector constant":
                "func.func @f(%x: memref<40x!>) {\n %0 = arith.constant 0 : index\n %v = arith.constant dense<N> : "
                "vector<40x!>\n vector.store %v, %x[%0] : memref<40x!>, vector<40x!>\n return\n}",
        "vector largest":
                "func.func @f(%x: vector<64x!>) -> T {\n %r = vector.reduction <LARGEST>, %x : vector<64x!> into T\n "
                "return %r : T\n}",
        "vector reads":
                "func.func @f(%x: memref<?x?x!>, %c: T, %n: index) -> vector<3x5x!> {\n %v = vector.transfer_read "
                "%x[%n, %n], %c {in_bounds = [false, true]} : memref<?x?x!>, vector<3x5x!>\n return %v : "
                "vector<3x5x!>\n}",
    },
}
