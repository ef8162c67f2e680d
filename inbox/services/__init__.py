"""What people do: one noun a file, called by the doors above."""
