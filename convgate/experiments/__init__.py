"""Controlled experiments: does another selection of turns give better answers?"""
