"""Parts of `form-async-threads`: `ranges` numbers the iterations of a forall, `permission` tells functions whether they
may fork.
"""
