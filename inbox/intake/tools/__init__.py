"""One module for each tool that calls `POST /v1/hooks/{tool}`."""
