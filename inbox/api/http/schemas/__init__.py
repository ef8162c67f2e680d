"""Shapes that endpoints of several rooms share. Only here and in the rooms' own schemas are names in camelCase."""
