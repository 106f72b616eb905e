"""PyTorch's habits: other spellings of arguments, methods by its names, `x.add_(y)`.

spelling.py   what wraps every public function: `dim=` for `axis=`, and hints
respelt.py    the calls that mean something else in PyTorch: `x.max(dim=0)`
methods.py    methods that are no functions of fogo.ops: `x.float()`, `x.numel()`
inplace.py    `x.add_(y)` and all of its kind, by one definition
"""
