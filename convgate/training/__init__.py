"""Training: texts, scenarios and woven conversations to learn from, the trainer, runs and reports."""
