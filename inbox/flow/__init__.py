"""What happens to an event, step by step, from acceptance to the last delivery."""
