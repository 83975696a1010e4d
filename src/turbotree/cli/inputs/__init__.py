"""What commands read: sentences from files, pipes and terminals, and models."""
