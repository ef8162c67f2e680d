"""The live stream: publish references, send them to the streams, write them as Server-Sent Events."""
