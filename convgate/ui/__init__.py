"""What the pages share: their frame, the services behind them, and the parts that several of them draw.

The one place besides app.py and pages/ that knows Streamlit.
"""
