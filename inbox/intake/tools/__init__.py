"""The tools that call `POST /v1/hooks/{tool}`: one package each, with its texts. `registry` finds them."""
