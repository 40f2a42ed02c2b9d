"""Parts of `form-async-threads`: `ranges` numbers the iterations of a forall."""
