"""The checked run: shadow memory, rules, reports."""
