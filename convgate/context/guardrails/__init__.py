"""What is logged of each request, and what happens when modes drift or go wrong."""
