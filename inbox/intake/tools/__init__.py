"""The tools that call `POST /v1/hooks/{tool}`: a package for each, with its texts. `registry` finds them."""
