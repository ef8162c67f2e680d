"""Firefox and WebKit, driven by the protocols of the W3C that they speak themselves: no driver is downloaded."""
