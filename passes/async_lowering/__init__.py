"""Parts of `hexagon-async-lowering`: `forks` finds loops that start a group of tasks, `frames` places what these read,
`fork_calls` writes the calls of the runtime."""
