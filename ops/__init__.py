"""Sets up, starts, supervises and stops the processes of the service. Prints the generated documents."""
