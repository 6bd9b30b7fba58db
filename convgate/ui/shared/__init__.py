"""What several pages use: the frame, the state in addresses, links, scoring, the transcript, controls."""
