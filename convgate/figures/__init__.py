"""Plotly figures of results. Pure functions: data and a palette in, a figure or a sentence out."""
