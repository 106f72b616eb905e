"""A wrong program: each line marked E must be refused by the type checker."""

from __future__ import annotations

import fogo

x = fogo.ones(2, 3)
x.backward()  # E: attr-defined
(x * 2.0 + x).sum().backward()  # E: attr-defined
fogo.relu(x).backward()  # E: attr-defined
fogo.tensor([1.0], device="cpu").backward()  # E: attr-defined
x.to("cpu").backward()  # E: attr-defined
x.no_such_method()  # E: attr-defined
fogo.no_such_function(x)  # E: attr-defined
fogo.exp("text")  # E: type-var
x.sum(axis="rows")  # E: arg-type
fogo.conv2d(x)  # E: call-overload
