"""What the user said that has to hold on: found per turn, superseded, lifted or resolved later."""
