"""The modules in which the bindings look for the classes of a dialect's operations first.

Those of the bindings have builders besides, some of which take long to import: a process that compiles one kernel
starts 0.1 s sooner without them.
"""
