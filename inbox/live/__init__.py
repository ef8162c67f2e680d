"""The live stream: publish a reference, fan it out, write it to the wire."""
