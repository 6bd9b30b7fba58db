"""The transcript on screen: which rows are shown, and the component that shows them."""
