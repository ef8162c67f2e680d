"""Makes a release: checks, packages, image, chart, bills of materials, checksums, tag (docs/engineers/releasing.md)."""
