"""``hexmlir sweep``: programs over targets, settings and sizes, on processes or a cluster, in one table."""
