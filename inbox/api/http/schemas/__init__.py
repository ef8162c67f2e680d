"""Shapes that endpoints of several rooms share. Here and in the rooms beside live the camelCase names."""
