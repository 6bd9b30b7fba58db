"""Training data: texts written for it, scenarios with known answers, and conversations woven into one."""
