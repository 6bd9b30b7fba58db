"""The pages of the app: a package each, which imports no other, and `shared` for what several of them use.

The one place besides app.py and pages/ that knows Streamlit.
"""
